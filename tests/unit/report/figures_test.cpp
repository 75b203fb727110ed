#include "jissoku/report/figures.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jissoku::report {
namespace {

using numerics::Estimate;
using ::testing::ElementsAre;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// An estimate with that relative half width.
Estimate estimate(double value, double half_width) {
  return {value, {value * (1 - half_width), value * (1 + half_width)}, 10};
}

TEST(FormatTimes, KeepOneUnitAndAlignDecimalPoints) {
  EXPECT_THAT(format_times({estimate(9.71e6, 0.008), estimate(1.042e9, 0.009), std::nullopt}),
              ElementsAre("9.71 ms", "1042    ms", ""));
}

TEST(FormatTimes, TakeOwnUnitsWhereOneWouldBeUnreadable) {
  EXPECT_THAT(format_times({estimate(500, 0.008), estimate(2e9, 0.009)}), ElementsAre("500    ns", "2.00 s"));
}

TEST(FormatTimes, HaveTheDigitsTheirIntervalWarrants) {
  EXPECT_THAT(format_times({estimate(12.345e6, 0.2)}), ElementsAre("12 ms"));
  EXPECT_THAT(format_times({estimate(12.345e6, 0.008)}), ElementsAre("12.3 ms"));
}

TEST(FormatTimes, RoundUpIntoTheNextDigit) {
  EXPECT_THAT(format_times({estimate(9.996e6, 0.008)}), ElementsAre("10.0 ms"));
}

TEST(FormatTimes, SayNothingForWhatIsNoNumber) {
  EXPECT_THAT(format_times({Estimate{kNan, {0, 0}, 0}, Estimate{kInfinity, {0, kInfinity}, 0}, Estimate{}}),
              ElementsAre("", "", ""));
}

TEST(FormatRates, PutAcceleratorAndCpuInOneUnit) {
  EXPECT_THAT(format_rates({estimate(50.7e12, 0.008), estimate(142e9, 0.008)}),
              ElementsAre("50.7   TFLOPS", "0.142 TFLOPS"));
}

TEST(FormatRatios, HaveAtMostTwoDecimals) {
  EXPECT_THAT(
      format_ratios({estimate(0.9251, 0.005), estimate(1, 0), estimate(356.2, 0.03), estimate(0.93, 0.2)}),
      ElementsAre("0.93x", "1.00x", "356x", "0.93x"));
}

TEST(FormatRanges, AreEmptyForTheBaselineItself) {
  EXPECT_THAT(format_ranges({estimate(0.93, 0.01), estimate(1, 0), Estimate{1, {0, kInfinity}, 2}}),
              ElementsAre("0.92..0.94", "", ""));
}

TEST(FormatHalfWidths, AreShares) {
  EXPECT_THAT(format_half_widths({estimate(970e6, 0.008), Estimate{1, {0, kInfinity}, 2}}),
              ElementsAre("\u00b10.8 %", ""));
}

TEST(FormatShares, AreWholePercents) {
  EXPECT_THAT(format_shares({estimate(0.794, 0.01), std::nullopt}), ElementsAre("79 %", ""));
}

}  // namespace
}  // namespace jissoku::report
