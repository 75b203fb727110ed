// `jissoku run`: every experiment of this version in a bounded form, into one document.
#include <utility>

#include "jissoku/cli/commands/commands.hpp"
#include "jissoku/cli/measurement.hpp"
#include "jissoku/experiments/devices/devices.hpp"
#include "jissoku/experiments/matmul/matmul.hpp"

namespace jissoku::cli {
namespace {

using experiments::matmul::Params;

struct Part {
  numerics::DataType type;
  std::vector<core::Shape> shapes;
  double share;  ///< of the command's budget
};

/// FP32 at a size that fits the caches of most CPUs and one that does not; FP64 once.
std::vector<Part> parts() {
  constexpr core::Shape kSmall{1024, 1024, 1024};
  constexpr core::Shape kLarge{4096, 4096, 4096};
  return {{numerics::DataType::f32, {kSmall, kLarge}, 0.75}, {numerics::DataType::f64, {kSmall}, 0.25}};
}

Params params_of(const Part& part, const MeasureOptions& options) {
  Params params;
  params.shapes = part.shapes;
  params.types = {part.type};
  params.devices = options.devices;
  params.seed = options.seed;
  params.threads = options.threads;
  params.budget_ns = static_cast<std::int64_t>(static_cast<double>(options.budget_ns) * part.share);
  params.selected = options.selected;
  return params;
}

core::Status run_parts(const experiments::Context& context, const MeasureOptions& options) {
  if (auto status = experiments::devices::run(context, {options.threads}); !status) {
    return status;
  }
  double done = 0;
  for (const Part& part : parts()) {
    if (context.stop->requested()) {
      break;
    }
    experiments::Context inner = context;
    const double later_ns = (1 - done - part.share) * static_cast<double>(options.budget_ns);
    inner.on_progress = [&](const experiments::ProgressEvent& event) {
      context.on_progress({event.what, done + part.share * event.done_share, event.remaining_ns + later_ns});
    };
    if (auto status = experiments::matmul::run(inner, params_of(part, options)); !status) {
      return status;
    }
    done += part.share;
  }
  return {};
}

}  // namespace

core::Result<core::ExitCode> run_everything(Invocation& invocation) {
  return measure(invocation, [](const Parsed&, const MeasureOptions& options) -> core::Result<Job> {
    Job job;
    job.run = [options](const experiments::Context& context) { return run_parts(context, options); };
    for (const Part& part : parts()) {
      const auto cases = describe_cases(params_of(part, options));
      job.cases.insert(job.cases.end(), cases.begin(), cases.end());
    }
    return job;
  });
}

}  // namespace jissoku::cli
