#include "jissoku/cli/parser.hpp"

#include <algorithm>

#include "jissoku/core/suggest.hpp"

namespace jissoku::cli {
namespace {

using core::Error;
using core::ExitCode;
using core::make_error;
using core::Result;
using core::Status;

std::string joined(std::span<const std::string_view> items) {
  std::string out;
  for (const std::string_view item : items) {
    out += out.empty() ? "" : ", ";
    out += item;
  }
  return out;
}

/// The usage error with the nearest known name as a remedy, or without where nothing is near.
Error unknown(const std::string& id, const std::string& text, const std::vector<std::string>& known) {
  const std::string near = core::nearest(text, known);
  if (near.empty()) {
    return make_error(ExitCode::usage, id, {{"text", text}});
  }
  return make_error(ExitCode::usage, id + "_near", {{"text", text}, {"nearest", near}});
}

class Reader {
 public:
  Reader(std::span<const std::string> arguments, std::span<const Command> commands)
      : arguments_(arguments), commands_(commands) {}

  Result<Parsed> read() {
    for (; position_ < arguments_.size(); ++position_) {
      const std::string& argument = arguments_[position_];
      Status status;
      if (flags_ended_ || argument.size() < 2 || argument[0] != '-') {
        status = word(argument);
      } else if (argument == "--") {
        flags_ended_ = true;
      } else if (argument[1] == '-') {
        status = long_flag(argument);
      } else {
        status = short_flag(argument);
      }
      if (!status) {
        return status.error();
      }
    }
    if (auto status = check_flags(); !status) {
      return status.error();
    }
    if (auto status = check_operands(); !status) {
      return status.error();
    }
    return std::move(parsed_);
  }

 private:
  Status word(const std::string& text) {
    if (parsed_.command != nullptr) {
      parsed_.operands.push_back(text);
      return {};
    }
    parsed_.command = find_command(commands_, text);
    if (parsed_.command == nullptr) {
      return unknown_command(text, commands_);
    }
    return {};
  }

  Status long_flag(const std::string& argument) {
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
    const Flag* flag = find_flag(name, parsed_.command);
    if (flag == nullptr) {
      std::vector<std::string> known;
      for (const Flag& candidate : flags()) {
        if (parsed_.command == nullptr || parsed_.command->takes(candidate)) {
          known.push_back("--" + std::string(candidate.name));
        }
      }
      return unknown("cli.unknown_flag", "--" + name, known);
    }
    if (equals != std::string::npos) {
      if (flag->metavar.empty()) {
        return make_error(ExitCode::usage,
                          "cli.value_not_taken",
                          {{"flag", std::string(flag->name)}, {"text", argument.substr(equals + 1)}});
      }
      return set(*flag, argument.substr(equals + 1));
    }
    return with_next(*flag);
  }

  Status short_flag(const std::string& argument) {
    const auto all = flags();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Flag& flag) {
      return argument.size() == 2 && flag.short_name != 0 && flag.short_name == argument[1];
    });
    if (found == all.end()) {
      std::vector<std::string> known;
      for (const Flag& flag : all) {
        known.push_back("--" + std::string(flag.name));
      }
      return unknown("cli.unknown_flag", argument, known);
    }
    return with_next(*found);
  }

  Status with_next(const Flag& flag) {
    if (flag.metavar.empty()) {
      return set(flag, "");
    }
    // A value may start with one dash ("-1", and "-" is stdout), but a flag is not a value.
    const bool there = position_ + 1 < arguments_.size() && arguments_[position_ + 1].rfind("--", 0) != 0;
    if (!there) {
      return make_error(ExitCode::usage,
                        "cli.value_missing",
                        {{"flag", std::string(flag.name)}, {"metavar", std::string(flag.metavar)}});
    }
    ++position_;
    return set(flag, arguments_[position_]);
  }

  Status set(const Flag& flag, const std::string& value) {
    if (!flag.metavar.empty() && value.empty()) {
      return make_error(ExitCode::usage,
                        "cli.value_missing",
                        {{"flag", std::string(flag.name)}, {"metavar", std::string(flag.metavar)}});
    }
    const bool allowed = flag.choices.empty() ||
                         std::find(flag.choices.begin(), flag.choices.end(), value) != flag.choices.end();
    if (!allowed) {
      return make_error(
          ExitCode::usage,
          "cli.not_a_choice",
          {{"flag", std::string(flag.name)}, {"text", value}, {"choices", joined(flag.choices)}});
    }
    parsed_.values[std::string(flag.name)] = value;
    return {};
  }

