#include "jissoku/cli/man_page.hpp"

#include "jissoku/cli/help.hpp"

namespace jissoku::cli {
namespace {

using core::message;

/// Text that roff prints as it stands.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  // A control character at the start of a line would make it a request.
  return out.empty() || (out[0] != '.' && out[0] != '\'') ? out : "\\&" + out;
}

std::string section(std::string_view name) {
  return ".SH " + std::string(name) + "\n";
}

std::string entry(std::string_view term, const std::string& text) {
  return ".TP\n.B " + escaped(term) + "\n" + escaped(text) + "\n";
}

std::string flag_entries(const Command& command, FlagGroup group, const core::Catalogue& catalogue) {
  std::string out;
  for (const Flag& flag : flags()) {
    if (flag.group == group && command.takes(flag)) {
      out += entry(flag_synopsis(flag), flag_description(flag, catalogue));
    }
  }
  return out;
}

/// The flags of a group, as taken by the first command that takes them.
std::string shared_flags(std::span<const Command> commands,
                         FlagGroup group,
                         const core::Catalogue& catalogue) {
  for (const Command& command : commands) {
    if (std::string out = flag_entries(command, group, catalogue); !out.empty()) {
      return out;
    }
  }
  return {};
}

}  // namespace

std::string man_page(std::span<const Command> commands,
                     const core::Catalogue& catalogue,
                     const std::string& version) {
  const auto text = [&](const std::string& id) { return catalogue.render(message(id)); };
  std::string out = ".TH JISSOKU 1 \"\" \"jissoku " + version + "\" \"User Commands\"\n";
  out += section("NAME") + "jissoku \\- " + escaped(text("cli.man.name")) + "\n";
  out += section("SYNOPSIS") + ".B jissoku\n.I COMMAND\n[options]\n";
  out += section("DESCRIPTION") + escaped(text("cli.help.program")) + "\n";
  out += section("COMMANDS");
  for (const Command& command : commands) {
    const std::string name(command.name);
    out += ".SS " + escaped(usage_line(command)) + "\n";
    out += escaped(text("cli.about." + name)) + "\n";
    out += flag_entries(command, FlagGroup::own, catalogue);
  }
  out += section("MEASURING") + shared_flags(commands, FlagGroup::measure, catalogue);
  out += section("OUTPUT") + shared_flags(commands, FlagGroup::output, catalogue);
  out += section("GENERAL OPTIONS") + shared_flags(commands, FlagGroup::general, catalogue);
  out += section("EXAMPLES");
  for (const Command& command : commands) {
    for (const Example& example : command.examples) {
      out += entry(example.line, text("cli.example." + std::string(example.id)));
    }
  }
  out += section("EXIT STATUS");
  for (const std::string_view code : {"0", "1", "2", "3", "4", "5", "6", "70", "130"}) {
    out += entry(code, text("cli.exit." + std::string(code)));
  }
  out += section("ENVIRONMENT");
  for (const std::string_view name : {"JISSOKU_LIBRARY_PATH",
                                      "JISSOKU_PLUGIN_PATH",
                                      "NO_COLOR",
                                      "CLICOLOR_FORCE",
                                      "TERM",
                                      "COLUMNS",
                                      "LC_ALL"}) {
    out += entry(name, text("cli.environment." + std::string(name)));
  }
  return out;
}

}  // namespace jissoku::cli
