#include "jissoku/cli/help.hpp"

#include <algorithm>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "jissoku/cli/completions.hpp"
#include "jissoku/cli/man_page.hpp"
#include "jissoku/cli/parser.hpp"
#include "jissoku/cli/registration.hpp"

namespace jissoku::embedded {
extern const std::string_view messages_en;
}

namespace jissoku::cli {
namespace {

const core::Catalogue& catalogue() {
  static const auto kParsed = core::Catalogue::parse(embedded::messages_en);
  return kParsed.value();
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) {
    longest = std::max(longest, line.size());
  }
  return longest;
}

TEST(Tables, EveryTextIsInTheCatalogue) {
  for (const Flag& flag : flags()) {
    EXPECT_TRUE(catalogue().contains("cli.flag." + std::string(flag.name))) << flag.name;
  }
  for (const Command& command : commands()) {
    EXPECT_TRUE(catalogue().contains("cli.command." + std::string(command.name))) << command.name;
    EXPECT_TRUE(catalogue().contains("cli.about." + std::string(command.name))) << command.name;
    EXPECT_TRUE(command.run) << command.name;
    for (const Example& example : command.examples) {
      EXPECT_TRUE(catalogue().contains("cli.example." + std::string(example.id))) << example.id;
    }
  }
}

TEST(Tables, NamesAreDistinctAndOwnFlagsExist) {
  for (const Flag& flag : flags()) {
    const auto same = std::count_if(flags().begin(), flags().end(), [&](const Flag& other) {
      return flag_id(other) == flag_id(flag) || (flag.short_name != 0 && other.short_name == flag.short_name);
    });
    EXPECT_EQ(same, 1) << flag.name;
    const bool default_allowed = flag.choices.empty() || flag.default_text.empty() ||
                                 std::count(flag.choices.begin(), flag.choices.end(), flag.default_text) == 1;
    EXPECT_TRUE(default_allowed) << flag.name;
  }
  for (const Command& command : commands()) {
    for (const std::string_view id : command.own_flags) {
      EXPECT_TRUE(std::any_of(flags().begin(), flags().end(), [id](const Flag& flag) {
        return flag_id(flag) == id;
      })) << id;
    }
    // Within a command a name means one thing.
    for (const Flag& flag : flags()) {
      EXPECT_TRUE(!command.takes(flag) || find_flag(flag.name, &command) == &flag) << flag.name;
    }
  }
}

TEST(Tables, EveryExampleParsesAndIsOfItsCommand) {
  for (const Command& command : commands()) {
    for (const Example& example : command.examples) {
      std::istringstream words{std::string(example.line)};
      std::vector<std::string> arguments;
      for (std::string word; words >> word;) {
        arguments.push_back(word);
      }
      ASSERT_EQ(arguments.front(), "jissoku");
      arguments.erase(arguments.begin());
      const auto parsed = parse(arguments, commands());
      ASSERT_TRUE(parsed.ok()) << example.line;
      EXPECT_EQ(parsed->command, &command) << example.line;
    }
  }
}

TEST(Help, ProgramHelpNamesEveryCommandWithExamplesFirst) {
  const std::string help = program_help(commands(), catalogue(), 100);
  for (const Command& command : commands()) {
    EXPECT_TRUE(contains(help, "\n  " + std::string(command.name))) << command.name;
  }
  EXPECT_LT(help.find("Examples:"), help.find("Commands:"));
}

TEST(Help, CommandHelpShowsExactlyTheFlagsTheCommandTakes) {
  for (const Command& command : commands()) {
    const std::string help = command_help(command, catalogue(), 100);
    for (const Flag& flag : flags()) {
      const bool listed = contains(help, "\n  " + flag_synopsis(flag));
      EXPECT_EQ(listed, command.takes(flag)) << command.name << " " << flag.name;
    }
  }
}

TEST(Help, NothingIsWiderThanTheTerminal) {
  for (const int width : {60, 80, 100}) {
    EXPECT_LE(longest_line(program_help(commands(), catalogue(), width)), static_cast<std::size_t>(width));
    for (const Command& command : commands()) {
      EXPECT_LE(longest_line(command_help(command, catalogue(), width)), static_cast<std::size_t>(width))
          << command.name;
    }
  }
}

TEST(ManPage, HasEveryCommandFlagAndExitCode) {
  const std::string page = man_page(commands(), catalogue(), "1.2.3");
  EXPECT_TRUE(contains(page, "\"jissoku 1.2.3\""));
  for (const Flag& flag : flags()) {
    const std::string name = std::regex_replace(std::string(flag.name), std::regex("-"), "\\-");
    EXPECT_TRUE(contains(page, "\\-\\-" + name)) << flag.name;
  }
  for (const std::string_view code : {"0", "1", "2", "3", "4", "5", "6", "70", "130"}) {
    EXPECT_TRUE(contains(page, "\n.B " + std::string(code) + "\n")) << code;
  }
  EXPECT_FALSE(contains(page, "cli.")) << "an id without text";
}

TEST(Completions, HaveEveryCommandAndFlag) {
  for (const std::string_view shell : find_flag("completions")->choices) {
    const std::string script = completions(shell, commands(), catalogue());
    for (const Command& command : commands()) {
      EXPECT_TRUE(contains(script, command.name)) << shell << " " << command.name;
    }
    for (const Flag& flag : flags()) {
      const std::string shown = (shell == "fish" ? "-l " : "--") + std::string(flag.name);
      EXPECT_TRUE(contains(script, shown)) << shell << " " << flag.name;
    }
  }
}

}  // namespace
}  // namespace jissoku::cli
