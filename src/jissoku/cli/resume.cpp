#include "jissoku/cli/resume.hpp"

#include <filesystem>
#include <utility>

#include "jissoku/cli/version.hpp"
#include "jissoku/document/serialise.hpp"

namespace jissoku::cli {
namespace {

using core::ExitCode;
using core::make_error;
using core::Status;

/// What to measure is in the document: saying it again could only contradict.
Status check_flags(const Parsed& parsed) {
  for (const auto& [name, value] : parsed.values) {
    const FlagGroup group = find_flag(name, parsed.command)->group;
    const bool measures = group == FlagGroup::own || group == FlagGroup::measure;
    if (name == "out" || (measures && name != "resume")) {
      return make_error(ExitCode::usage, "cli.resume_with_flag", {{"flag", name}});
    }
  }
  return {};
}

Status check_same_conditions(const document::Header& header,
                             const std::string& path,
                             const core::Machine& machine) {
  if (header.tool_version != version()) {
    return make_error(ExitCode::unreadable,
                      "cli.resume_version",
                      {{"path", path}, {"theirs", header.tool_version}, {"ours", version()}});
  }
  if (header.machine.cpu_model != machine.cpu_model) {
    return make_error(ExitCode::unreadable,
                      "cli.resume_machine",
                      {{"path", path}, {"theirs", header.machine.cpu_model}, {"ours", machine.cpu_model}});
  }
  return {};
}

core::Result<Parsed> recorded_line(const document::Header& header,
                                   const std::string& path,
                                   std::span<const Command> commands) {
  auto recorded = parse(header.arguments, commands);
  if (!recorded || recorded->command == nullptr) {
    return make_error(
        ExitCode::unreadable, "cli.resume_arguments", {{"path", path}, {"command", header.command}});
  }
  return recorded;
}

}  // namespace

std::string document_path(const std::string& run) {
  constexpr std::string_view kJournal = ".journal";
  std::error_code ignored;
  if (std::filesystem::is_directory(run, ignored)) {
    return (std::filesystem::path(run) / "run.json").string();
  }
  const bool journal = run.size() > kJournal.size() &&
                       run.compare(run.size() - kJournal.size(), kJournal.size(), kJournal) == 0;
  return journal ? run.substr(0, run.size() - kJournal.size()) : run;
}

core::Result<const Command*> recorded_command(const std::string& run, std::span<const Command> commands) {
  const std::string path = document_path(run);
  const auto document = document::read_unfinished(path);
  if (!document) {
    return document.error();
  }
  const auto recorded = recorded_line(document->header, path, commands);
  if (!recorded) {
    return recorded.error();
  }
  return recorded->command;
}

core::Result<Resumed> load_resumed(const Parsed& parsed,
                                   std::span<const Command> commands,
                                   const core::Machine& machine) {
  if (auto status = check_flags(parsed); !status) {
    return status.error();
  }
  const std::string path = document_path(*parsed.get("resume"));
  auto document = document::read_unfinished(path);
  if (!document) {
    return document.error();
  }
  if (auto status = check_same_conditions(document->header, path, machine); !status) {
    return status.error();
  }
  auto recorded = recorded_line(document->header, path, commands);
  if (!recorded) {
    return recorded.error();
  }
  if (parsed.command != nullptr && parsed.command != recorded->command) {
    return make_error(ExitCode::usage,
                      "cli.resume_other_command",
                      {{"path", path},
                       {"recorded", std::string(recorded->command->name)},
                       {"given", std::string(parsed.command->name)}});
  }
  Resumed resumed{path, std::move(*document), std::move(*recorded)};
  for (const auto& [name, value] : parsed.values) {
    if (name != "resume") {
      resumed.parsed.values[name] = value;
    }
  }
  return resumed;
}

}  // namespace jissoku::cli
