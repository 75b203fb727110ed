#include "jissoku/numerics/statistics.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

namespace jissoku::numerics {

namespace {

// Half width = multiplier(n) / sqrt(n) * scale * inflation(lag-1 autocorrelation). The multipliers
// are calibrated so that the worst of the calibration's noise models (AR(1) with rho up to 0.8,
// outliers, skew) is covered in 93 % of series; tests/property/numerics/statistics_coverage_test.cpp
// derives them again and says by how much an entry is off.
struct Calibration {
  int rounds;
  double multiplier;
};
constexpr std::array<Calibration, 14> kCalibration = {{
    {5, 1.280},
    {6, 1.119},
    {7, 1.570},
    {8, 1.700},
    {10, 1.923},
    {12, 2.114},
    {15, 2.253},
    {20, 2.335},
    {25, 2.356},
    {30, 2.392},
    {40, 2.363},
    {50, 2.374},
    {60, 2.398},
    {120, 2.357},
}};

// Linear in 1/n between the calibrated counts; beyond the last one its value, which is safe because
// the autocorrelation is then known better, not worse.
double multiplier(std::size_t rounds) {
  const double n = static_cast<double>(rounds);
  for (std::size_t i = 1; i < kCalibration.size(); ++i) {
    const auto& [upper, upper_value] = kCalibration[i];
    const auto& [lower, lower_value] = kCalibration[i - 1];
    if (n <= upper) {
      const double weight = (1.0 / lower - 1.0 / n) / (1.0 / lower - 1.0 / upper);
      return lower_value + weight * (upper_value - lower_value);
    }
  }
  return kCalibration.back().multiplier;
}

// How much wider the interval gets for autocorrelated rounds. The lag-1 estimate of a short series
// is biased towards -1/n and uncertain, so it is corrected upwards, and the shorter the series the
// steeper the response: the exponent tends to the textbook 1/2 for long ones.
double inflation(double autocorrelation, std::size_t rounds) {
  constexpr double kLargest = 0.7;  // beyond this the estimate says "high", no longer how high
  constexpr double kBias = 4.0;
  const double n = static_cast<double>(rounds);
  const double corrected = std::clamp((autocorrelation * n + kBias) / (n - kBias), 0.0, kLargest);
  return std::pow((1 + corrected) / (1 - corrected), 0.55 + 5.5 / n);
}

struct Spread {
  double scale = 0;
  double autocorrelation = 0;
};

// Standard deviation and lag-1 autocorrelation of the values within three (robust) standard
// deviations of the median. Excluded values count as missing, not as clipped: clipped ones would
// pull the autocorrelation towards 0. The factor count/kept pays for the lost information.
Spread robust_spread(std::span<const double> values, double center) {
  const std::size_t count = values.size();
  const double n = static_cast<double>(count);
  std::vector<double> deviations(count);
  std::transform(values.begin(), values.end(), deviations.begin(), [center](double value) {
    return std::abs(value - center);
  });
  double typical = median(deviations);
  if (typical == 0) {  // more than half are equal (a coarse clock): the smallest step stands in
    for (const double deviation : deviations) {
      if (deviation > 0 && (typical == 0 || deviation < typical)) {
        typical = deviation;
      }
    }
  }
  constexpr double kDeviationsPerMad = 1.4826;
  const double limit = 3 * kDeviationsPerMad * typical * (1 + 2 / n);
  double kept = 0;
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (deviations[i] <= limit) {
      kept += 1;
      sum += values[i];
    }
  }
  const double mean = sum / kept;
  double squares = 0;
  double products = 0;
  double pairs = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (deviations[i] > limit) {
      continue;
    }
    squares += (values[i] - mean) * (values[i] - mean);
    if (i > 0 && deviations[i - 1] <= limit) {
      products += (values[i] - mean) * (values[i - 1] - mean);
      pairs += 1;
    }
  }
  if (squares <= 0) {
    return {};
  }
  Spread spread;
  spread.scale = std::sqrt(squares / (kept - 1)) * n / kept;
  if (pairs > 0) {
    spread.autocorrelation = products / pairs * (n - 1) / n / (squares / kept);
  }
  return spread;
}

double half_width(std::span<const double> values, double center) {
  if (values.size() < static_cast<std::size_t>(kMinRounds)) {
    return std::numeric_limits<double>::infinity();
  }
  const Spread spread = robust_spread(values, center);
  return multiplier(values.size()) / std::sqrt(static_cast<double>(values.size())) * spread.scale *
         inflation(spread.autocorrelation, values.size());
}

Estimate from_logarithms(std::span<const double> logarithms, double value, double widening = 1) {
  const double half = widening * half_width(logarithms, median(logarithms));
  Estimate estimate;
  estimate.value = value;
  estimate.interval = {value * std::exp(-half), value * std::exp(half)};
  estimate.rounds = static_cast<int>(logarithms.size());
  return estimate;
}

std::vector<double> log_ratios(std::span<const double> base_rounds, std::span<const double> subject_rounds) {
  assert(base_rounds.size() == subject_rounds.size());
  std::vector<double> logarithms(base_rounds.size());
  std::transform(base_rounds.begin(),
                 base_rounds.end(),
                 subject_rounds.begin(),
                 logarithms.begin(),
                 [](double base, double subject) {
                   assert(base > 0 && subject > 0);
                   return std::log(base / subject);
                 });
  return logarithms;
}

}  // namespace

double Estimate::relative_half_width() const {
  return (interval.high - interval.low) / 2 / value;
}

double quantile(std::span<const double> values, double q) {
  assert(!values.empty() && q >= 0 && q <= 1);
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = position - static_cast<double>(below);
  return weight == 0 ? sorted[below] : sorted[below] + weight * (sorted[above] - sorted[below]);
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

Estimate estimate_median(std::span<const double> round_medians) {
  std::vector<double> logarithms(round_medians.size());
  std::transform(round_medians.begin(), round_medians.end(), logarithms.begin(), [](double value) {
    assert(value > 0);
    return std::log(value);
  });
  return from_logarithms(logarithms, median(round_medians));
}

Estimate estimate_ratio(std::span<const double> base_rounds, std::span<const double> subject_rounds) {
  const std::vector<double> logarithms = log_ratios(base_rounds, subject_rounds);
  return from_logarithms(logarithms, std::exp(median(logarithms)));
}

Estimate estimate_ratio_to_probe(std::span<const double> probe_rounds,
                                 std::span<const double> subject_rounds) {
  constexpr double kWidening = 1.2;  // by tests/property/measure/stopping_rule_coverage_test.cpp
  const std::vector<double> logarithms = log_ratios(probe_rounds, subject_rounds);
  return from_logarithms(logarithms, std::exp(median(logarithms)), kWidening);
}

}  // namespace jissoku::numerics
