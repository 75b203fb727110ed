#include "jissoku/cli/measurement.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <unistd.h>
#include <utility>

#include "jissoku/cli/help.hpp"
#include "jissoku/cli/progress.hpp"
#include "jissoku/cli/registration.hpp"
#include "jissoku/cli/results.hpp"
#include "jissoku/cli/resume.hpp"
#include "jissoku/cli/signals.hpp"
#include "jissoku/cli/version.hpp"
#include "jissoku/document/journal.hpp"
#include "jissoku/document/serialise.hpp"
#include "jissoku/experiments/inventory.hpp"
#include "jissoku/report/describe.hpp"
#include "jissoku/report/layout.hpp"

namespace jissoku::cli {
namespace {

using core::ExitCode;
using core::message;
using core::Result;
using core::Status;
using document::Journal;

document::Header make_header(const Parsed& parsed,
                             std::int64_t seed,
                             const core::Machine& machine,
                             const device::Registry& registry) {
  document::Header header;
  header.tool_version = version();
  header.arguments = recorded_arguments(parsed);
  header.command = "jissoku " + shell_line(header.arguments);
  header.seed = seed;
  header.started_at = document::utc_now();
  header.machine = machine;
  experiments::take_inventory(registry, header);
  return header;
}

/// Where the document goes: --out, the command's own folder, or nowhere.
std::string new_document_path(const Invocation& invocation) {
  const std::string folder =
      invocation.output.folder.value_or(std::string(invocation.parsed.command->default_document));
  return folder.empty() ? "" : (std::filesystem::path(folder) / "run.json").string();
}

struct Target {
  std::string path;  ///< empty: in memory
  std::unique_ptr<Journal> journal;
};

Result<Target> open_target(const Invocation& invocation,
                           std::optional<Resumed> resumed,
                           document::Header header) {
  Target target;
  target.path = resumed ? resumed->path : new_document_path(invocation);
  if (target.path.empty()) {
    target.journal = Journal::in_memory(std::move(header));
    return target;
  }
  auto journal = resumed ? Journal::resume(target.path, std::move(resumed->document))
                         : Journal::create(target.path, std::move(header));
  if (!journal) {
    return journal.error();
  }
  target.journal = std::move(*journal);
  return target;
}

/// Puts the document into place: whole after a full run; after an interrupted one as far as it
/// came, beside the journal that --resume continues.
Status save(const Target& target, bool interrupted) {
  if (target.path.empty()) {
    return interrupted ? Status() : target.journal->finish();
  }
  if (auto healthy = target.journal->health(); !healthy) {
    return healthy;
  }
  return interrupted ? write_file(target.path, document::to_json(target.journal->document()))
                     : target.journal->finish();
}

/// The inventory alone is no result.
bool has_measured_row(const document::Document& document) {
  return std::any_of(document.rows.begin(), document.rows.end(), [](const document::Row& row) {
    return row.experiment != "devices";
  });
}

/// Why no case of the plan could be measured: the first one's reason, which speaks for all. nullopt where
/// one was measured, or where there is no plan.
std::optional<core::Message> why_nothing_ran(const document::Document& document) {
  const bool any_ran = std::any_of(
      document.plan.begin(), document.plan.end(), [](const auto& planned) { return planned.run; });
  return document.plan.empty() || any_ran ? std::nullopt : std::optional(document.plan.front().reason);
}

/// A run that found nothing leaves no file behind.
void discard(const Target& target) {
  if (!target.path.empty()) {
    std::error_code ignored;
    std::filesystem::remove(target.path + ".journal", ignored);
  }
}

Result<ExitCode> describe(const Invocation& invocation, const Job& job, const MeasureOptions& options) {
  const std::string command(invocation.parsed.command->name);
  const auto text = [&](const core::Message& what) { return invocation.catalogue.render(what); };
  std::string out;
  const auto add = [&](const std::string& sentence, std::size_t indent) {
    for (const std::string& line :
         report::wrap(sentence, invocation.out_terminal.width - static_cast<int>(indent))) {
      out += std::string(indent, ' ') + line + "\n";
    }
  };
  add(text(message("cli.about." + command)), 0);
  if (!job.cases.empty()) {
    out += "\n";
    add(text(message("cli.describe_budget", {{"budget", static_cast<double>(options.budget_ns)}})), 0);
    for (const core::Message& one : job.cases) {
      add(text(one), 2);
    }
    if (job.explains_products) {
      out += "\n" + report::describe_columns(invocation.catalogue, invocation.out_terminal.width);
    }
  }
  if (auto written = invocation.out.write(out); !written) {
    return written.error();
  }
  return ExitCode::ok;
}

/// Said from a signal handler, over the progress line that stands there.
std::string stopping_notice(const Invocation& invocation) {
  const bool over_progress = invocation.err_terminal.can_overwrite && !invocation.output.quiet;
  return (over_progress ? "\r\x1b[K" : "") + invocation.messages.text(message("cli.stopping"));
}

struct Surroundings {
  const device::Registry* registry;
  const core::Machine* machine;
  const core::StopFlag* stop;
};

Status run_experiment(const Invocation& invocation,
                      const Job& job,
                      const Surroundings& surroundings,
                      const Target& target) {
  ProgressLine progress(
      invocation.catalogue, invocation.err_terminal, invocation.output.quiet, [](const std::string& text) {
        const auto written = ::write(STDERR_FILENO, text.data(), text.size());
        static_cast<void>(written);
      });
  jissoku::measure::SystemClock clock;
  experiments::Context context;
  context.registry = surroundings.registry;
  context.machine = surroundings.machine;
  context.clock = &clock;
  context.sink = target.journal.get();
  context.stop = surroundings.stop;
  context.on_progress = [&](const experiments::ProgressEvent& event) {
    progress.update(event, clock.now_ns());
  };
  return job.run(context);
}

Result<ExitCode> conclude(
    Invocation& invocation, const Job& job, const Target& target, const Status& status, bool interrupted) {
  const document::Document& found = target.journal->document();
  Status outcome = status;
  if (outcome && !interrupted && invocation.parsed.has("filter") && !has_measured_row(found)) {
    outcome = core::make_error(
        ExitCode::usage, "cli.filter_matches_nothing", {{"text", *invocation.parsed.get("filter")}});
  }
  if (!outcome && !has_measured_row(found)) {
    discard(target);
    return outcome.error();
  }
  const Status saved = save(target, interrupted || !outcome);
  const Status written = write_results(invocation, found, saved ? target.path : "");
  const Status more = job.write_more ? job.write_more(found) : Status();
  for (const Status& part : {outcome, saved, written, more}) {
    if (!part) {
      return part.error();
    }
  }
  if (auto reason = why_nothing_ran(found); reason && !interrupted && !has_measured_row(found)) {
    return core::make_error(
        ExitCode::usage, "cli.nothing_fits", {{"reason", std::vector<core::Message>{*reason}}});
  }
  if (interrupted) {
    if (!invocation.output.quiet) {
      invocation.messages.line(target.path.empty()
                                   ? message("cli.interrupted")
                                   : message("cli.interrupted_saved", {{"path", target.path}}));
    }
    return ExitCode::interrupted;
  }
  return exit_code_of(found);
}

}  // namespace

std::vector<core::Message> describe_cases(const experiments::matmul::Params& params) {
  std::string devices;
  for (const device::Selection& selection : params.devices) {
    devices += (devices.empty() ? "" : ", ") + selection.id;
    devices += selection.variant.empty() ? "" : ":" + selection.variant;
  }
  std::vector<core::Message> cases;
  for (const auto& [shape, type, data] : params.problems) {
    cases.push_back(message("cli.describe_matmul",
                            {{"m", shape.m},
                             {"n", shape.n},
                             {"k", shape.k},
                             {"type", std::string(numerics::display_name(type))},
                             {"data", std::string(numerics::to_string(data))},
                             {"seed", params.seed},
                             {"devices", devices}}));
  }
  return cases;
}

Result<ExitCode> measure(Invocation& invocation, const Prepare& prepare) {
  const core::Machine machine = core::probe_machine();
  const device::Registry registry = make_registry();
  std::optional<Resumed> resumed;
  if (invocation.parsed.has("resume")) {
    auto loaded = load_resumed(invocation.parsed, invocation.commands, machine);
    if (!loaded) {
      return loaded.error();
    }
    invocation.parsed = loaded->parsed;
    resumed = std::move(*loaded);
  }
  const auto options = measure_options(invocation.parsed, registry, machine);
  if (!options) {
    return options.error();
  }
  const auto job = prepare(invocation.parsed, *options);
  if (!job) {
    return job.error();
  }
  if (invocation.parsed.has("describe")) {
    return describe(invocation, *job, *options);
  }
  if (auto writable = check_outputs(invocation); !writable) {
    return writable.error();
  }
  if (resumed && resumed->document.complete) {
    if (!invocation.output.quiet) {
      invocation.messages.line(message("cli.resume_complete", {{"path", resumed->path}}));
    }
    if (auto written = write_results(invocation, resumed->document, resumed->path); !written) {
      return written.error();
    }
    return exit_code_of(resumed->document);
  }
  const InterruptGuard guard(stopping_notice(invocation));
  auto target = open_target(
      invocation, std::move(resumed), make_header(invocation.parsed, options->seed, machine, registry));
  if (!target) {
    return target.error();
  }
  const Status status = run_experiment(invocation, *job, {&registry, &machine, &guard.flag()}, *target);
  return conclude(invocation, *job, *target, status, guard.flag().requested());
}

}  // namespace jissoku::cli
