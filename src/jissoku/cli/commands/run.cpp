// `jissoku run`: every experiment of this version in a bounded form, into one document.
#include <utility>

#include "jissoku/cli/commands/commands.hpp"
#include "jissoku/cli/measurement.hpp"
#include "jissoku/experiments/devices/devices.hpp"
#include "jissoku/experiments/matmul/matmul.hpp"

namespace jissoku::cli {
namespace {

/// FP32 at a size that fits the caches of most CPUs and one that does not; FP64 once.
experiments::matmul::Params matmul_part(const MeasureOptions& options) {
  using numerics::DataType;
  experiments::matmul::Params params;
  params.problems = {{{1024, 1024, 1024}, DataType::f32},
                     {{4096, 4096, 4096}, DataType::f32},
                     {{1024, 1024, 1024}, DataType::f64}};
  params.devices = options.devices;
  params.seed = options.seed;
  params.threads = options.threads;
  params.budget_ns = options.budget_ns;
  params.selected = options.selected;
  return params;
}

}  // namespace

core::Result<core::ExitCode> run_everything(Invocation& invocation) {
  return measure(invocation, [](const Parsed&, const MeasureOptions& options) -> core::Result<Job> {
    const experiments::matmul::Params matmul = matmul_part(options);
    Job job;
    job.run = [options, matmul](const experiments::Context& context) -> core::Status {
      if (auto status = experiments::devices::run(context, {options.threads}); !status) {
        return status;
      }
      return experiments::matmul::run(context, matmul);
    };
    job.cases = describe_cases(matmul);
    return job;
  });
}

}  // namespace jissoku::cli
