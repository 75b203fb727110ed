#include "jissoku/cli/terminal.hpp"

#include <map>

#include <gtest/gtest.h>

namespace jissoku::cli {
namespace {

Environment environment(std::map<std::string, std::string, std::less<>> values) {
  return [values = std::move(values)](std::string_view name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

Terminal on_terminal(std::map<std::string, std::string, std::less<>> values,
                     ColorMode mode = ColorMode::automatic) {
  return decide_terminal(
      {.is_terminal = true, .columns = 132, .utf8_input = true}, environment(std::move(values)), mode);
}

Terminal on_pipe(std::map<std::string, std::string, std::less<>> values,
                 ColorMode mode = ColorMode::automatic) {
  return decide_terminal({}, environment(std::move(values)), mode);
}

TEST(Terminal, ColourOnlyWhereItIsWanted) {
  EXPECT_TRUE(on_terminal({{"TERM", "xterm"}}).color);
  EXPECT_FALSE(on_terminal({{"TERM", "dumb"}}).color);
  EXPECT_FALSE(on_terminal({}).color);
  EXPECT_FALSE(on_terminal({{"TERM", "xterm"}, {"NO_COLOR", "1"}}).color);
  EXPECT_TRUE(on_terminal({{"TERM", "xterm"}, {"NO_COLOR", ""}}).color);
  EXPECT_FALSE(on_pipe({{"TERM", "xterm"}}).color);
  EXPECT_TRUE(on_pipe({{"CLICOLOR_FORCE", "1"}}).color);
  EXPECT_FALSE(on_pipe({{"CLICOLOR_FORCE", "0"}}).color);
  EXPECT_FALSE(on_pipe({{"CLICOLOR_FORCE", "1"}, {"NO_COLOR", "1"}}).color);
  EXPECT_TRUE(on_pipe({{"NO_COLOR", "1"}}, ColorMode::always).color);
  EXPECT_FALSE(on_terminal({{"TERM", "xterm"}}, ColorMode::never).color);
}

TEST(Terminal, AStatusLineNeedsATerminalThatOverwrites) {
  EXPECT_TRUE(on_terminal({{"TERM", "xterm"}}).can_overwrite);
  EXPECT_FALSE(on_terminal({{"TERM", "dumb"}}).can_overwrite);
  EXPECT_FALSE(on_pipe({{"TERM", "xterm"}}).can_overwrite);
}

TEST(Terminal, EncodingComesFromTheFirstLocaleVariableThatIsSet) {
  EXPECT_TRUE(on_pipe({{"LANG", "ja_JP.UTF-8"}}).utf8);
  EXPECT_TRUE(on_pipe({{"LC_ALL", "C.utf8"}, {"LANG", "C"}}).utf8);
  EXPECT_FALSE(on_pipe({{"LC_ALL", "C"}, {"LANG", "en_US.UTF-8"}}).utf8);
  EXPECT_FALSE(on_pipe({{"LC_CTYPE", "en_US.ISO-8859-1"}, {"LANG", "en_US.UTF-8"}}).utf8);
  EXPECT_TRUE(on_pipe({{"LC_ALL", ""}, {"LANG", "en_US.UTF-8"}}).utf8);
}

TEST(Terminal, WithoutAnyLocaleTheTerminalItselfDecides) {
  EXPECT_TRUE(on_terminal({}).utf8);
  EXPECT_FALSE(on_terminal({{"LANG", "C"}}).utf8);
  EXPECT_FALSE(on_pipe({}).utf8);
}

TEST(Terminal, WidthComesFromColumnsThenTheWindow) {
  EXPECT_EQ(on_terminal({}).width, 132);
  EXPECT_EQ(on_terminal({{"COLUMNS", "40"}}).width, 40);
  EXPECT_EQ(on_terminal({{"COLUMNS", "40x"}}).width, 132);
  EXPECT_EQ(on_terminal({{"COLUMNS", "-3"}}).width, 132);
  EXPECT_EQ(on_pipe({}).width, 100);
  EXPECT_EQ(on_pipe({{"COLUMNS", "1"}}).width, 20);
  EXPECT_EQ(on_pipe({{"COLUMNS", "99999999999999"}}).width, 100);
}

}  // namespace
}  // namespace jissoku::cli
