#include <algorithm>
#include <cmath>

#include "jissoku/measure/sampler.hpp"

namespace jissoku::measure {

core::Result<NoiseFloor> measure_noise_floor(Subject& subject,
                                             const SamplerOptions& options,
                                             const SamplerContext& context) {
  SamplerOptions keep_both = options;
  keep_both.drop_ratio = 0;
  const std::vector<Measurement> both = measure_subjects({&subject, &subject}, keep_both, context);
  for (const Measurement& one : both) {
    if (one.end == SubjectEnd::failed) {
      return *one.error;
    }
    if (one.end == SubjectEnd::interrupted) {
      return core::make_error(core::ExitCode::interrupted, "measure.noise_floor_interrupted");
    }
  }
  const std::vector<double> first = round_times_ns(both[0]);
  const std::vector<double> second = round_times_ns(both[1]);
  const auto rounds = static_cast<int>(first.size());
  if (rounds < numerics::kMinRounds) {
    return core::make_error(core::ExitCode::unavailable,
                            "measure.noise_floor_budget",
                            {{"rounds", std::int64_t{rounds}},
                             {"least", std::int64_t{numerics::kMinRounds}},
                             {"budget", static_cast<double>(options.budget_ns)}});
  }
  const numerics::Interval interval = numerics::estimate_ratio(first, second).interval;
  return NoiseFloor{std::max(-std::log(interval.low), std::log(interval.high)), rounds};
}

}  // namespace jissoku::measure
