// Reading a command line: a pure function of the text and the tables. It checks what the tables
// can say (known names, values present, allowed choices); what values mean is options.hpp's.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jissoku/cli/command.hpp"
#include "jissoku/core/result.hpp"

namespace jissoku::cli {

struct Parsed {
  const Command* command = nullptr;  ///< nullptr: none was given
  std::vector<std::string> operands;
  std::map<std::string, std::string, std::less<>> values;  ///< by flag name; "" for one without value

  bool has(std::string_view flag) const { return values.find(flag) != values.end(); }
  std::optional<std::string> get(std::string_view flag) const;
  /// The value, or the table's default.
  std::string get_or_default(std::string_view flag) const;
};

/// `arguments`: without the program's name. A flag given twice counts as its last value. Errors are
/// `usage` and name the nearest known flag or command.
core::Result<Parsed> parse(std::span<const std::string> arguments, std::span<const Command> commands);

/// The usage error for a command that does not exist.
core::Error unknown_command(const std::string& text, std::span<const Command> commands);

/// What of a command line decides the results: the command, its operands and the flags outside
/// FlagGroup::output and FlagGroup::general, in table order. parse() reads it back. `--resume` is left out.
std::vector<std::string> recorded_arguments(const Parsed& parsed);

/// Arguments as one line for a POSIX shell, quoted where needed.
std::string shell_line(std::span<const std::string> arguments);

/// "a,b,c" -> {"a", "b", "c"}; empty items stay, so that they can be refused.
std::vector<std::string> split_list(std::string_view text);

}  // namespace jissoku::cli
