// What a command of the program is: data for help, parsing and completion, and one function.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "jissoku/cli/flag_table.hpp"
#include "jissoku/core/result.hpp"

namespace jissoku::cli {

struct Invocation;

/// A command line worth copying; its text is the message "cli.example.<id>".
struct Example {
  std::string_view id;
  std::string_view line;
};

/// Its one-line summary is the message "cli.command.<name>", its description "cli.about.<name>".
struct Command {
  std::string_view name;
  std::string_view operand =
      {};  ///< "RUN" (needed), "[COMMAND]" (may be left out), "[FILE...]" (several); empty: none
  std::vector<FlagGroup> groups = {};
  std::vector<std::string_view> own_flags = {};  ///< ids of flags beside those of its groups
  std::vector<Example> examples = {};
  std::string_view default_budget = {};    ///< seconds
  std::string_view default_document = {};  ///< folder written to without --out; empty: none
  /// Writes its results itself; the exit code it returns is the program's.
  std::function<core::Result<core::ExitCode>(Invocation&)> run = {};

  bool takes(const Flag& flag) const;
};

/// The flag of that name that the command takes, else any; nullptr if there is none. `command` may be
/// nullptr.
const Flag* find_flag(std::string_view name, const Command* command);

/// nullptr if there is none.
const Command* find_command(std::span<const Command> commands, std::string_view name);

}  // namespace jissoku::cli
