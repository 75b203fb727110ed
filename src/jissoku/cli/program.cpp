#include "jissoku/cli/program.hpp"

#include <string_view>
#include <unistd.h>
#include <utility>

#include "jissoku/cli/completions.hpp"
#include "jissoku/cli/help.hpp"
#include "jissoku/cli/invocation.hpp"
#include "jissoku/cli/man_page.hpp"
#include "jissoku/cli/registration.hpp"
#include "jissoku/cli/resume.hpp"
#include "jissoku/cli/version.hpp"

namespace jissoku::embedded {
extern const std::string_view messages_en;
}

namespace jissoku::cli {
namespace {

using core::ExitCode;
using core::Result;

/// The text of --help, --version and the like; empty when none of them was given.
std::string information(const Parsed& parsed, const core::Catalogue& catalogue, int width) {
  if (parsed.has("help")) {
    return parsed.command == nullptr ? program_help(commands(), catalogue, width)
                                     : command_help(*parsed.command, catalogue, width);
  }
  if (parsed.has("version")) {
    return "jissoku " + version() + "\n";
  }
  if (parsed.has("man")) {
    return man_page(commands(), catalogue, version());
  }
  if (const auto shell = parsed.get("completions")) {
    return completions(*shell, commands(), catalogue);
  }
  return {};
}

Result<ExitCode> run(std::span<const std::string> arguments, const core::Catalogue& catalogue) {
  auto parsed = parse(arguments, commands());
  if (!parsed) {
    return parsed.error();
  }
  auto output = output_options(*parsed);
  if (!output) {
    return output.error();
  }
  const Environment environment = process_environment();
  const ColorMode color = color_mode(*parsed);
  const Terminal terminal = decide_terminal(probe_stream(STDOUT_FILENO), environment, color);
  Output out(STDOUT_FILENO);
  if (const std::string text = information(*parsed, catalogue, terminal.width); !text.empty()) {
    if (auto written = out.write(text); !written) {
      return written.error();
    }
    return ExitCode::ok;
  }
  Messages messages(STDERR_FILENO, catalogue);
  if (parsed->command == nullptr && parsed->has("resume")) {
    auto command = recorded_command(*parsed->get("resume"), commands());
    if (!command) {
      return command.error();
    }
    parsed->command = *command;
  }
  if (parsed->command == nullptr) {
    return core::make_error(ExitCode::usage, "cli.no_command");
  }
  Invocation invocation{std::move(*parsed),
                        std::move(*output),
                        commands(),
                        catalogue,
                        out,
                        messages,
                        terminal,
                        decide_terminal(probe_stream(STDERR_FILENO), environment, color)};
  return invocation.parsed.command->run(invocation);
}

}  // namespace

ExitCode run_program(std::span<const std::string> arguments) {
  const auto catalogue = core::Catalogue::parse(embedded::messages_en);
  if (!catalogue) {
    Messages(STDERR_FILENO, core::Catalogue()).line(catalogue.error().message);
    return ExitCode::internal;
  }
  const auto result = run(arguments, *catalogue);
  if (!result) {
    Messages(STDERR_FILENO, *catalogue).line(result.error().message);
    return result.error().exit_code;
  }
  return *result;
}

}  // namespace jissoku::cli
