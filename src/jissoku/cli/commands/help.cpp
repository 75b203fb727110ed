#include "jissoku/cli/help.hpp"

#include "jissoku/cli/commands/commands.hpp"

namespace jissoku::cli {

core::Result<core::ExitCode> run_help(Invocation& invocation) {
  const int width = invocation.out_terminal.width;
  if (invocation.parsed.operands.empty()) {
    if (auto written = invocation.out.write(program_help(invocation.commands, invocation.catalogue, width));
        !written) {
      return written.error();
    }
    return core::ExitCode::ok;
  }
  const std::string& name = invocation.parsed.operands.front();
  const Command* command = find_command(invocation.commands, name);
  if (command == nullptr) {
    return unknown_command(name, invocation.commands);
  }
  if (auto written = invocation.out.write(command_help(*command, invocation.catalogue, width)); !written) {
    return written.error();
  }
  return core::ExitCode::ok;
}

}  // namespace jissoku::cli