  Status check_flags() const {
    for (const auto& [name, value] : parsed_.values) {
      const Flag* flag = find_flag(name, parsed_.command);
      if (parsed_.command == nullptr) {
        // Without a command only what stands for itself is allowed; --resume knows its command.
        if (flag->group != FlagGroup::general && !parsed_.has("resume") && !parsed_.has("help")) {
          return make_error(ExitCode::usage, "cli.flag_without_command", {{"flag", name}});
        }
      } else if (!parsed_.command->takes(*flag)) {
        return not_taken(*flag);
      }
    }
    return {};
  }

  Error not_taken(const Flag& flag) const {
    std::vector<std::string_view> takers;
    for (const Command& command : commands_) {
      if (command.takes(flag)) {
        takers.push_back(command.name);
      }
    }
    return make_error(ExitCode::usage,
                      "cli.flag_not_taken",
                      {{"flag", std::string(flag.name)},
                       {"command", std::string(parsed_.command->name)},
                       {"takers", joined(takers)}});
  }

  Status check_operands() const {
    if (parsed_.command == nullptr || parsed_.has("help")) {
      return {};
    }
    const std::string_view operand = parsed_.command->operand;
    const std::string command(parsed_.command->name);
    const bool several = operand.find("...") != std::string_view::npos;
    const std::size_t most = operand.empty() ? 0 : 1;
    if (parsed_.operands.size() > most && !several) {
      return make_error(
          ExitCode::usage, "cli.extra_operand", {{"text", parsed_.operands[most]}, {"command", command}});
    }
    if (parsed_.operands.empty() && most == 1 && operand.front() != '[') {
      return make_error(
          ExitCode::usage, "cli.operand_missing", {{"operand", std::string(operand)}, {"command", command}});
    }
    return {};
  }

  std::span<const std::string> arguments_;
  std::span<const Command> commands_;
  std::size_t position_ = 0;
  bool flags_ended_ = false;
  Parsed parsed_;
};

}  // namespace

std::optional<std::string> Parsed::get(std::string_view flag) const {
  const auto found = values.find(flag);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::string Parsed::get_or_default(std::string_view flag) const {
  const auto found = values.find(flag);
  return found != values.end() ? found->second : std::string(find_flag(flag, command)->default_text);
}

Error unknown_command(const std::string& text, std::span<const Command> commands) {
  std::vector<std::string> known;
  for (const Command& command : commands) {
    known.emplace_back(command.name);
  }
  return unknown("cli.unknown_command", text, known);
}

Result<Parsed> parse(std::span<const std::string> arguments, std::span<const Command> commands) {
  return Reader(arguments, commands).read();
}

std::vector<std::string> recorded_arguments(const Parsed& parsed) {
  std::vector<std::string> out;
  if (parsed.command != nullptr) {
    out.emplace_back(parsed.command->name);
  }
  for (const Flag& flag : flags()) {
    const auto value = find_flag(flag.name, parsed.command) == &flag ? parsed.get(flag.name) : std::nullopt;
    const bool decides = flag.group == FlagGroup::own || flag.group == FlagGroup::measure;
    if (!value || !decides || flag.name == "resume") {
      continue;
    }
    out.push_back("--" + std::string(flag.name));
    if (!flag.metavar.empty()) {
      out.push_back(*value);
    }
  }
  const bool plain = std::none_of(parsed.operands.begin(), parsed.operands.end(), [](const std::string& one) {
    return one.starts_with('-');
  });
  if (!plain) {
    out.emplace_back("--");
  }
  out.insert(plain && parsed.command != nullptr ? out.begin() + 1 : out.end(),
             parsed.operands.begin(),
             parsed.operands.end());
  return out;
}

std::string shell_line(std::span<const std::string> arguments) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%";
  std::string out;
  for (const std::string& argument : arguments) {
    out += out.empty() ? "" : " ";
    if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string::npos) {
      out += argument;
      continue;
    }
    out += '\'';
    for (const char c : argument) {
      out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    out += '\'';
  }
  return out;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items;
  std::size_t start = 0;
  for (;;) {
    const std::size_t comma = text.find(',', start);
    items.emplace_back(text.substr(start, comma == std::string_view::npos ? comma : comma - start));
    if (comma == std::string_view::npos) {
      return items;
    }
    start = comma + 1;
  }
}

}  // namespace jissoku::cli
