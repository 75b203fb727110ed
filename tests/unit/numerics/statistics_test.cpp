#include "jissoku/numerics/statistics.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace jissoku::numerics {
namespace {

const std::vector<double> kTimes = {100, 103, 99, 101, 100, 104, 98, 102, 100, 101, 99, 103};

TEST(Statistics, MedianByHand) {
  EXPECT_EQ(median(std::vector<double>{7}), 7);
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 1, 3, 2}), 2.5);
}

TEST(Statistics, QuantilesAreThoseOfType7) {
  // R: quantile(c(1, 2, 4, 8, 16), c(0, .1, .25, .5, .9, 1)).
  const std::vector<double> values = {16, 1, 8, 2, 4};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 0.1), 1.4);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 2);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 4);
  EXPECT_DOUBLE_EQ(quantile(values, 0.9), 12.8);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 16);
}

TEST(Statistics, TooFewRoundsHaveNoInterval) {
  const Estimate estimate = estimate_median(std::vector<double>{100, 101, 99, 100});
  EXPECT_EQ(estimate.value, 100);
  EXPECT_EQ(estimate.rounds, 4);
  EXPECT_EQ(estimate.interval.low, 0);
  EXPECT_TRUE(std::isinf(estimate.interval.high));
  EXPECT_TRUE(std::isinf(estimate.relative_half_width()));
  EXPECT_TRUE(std::isfinite(estimate_median(std::vector<double>{100, 101, 99, 100, 100}).interval.high));
}

TEST(Statistics, EqualRoundsHaveAnIntervalOfNoWidth) {
  const Estimate estimate = estimate_median(std::vector<double>(20, 42.0));
  EXPECT_EQ(estimate.interval.low, 42);
  EXPECT_EQ(estimate.interval.high, 42);
}

TEST(Statistics, ACoarseClockStillShowsItsScatter) {
  std::vector<double> times(20, 100.0);
  times[3] = times[9] = 101;
  times[12] = 99;
  EXPECT_GT(estimate_median(times).relative_half_width(), 0.0005);
}

TEST(Statistics, TheIntervalOfARateIsTheReciprocalOfThatOfItsTime) {
  std::vector<double> rates = kTimes;
  for (double& rate : rates) {
    rate = 1 / rate;
  }
  const Estimate time = estimate_median(std::span(kTimes).first(11));
  const Estimate rate = estimate_median(std::span(rates).first(11));
  EXPECT_DOUBLE_EQ(rate.value, 1 / time.value);
  EXPECT_NEAR(rate.interval.low, 1 / time.interval.high, 1e-15);
  EXPECT_NEAR(rate.interval.high, 1 / time.interval.low, 1e-15);
}

TEST(Statistics, UnitsDoNotMatter) {
  std::vector<double> seconds = kTimes;
  for (double& time : seconds) {
    time *= 1e-9;
  }
  EXPECT_NEAR(
      estimate_median(seconds).relative_half_width(), estimate_median(kTimes).relative_half_width(), 1e-12);
}

TEST(Statistics, HalfWidthIsOverTheValue) {
  const Estimate estimate{50, {49, 52}, 10};
  EXPECT_DOUBLE_EQ(estimate.relative_half_width(), 0.03);
}

TEST(Statistics, AnOutlierHardlyWidensTheInterval) {
  std::vector<double> with_outlier = kTimes;
  with_outlier[5] = 1040;
  EXPECT_LT(estimate_median(with_outlier).relative_half_width(),
            1.5 * estimate_median(kTimes).relative_half_width());
}

TEST(Statistics, CorrelatedRoundsHaveAWiderInterval) {
  std::vector<double> mixed, slow_then_fast;
  for (int i = 0; i < 40; ++i) {
    mixed.push_back(i % 2 == 0 ? 100 : 102);
    slow_then_fast.push_back(i < 20 ? 100 : 102);
  }
  EXPECT_GT(estimate_median(slow_then_fast).relative_half_width(),
            2 * estimate_median(mixed).relative_half_width());
}

TEST(Statistics, ARatioIsTakenRoundByRound) {
  // The machine's phases are common to both and cancel.
  std::vector<double> base, subject;
  for (std::size_t i = 0; i < kTimes.size(); ++i) {
    const double phase = i < 6 ? 1 : 1.7;
    base.push_back(150 * phase);
    subject.push_back(100 * phase);
  }
  const Estimate ratio = estimate_ratio(base, subject);
  EXPECT_DOUBLE_EQ(ratio.value, 1.5);
  EXPECT_NEAR(ratio.interval.low, 1.5, 1e-9);
  EXPECT_NEAR(ratio.interval.high, 1.5, 1e-9);
  EXPECT_EQ(ratio.rounds, 12);
}

TEST(Statistics, TheInverseRatioHasTheInverseInterval) {
  std::vector<double> reversed(kTimes.rbegin(), kTimes.rend());
  const Estimate forth = estimate_ratio(kTimes, reversed);
  const Estimate back = estimate_ratio(reversed, kTimes);
  EXPECT_NEAR(forth.value * back.value, 1, 1e-12);
  EXPECT_NEAR(forth.interval.low * back.interval.high, 1, 1e-12);
}

}  // namespace
}  // namespace jissoku::numerics
