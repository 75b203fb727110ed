// Statistics of timings: medians, and 95 % intervals that hold for autocorrelated and drifting
// series. The intervals' coverage is itself tested (tests/property/numerics/statistics_coverage_test.cpp)
// and stated in docs/statistics.md.
#pragma once

#include <span>
#include <vector>

namespace jissoku::numerics {

struct Interval {
  double low = 0;
  double high = 0;
};

struct Estimate {
  double value = 0;   ///< the point estimate
  Interval interval;  ///< nominal 95 %; 0 to infinity where there are fewer than kMinRounds rounds
  int rounds = 0;     ///< how many rounds it rests on
  /// Half the interval's width over the value.
  double relative_half_width() const;
};

/// Precondition: not empty. The mean of the two middle values for an even count.
double median(std::span<const double> values);
/// Linear interpolation between order statistics (Hyndman-Fan type 7); 0 <= q <= 1.
double quantile(std::span<const double> values, double q);

/// Median of the round medians with its 95 % interval.
/// `rounds`: one median per round, in time order, positive, not empty. The interval is formed on
/// logarithms, so that the one of a rate is exactly the reciprocal of the one of its time.
Estimate estimate_median(std::span<const double> round_medians);

/// Ratio base/subject of paired rounds ("speed-up of subject against base" when both are times):
/// exp of the median of per-round log ratios with its 95 % interval. Both spans have one value per
/// round of the same rounds, in time order, positive.
Estimate estimate_ratio(std::span<const double> base_rounds, std::span<const double> subject_rounds);

/// estimate_ratio of a subject's times to those of a probe that ran beside it, with a half width 20 % larger:
/// the probe's own noise, which is independent from round to round, hides how long the subject's lasts.
Estimate estimate_ratio_to_probe(std::span<const double> probe_rounds,
                                 std::span<const double> subject_rounds);

/// Fewest rounds for which an interval is printed.
inline constexpr int kMinRounds = 5;

}  // namespace jissoku::numerics
