#include <algorithm>
#include <chrono>
#include <filesystem>

#include "jissoku/cli/commands/commands.hpp"
#include "jissoku/cli/diagnose_options.hpp"
#include "jissoku/cli/results.hpp"
#include "jissoku/report/diagnosis_json.hpp"
#include "jissoku/report/diagnosis_tables.hpp"
#include "jissoku/report/diagnosis_view.hpp"
#include "jissoku/report/text.hpp"
#include "jissoku/timeline/export.hpp"
#include "jissoku/timeline/importers/import.hpp"

namespace jissoku::cli {
namespace {

using core::ExitCode;
using core::Result;
using report::Diagnosed;
using timeline::Timeline;
using timeline::diagnosis::Diagnosis;
using timeline::diagnosis::Verdict;

/// Traces and what was found in them; Diagnosed points into it.
struct Studied {
  std::vector<Timeline> timelines;
  std::vector<Diagnosis> diagnoses;
  std::int64_t read_ns = 0;

  Diagnosed at(std::size_t index) const { return {&timelines[index], &diagnoses[index], read_ns}; }
  std::vector<Diagnosed> all() const {
    std::vector<Diagnosed> out;
    for (std::size_t index = 0; index < timelines.size(); ++index) {
      out.push_back(at(index));
    }
    return out;
  }
};

timeline::diagnosis::Part part_of(const DiagnoseOptions& options, const Timeline& trace) {
  timeline::diagnosis::Part part;
  part.step = options.step;
  part.device = options.gpu;
  if (options.from_ms) {
    std::optional<std::int64_t> origin;
    for (const auto& activity : timeline::analysis::device_activities(trace, std::nullopt)) {
      origin = std::min(origin.value_or(activity.window.begin_ns), activity.window.begin_ns);
    }
    const auto at = [&origin](double ms) {
      constexpr double kMostMs = 1e12;
      return origin.value_or(0) + static_cast<std::int64_t>(std::clamp(ms, -kMostMs, kMostMs) * 1e6);
    };
    part.range = timeline::analysis::Interval{at(*options.from_ms), at(*options.to_ms)};
  }
  return part;
}

/// A part without GPU work is a mistake in the flags where the trace has some.
core::Status check_part(const Timeline& trace, const timeline::diagnosis::Part& part, bool found) {
  if (!part.step && !part.range) {
    return {};
  }
  if (found && (!part.range || !timeline::analysis::device_activities(trace, part.range).empty())) {
    return {};
  }
  std::optional<timeline::analysis::Interval> all;
  for (const auto& activity : timeline::analysis::device_activities(trace, std::nullopt)) {
    all = all.value_or(activity.window);
    all->begin_ns = std::min(all->begin_ns, activity.window.begin_ns);
    all->end_ns = std::max(all->end_ns, activity.window.end_ns);
  }
  if (!all) {
    return {};
  }
  const double last_ms = static_cast<double>(all->end_ns - all->begin_ns) / 1e6;
  return core::make_error(
      ExitCode::usage, "diagnose.no_work_there", {{"path", trace.path}, {"last", last_ms}});
}

Result<Studied> study(const std::vector<std::string>& paths, const DiagnoseOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  auto timelines = timeline::importers::import_all(paths);
  if (!timelines) {
    return timelines.error();
  }
  Studied out;
  out.timelines = std::move(*timelines);
  for (const Timeline& trace : out.timelines) {
    const auto part = part_of(options, trace);
    if (auto good = check_part(trace, part, true); !good) {
      return good.error();
    }
    auto diagnosis = timeline::diagnosis::diagnose(trace, part);
    if (!diagnosis) {
      return diagnosis.error();
    }
    if (auto good = check_part(trace, part, !diagnosis->devices.empty()); !good) {
      return good.error();
    }
    out.diagnoses.push_back(std::move(*diagnosis));
  }
  timeline::diagnosis::find_stragglers(out.timelines, out.diagnoses);
  out.read_ns = (std::chrono::steady_clock::now() - begin) / std::chrono::nanoseconds(1);
  return out;
}

/// Pages of all traces one below the other.
void append(report::Page& to, report::Page&& from) {
  for (report::Element& element : from) {
    to.push_back(std::move(element));
  }
}

Result<report::Page> pages(const DiagnoseOptions& options,
                           const Studied& studied,
                           const core::Catalogue& catalogue) {
  report::Page page;
  for (const Diagnosed& one : studied.all()) {
    if (studied.timelines.size() > 1) {
      page.push_back(report::Heading{catalogue.render(
          core::message("diagnose.rank", {{"path", one.timeline->path}, {"rank", one.timeline->rank}}))});
    }
    if (!options.table) {
      append(page, report::diagnosis_page(one, catalogue));
      continue;
    }
    auto table = report::diagnosis_table(one, *options.table, catalogue);
    if (!table) {
      return table.error();
    }
    append(page, std::move(*table));
  }
  return page;
}

/// Whether writing to `output` would replace `input`, or a file of the folder `input`.
bool replaces(const std::string& output, const std::string& input) {
  std::error_code ignored;
  if (std::filesystem::equivalent(output, input, ignored)) {
    return true;
  }
  const std::filesystem::path parent = std::filesystem::absolute(output, ignored).parent_path();
  return std::filesystem::exists(output, ignored) && std::filesystem::is_directory(input, ignored) &&
         std::filesystem::equivalent(parent, input, ignored);
}

/// Before anything is read: a trace may be hours of work, so no output may take its place.
core::Status check_files(const Invocation& invocation, const DiagnoseOptions& options) {
  std::vector<std::string> inputs = options.paths;
  if (options.compare) {
    inputs.push_back(*options.compare);
  }
  for (const auto& [flag, path] :
       {std::pair{"export", options.export_to}, std::pair{"json", invocation.output.json}}) {
    for (const std::string& input : inputs) {
      if (path && path != "-" && replaces(*path, input)) {
        return core::make_error(
            ExitCode::usage, "diagnose.would_replace", {{"flag", std::string(flag)}, {"path", *path}});
      }
    }
  }
  return options.export_to && options.export_to != "-" ? check_writable(*options.export_to) : core::Status();
}

/// --compare and --export are about one trace: others would be left out without a word.
core::Status check_one(const char* flag, bool given, const std::string& path, const Studied& studied) {
  if (!given || studied.timelines.size() == 1) {
    return {};
  }
  return core::make_error(ExitCode::usage,
                          "diagnose.one_trace",
                          {{"flag", std::string(flag)},
                           {"path", path},
                           {"count", static_cast<std::int64_t>(studied.timelines.size())}});
}

core::Status export_trace(Invocation& invocation, const std::string& path, const Timeline& trace) {
  std::string text;
  timeline::export_chrome(trace, [&text](std::string_view piece) {
    text += piece;
    return true;
  });
  return path == "-" ? invocation.out.write(text) : write_file(path, text);
}

ExitCode judge(const DiagnoseOptions& options, const Studied& studied) {
  if (options.fail_on.empty()) {
    const bool has_work =
        std::any_of(studied.diagnoses.begin(), studied.diagnoses.end(), [](const Diagnosis& diagnosis) {
          return diagnosis.verdict != Verdict::no_gpu_work;
        });
    return has_work ? ExitCode::ok : ExitCode::unreadable;  // the page says why there may be none
  }
  bool judged = true;
  for (const Diagnosis& diagnosis : studied.diagnoses) {
    judged = judged && diagnosis.verdict != Verdict::untrusted && diagnosis.verdict != Verdict::no_gpu_work;
    for (const auto& device : diagnosis.devices) {
      const bool failed =
          std::any_of(options.fail_on.begin(), options.fail_on.end(), [&device](const FailOn& condition) {
            if (!condition.cause) {
              return device.verdict != Verdict::untrusted &&
                     device.activity.idle_share() > condition.idle_share;
            }
            return std::any_of(
                device.findings.begin(), device.findings.end(), [&condition](const auto& finding) {
                  return finding.cause == *condition.cause;
                });
          });
      if (failed) {
        return ExitCode::check_failed;
      }
    }
  }
  return judged ? ExitCode::ok : ExitCode::abstained;
}

core::Status write_page(Invocation& invocation, report::Page page) {
  const Terminal& terminal = invocation.out_terminal;
  return invocation.out.write(report::render_page(
      std::move(page),
      {.width = terminal.width, .utf8 = terminal.utf8, .color = terminal.color, .saved_path = {}}));
}

/// Text, unless standard output carries the JSON.
core::Status write_all(Invocation& invocation, const DiagnoseOptions& options, const Studied& studied) {
  const auto& json = invocation.output.json;
  const std::string& first = options.paths.front();
  Studied other;
  if (options.compare) {
    auto read = study({*options.compare}, options);
    if (!read) {
      return read.error();
    }
    other = std::move(*read);
  }
  for (const core::Status& good : {check_one("compare", options.compare.has_value(), first, studied),
                                   check_one("export", options.export_to.has_value(), first, studied),
                                   check_one("compare",
                                             options.compare && other.timelines.size() != 1,
                                             options.compare.value_or(""),
                                             other)}) {
    if (!good) {
      return good;
    }
  }
  if (json) {
    const std::string text = report::diagnosis_json(studied.all(), other.all(), invocation.catalogue);
    if (auto written = *json == "-" ? invocation.out.write(text) : write_file(*json, text); !written) {
      return written;
    }
  }
  if (options.export_to) {
    if (auto written = export_trace(invocation, *options.export_to, studied.timelines.front()); !written) {
      return written;
    }
  }
  if (json == "-" || options.export_to == "-") {
    return {};
  }
  report::Page page;
  if (options.compare) {
    page = report::comparison_page(studied.at(0), other.at(0), invocation.catalogue);
  } else {
    auto made = pages(options, studied, invocation.catalogue);
    if (!made) {
      return made.error();
    }
    page = std::move(*made);
  }
  if (options.explain) {
    append(page, report::thresholds_page(invocation.catalogue));
  }
  return write_page(invocation, std::move(page));
}

}  // namespace

Result<ExitCode> run_diagnose(Invocation& invocation) {
  const auto options = diagnose_options(invocation.parsed);
  if (!options) {
    return options.error();
  }
  if (auto writable = check_outputs(invocation); !writable) {
    return writable.error();
  }
  if (options->explain && options->paths.empty()) {
    if (auto written = write_page(invocation, report::thresholds_page(invocation.catalogue)); !written) {
      return written.error();
    }
    return ExitCode::ok;
  }
  if (auto good = check_files(invocation, *options); !good) {
    return good.error();
  }
  const auto studied = study(options->paths, *options);
  if (!studied) {
    return studied.error();
  }
  if (auto written = write_all(invocation, *options, *studied); !written) {
    return written.error();
  }
  return judge(*options, *studied);
}

}  // namespace jissoku::cli
