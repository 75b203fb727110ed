#include "jissoku/experiments/devices/devices.hpp"

#include "jissoku/cli/commands/commands.hpp"
#include "jissoku/cli/measurement.hpp"

namespace jissoku::cli {

core::Result<core::ExitCode> run_devices(Invocation& invocation) {
  return measure(invocation, [](const Parsed&, const MeasureOptions& options) -> core::Result<Job> {
    const experiments::devices::Params params{options.threads};
    return Job{
        [params](const experiments::Context& context) { return experiments::devices::run(context, params); }};
  });
}

}  // namespace jissoku::cli
