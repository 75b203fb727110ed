#include "jissoku/measure/stopping_rule.hpp"

namespace jissoku::measure {

bool is_check(int rounds) {
  return rounds == 12 || rounds == 20 || rounds == 30 || rounds == 40 || (rounds > 40 && rounds % 20 == 0);
}

std::vector<double> times_over_probe(const Measurement& measurement) {
  std::vector<double> ratios = round_times_ns(measurement);
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const double probe_ns = measurement.rounds[i].probe_ns;
    if (probe_ns <= 0) {
      return {};
    }
    ratios[i] /= probe_ns;
  }
  return ratios;
}

bool reached_target(const Measurement& measurement, double target_relative_half_width) {
  if (measurement.rounds.empty()) {
    return false;
  }
  const auto within = [&](const std::vector<double>& values) {
    return !values.empty() &&
           numerics::estimate_median(values).relative_half_width() <= target_relative_half_width;
  };
  return within(round_times_ns(measurement)) || within(times_over_probe(measurement));
}

}  // namespace jissoku::measure
