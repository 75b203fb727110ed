#include "jissoku/experiments/matmul/matmul.hpp"

#include <utility>

#include "jissoku/cli/commands/commands.hpp"
#include "jissoku/cli/measurement.hpp"

namespace jissoku::cli {

core::Result<core::ExitCode> run_matmul(Invocation& invocation) {
  return measure(invocation, [](const Parsed& parsed, const MeasureOptions& options) -> core::Result<Job> {
    auto params = matmul_params(parsed, options);
    if (!params) {
      return params.error();
    }
    auto cases = describe_cases(*params);
    return Job{[params = std::move(*params)](const experiments::Context& context) {
                 return experiments::matmul::run(context, params);
               },
               std::move(cases)};
  });
}

}  // namespace jissoku::cli
