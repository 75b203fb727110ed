#include "jissoku/measure/stopping_rule.hpp"

namespace jissoku::measure {

bool is_check(int rounds) {
  return rounds == 12 || rounds == 20 || rounds == 30 || rounds == 40 || (rounds > 40 && rounds % 20 == 0);
}

std::optional<numerics::Estimate> share_of_probe(const Measurement& measurement) {
  const std::vector<double> times = round_times_ns(measurement);
  std::vector<double> probes;
  for (const Sample& sample : measurement.rounds) {
    if (sample.probe_ns <= 0) {
      return std::nullopt;
    }
    probes.push_back(sample.probe_ns);
  }
  return numerics::estimate_ratio_to_probe(probes, times);
}

bool reached_target(const Measurement& measurement, double target_relative_half_width) {
  if (measurement.rounds.empty()) {
    return false;
  }
  const auto within = [&](const numerics::Estimate& estimate) {
    return estimate.relative_half_width() <= target_relative_half_width;
  };
  const auto share = share_of_probe(measurement);
  return within(numerics::estimate_median(round_times_ns(measurement))) || (share && within(*share));
}

}  // namespace jissoku::measure
