#include "jissoku/cli/help.hpp"

#include <algorithm>
#include <utility>

#include "jissoku/core/text.hpp"
#include "jissoku/report/layout.hpp"

namespace jissoku::cli {
namespace {

using core::message;

constexpr int kGreatestWidth = 100;
constexpr int kLeastColumnText = 40;

using Entry = std::pair<std::string, std::string>;

/// Two columns; where the second would be too narrow it goes below the first, indented.
std::string columns(const std::vector<Entry>& entries, int width) {
  int first = 0;
  for (const Entry& entry : entries) {
    first = std::max(first, core::display_width(entry.first));
  }
  const bool beside = width - first - 4 >= kLeastColumnText;
  const int indent = beside ? first + 4 : 6;
  std::string out;
  for (const auto& [left, right] : entries) {
    std::string line = "  " + left;
    if (!beside) {
      out += line + "\n";
      line.clear();
    }
    for (const std::string& piece : report::wrap(right, width - indent)) {
      line.append(static_cast<std::size_t>(std::max(indent - core::display_width(line), 0)), ' ');
      out += line + piece + "\n";
      line.clear();
    }
  }
  return out;
}

std::string paragraph(const std::string& text, int width) {
  std::string out;
  for (const std::string& line : report::wrap(text, width)) {
    out += line + "\n";
  }
  return out;
}

std::string heading(const core::Catalogue& catalogue, const std::string& id) {
  return "\n" + catalogue.render(message(id)) + "\n";
}

std::string examples(const Command& command, const core::Catalogue& catalogue, int width) {
  std::vector<Entry> entries;
  for (const Example& example : command.examples) {
    entries.emplace_back(example.line, catalogue.render(message("cli.example." + std::string(example.id))));
  }
  return columns(entries, width);
}

std::string flag_group(const Command& command,
                       FlagGroup group,
                       const core::Catalogue& catalogue,
                       const std::string& heading_id,
                       int width) {
  std::vector<Entry> entries;
  for (const Flag& flag : flags()) {
    if (flag.group == group && command.takes(flag)) {
      entries.emplace_back(flag_synopsis(flag), flag_description(flag, catalogue));
    }
  }
  return entries.empty() ? std::string() : heading(catalogue, heading_id) + columns(entries, width);
}

}  // namespace

std::string flag_synopsis(const Flag& flag) {
  std::string out;
  if (flag.short_name != 0) {
    out = std::string("-") + flag.short_name + ", ";
  }
  out += "--" + std::string(flag.name);
  return flag.metavar.empty() ? out : out + " " + std::string(flag.metavar);
}

std::string flag_description(const Flag& flag, const core::Catalogue& catalogue) {
  std::string out = catalogue.render(message("cli.flag." + std::string(flag_id(flag))));
  if (!flag.choices.empty()) {
    std::string choices;
    for (const std::string_view choice : flag.choices) {
      choices += (choices.empty() ? "" : ", ") + std::string(choice);
    }
    out += " " + catalogue.render(message("cli.help.choices", {{"choices", choices}}));
  }
  if (!flag.default_text.empty()) {
    out += " " + catalogue.render(message("cli.help.default", {{"text", std::string(flag.default_text)}}));
  }
  return out;
}

std::string usage_line(const Command& command) {
  std::string out = "jissoku " + std::string(command.name);
  out += command.operand.empty() ? "" : " " + std::string(command.operand);
  return out + " [options]";
}

std::string program_help(std::span<const Command> commands, const core::Catalogue& catalogue, int width) {
  width = std::min(width, kGreatestWidth);
  std::string out = paragraph(catalogue.render(message("cli.help.program")), width);
  out += heading(catalogue, "cli.help.examples");
  std::vector<Entry> first_examples;
  std::vector<Entry> summaries;
  for (const Command& command : commands) {
    if (!command.examples.empty()) {
      const Example& example = command.examples.front();
      first_examples.emplace_back(example.line,
                                  catalogue.render(message("cli.example." + std::string(example.id))));
    }
    std::string name(command.name);
    name += command.operand.empty() ? "" : " " + std::string(command.operand);
    summaries.emplace_back(name, catalogue.render(message("cli.command." + std::string(command.name))));
  }
  out += columns(first_examples, width);
  out += heading(catalogue, "cli.help.commands") + columns(summaries, width);
  out += flag_group(commands.front(), FlagGroup::general, catalogue, "cli.help.general", width);
  return out + "\n" + paragraph(catalogue.render(message("cli.help.more")), width);
}

std::string command_help(const Command& command, const core::Catalogue& catalogue, int width) {
  width = std::min(width, kGreatestWidth);
  const std::string name(command.name);
  std::string out =
      paragraph("jissoku " + name + ": " + catalogue.render(message("cli.command." + name)), width);
  out += heading(catalogue, "cli.help.examples") + examples(command, catalogue, width);
  out += "\n" + paragraph(catalogue.render(message("cli.about." + name)), width);
  out += heading(catalogue, "cli.help.usage") + "  " + usage_line(command) + "\n";
  out += flag_group(command, FlagGroup::own, catalogue, "cli.help.own", width);
  out += flag_group(command, FlagGroup::measure, catalogue, "cli.help.measure", width);
  out += flag_group(command, FlagGroup::output, catalogue, "cli.help.output", width);
  out += flag_group(command, FlagGroup::general, catalogue, "cli.help.general", width);
  return out;
}

}  // namespace jissoku::cli
