#include <algorithm>
#include <chrono>

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

Result<Studied> study(const std::vector<std::string>& paths, const DiagnoseOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  auto timelines = timeline::importers::import_all(paths);
  if (!timelines) {
    return timelines.error();
  }
  Studied out;
  out.timelines = std::move(*timelines);
  for (const Timeline& trace : out.timelines) {
    auto diagnosis = timeline::diagnosis::diagnose(trace, part_of(options, trace));
    if (!diagnosis) {
      return diagnosis.error();
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

core::Status export_trace(const std::string& path, const Timeline& trace) {
  std::string text;
  timeline::export_chrome(trace, [&text](std::string_view piece) {
    text += piece;
    return true;
  });
  return write_file(path, text);
}

ExitCode judge(const DiagnoseOptions& options, const Studied& studied) {
  if (options.fail_on.empty()) {
    return ExitCode::ok;
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
  if (json) {
    const std::string text = report::diagnosis_json(studied.all(), invocation.catalogue);
    if (auto written = *json == "-" ? invocation.out.write(text) : write_file(*json, text); !written) {
      return written;
    }
  }
  if (options.export_to) {
    if (auto written = export_trace(*options.export_to, studied.timelines.front()); !written) {
      return written;
    }
  }
  if (json == "-") {
    return {};
  }
  if (options.compare) {
    const auto other = study({*options.compare}, options);
    if (!other) {
      return other.error();
    }
    return write_page(invocation, report::comparison_page(studied.at(0), other->at(0), invocation.catalogue));
  }
  auto page = pages(options, studied, invocation.catalogue);
  if (!page) {
    return page.error();
  }
  return write_page(invocation, std::move(*page));
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
  const auto studied = study(options->paths, *options);
  if (!studied) {
    return studied.error();
  }
  if (auto written = write_all(invocation, *options, *studied); !written) {
    return written.error();
  }
  if (options->explain) {
    if (auto written = write_page(invocation, report::thresholds_page(invocation.catalogue)); !written) {
      return written.error();
    }
  }
  return judge(*options, *studied);
}

}  // namespace jissoku::cli
