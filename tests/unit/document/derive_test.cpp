#include "jissoku/document/derive.hpp"

#include <algorithm>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/documents.hpp"

namespace jissoku::document {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using tests::measured_row;

const std::vector<double> kTimes = {1000, 1010, 990, 1005, 1000, 1020, 995, 1003};
const std::vector<double> kConstant(6, 2000.0);

Row with_probe(Row row, const std::vector<double>& probe_ns, double probe_flops) {
  row.probe_flops = probe_flops;
  for (std::size_t i = 0; i < row.samples.size(); ++i) {
    row.samples[i].probe_ns = probe_ns[i];
  }
  return row;
}

Row with_ceiling(Row row, const std::string& kind, double per_second) {
  row.ceilings.push_back({kind, per_second, "", "measured"});
  return row;
}

TEST(RunToRun, WidensTimeRateAndShareInQuadratureButNotSpeedUps) {
  Row row = with_ceiling(
      with_probe(measured_row("cpu", kTimes), std::vector<double>(8, 10.0), 1), "measured_fma", 1);
  const auto before = time_ns(row), rate_before = flops_per_second(row),
             share_before = share_of(row, "measured_fma");
  row.run_to_run = 0.03;
  const auto after = time_ns(row), rate_after = flops_per_second(row),
             share_after = share_of(row, "measured_fma");
  ASSERT_TRUE(before && after && rate_before && rate_after && share_before && share_after);
  const auto above = [](const numerics::Estimate& estimate) {
    return std::log(estimate.interval.high / estimate.value);
  };
  for (const auto& [narrow, wide] :
       {std::pair{*before, *after}, {*rate_before, *rate_after}, {*share_before, *share_after}}) {
    EXPECT_DOUBLE_EQ(wide.value, narrow.value);
    EXPECT_NEAR(above(wide), std::hypot(above(narrow), 0.03), 1e-12);
  }
  Row constant = measured_row("cpu", kConstant);
  constant.run_to_run = 0.03;
  EXPECT_NEAR(time_ns(constant)->interval.low, 2000 * std::exp(-0.03), 1e-9);
  EXPECT_EQ(speed_up(constant, constant)->interval.high, 1);
}

TEST(ScoredTimes, AreTheRoundsOnTheRowsClock) {
  Row row = measured_row("cpu", {1, 2, 3});
  EXPECT_THAT(scored_times_ns(row), ElementsAre(1, 2, 3));
  row.timing = "device";
  row.samples[0].device_ns = 7;
  row.samples[2].device_ns = 9;
  EXPECT_THAT(scored_times_ns(row), ElementsAre(7, 9));
}

TEST(ScoredTimes, OfAChosenRowAreTheEvenRounds) {
  Row row = measured_row("cpu", {1, 2, 3, 4, 5});
  row.implementation.chosen = true;
  EXPECT_THAT(scored_times_ns(row), ElementsAre(2, 4));
}

TEST(ScoredTimes, LeaveOutWhatIsNoTime) {
  EXPECT_THAT(scored_times_ns(measured_row("cpu", {1, 0, -1, NAN, INFINITY, 2})), ElementsAre(1, 2));
  EXPECT_THAT(scored_times_ns(Row()), IsEmpty());
}

TEST(Time, IsTheMedianOfTheRounds) {
  const auto time = time_ns(measured_row("cpu", kTimes));
  ASSERT_TRUE(time);
  EXPECT_DOUBLE_EQ(time->value, 1001.5);  // between 1000 and 1003
  EXPECT_EQ(time->rounds, 8);
  EXPECT_LT(time->interval.low, time->value);
  EXPECT_GT(time->interval.high, time->value);
}

TEST(Time, NeedsAProofAndAMeasuredStatus) {
  for (const RowStatus status :
       {RowStatus::converged, RowStatus::noisy, RowStatus::ceiling, RowStatus::throttled}) {
    Row row = measured_row("cpu", kTimes);
    row.status = status;
    EXPECT_TRUE(time_ns(row)) << to_string(status);
    row.verification.passed = false;
    EXPECT_FALSE(time_ns(row)) << to_string(status);
    row.verification.passed = true;
    row.verification.done = false;
    EXPECT_FALSE(time_ns(row)) << to_string(status);
  }
  for (const RowStatus status :
       {RowStatus::unsupported, RowStatus::wrong, RowStatus::error, RowStatus::skipped}) {
    Row row = measured_row("cpu", kTimes);
    row.status = status;
    EXPECT_FALSE(time_ns(row)) << to_string(status);
    EXPECT_FALSE(flops_per_second(row)) << to_string(status);
  }
}

TEST(Time, DoesNotExistOnceTheTimedOperandsRefuteTheProof) {
  Row row = measured_row("cpu", kTimes);
  row.timed_verification.done = true;
  EXPECT_FALSE(time_ns(row));
  row.timed_verification.passed = true;
  EXPECT_TRUE(time_ns(row));
}

TEST(Time, NeedsFiveScoredRounds) {
  EXPECT_TRUE(time_ns(measured_row("cpu", std::vector<double>(5, 100.0))));
  EXPECT_FALSE(time_ns(measured_row("cpu", std::vector<double>(4, 100.0))));
  Row chosen = measured_row("cpu", std::vector<double>(9, 100.0));
  chosen.implementation.chosen = true;
  EXPECT_FALSE(time_ns(chosen)) << "four of nine rounds are even";
  chosen.samples.push_back(chosen.samples.back());
  EXPECT_TRUE(time_ns(chosen));
}

TEST(Rates, AreWorkOverTime) {
  const Row row = measured_row("cpu", kConstant);  // 12 MFLOP and 440 kB in 2 us
  const auto flops = flops_per_second(row);
  const auto bytes = bytes_per_second(row);
  ASSERT_TRUE(flops && bytes);
  EXPECT_DOUBLE_EQ(flops->value, 6e12);
  EXPECT_DOUBLE_EQ(bytes->value, 220e9);
  EXPECT_NEAR(flops->interval.low, 6e12, 1) << "equal rounds have no spread";
  EXPECT_EQ(flops->rounds, 6);
}

TEST(Rates, TurnTheIntervalOfTheTime) {
  const Row row = measured_row("cpu", kTimes);
  const auto time = time_ns(row);
  const auto rate = flops_per_second(row);
  ASSERT_TRUE(time && rate);
  EXPECT_DOUBLE_EQ(rate->interval.low * time->interval.high, row.flops * 1e9);
  EXPECT_DOUBLE_EQ(rate->interval.high * time->interval.low, row.flops * 1e9);
  EXPECT_LT(rate->interval.low, rate->interval.high);
}

TEST(Rates, DoNotExistWithoutWork) {
  Row row = measured_row("cpu", kTimes);
  row.flops = 0;
  row.bytes = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(flops_per_second(row));
  EXPECT_FALSE(bytes_per_second(row));
}

TEST(Share, IsTheRateOverTheFirstCeilingOfItsKind) {
  Row row = with_ceiling(measured_row("cpu", kConstant), "datasheet", 24e12);
  row = with_ceiling(with_ceiling(row, "measured_memory", 440e9), "datasheet", 1);
  EXPECT_DOUBLE_EQ(share_of(row, "datasheet")->value, 0.25);
  EXPECT_DOUBLE_EQ(share_of(row, "measured_memory")->value, 0.5) << "bytes, not FLOPs";
  EXPECT_FALSE(share_of(row, "measured_fma"));
}

TEST(Share, DoesNotExistAgainstACeilingOfNothing) {
  EXPECT_FALSE(share_of(with_ceiling(measured_row("cpu", kConstant), "datasheet", 0), "datasheet"));
}

TEST(Share, WithoutAProbeReadsTheStoredCeiling) {
  const Row row = with_ceiling(measured_row("cpu", kConstant), "measured_fma", 8e12);
  EXPECT_DOUBLE_EQ(share_of(row, "measured_fma")->value, 0.75);
  const Row partly = with_probe(row, {500, 500, 0, 500, 500, 500}, 1e6);
  EXPECT_DOUBLE_EQ(share_of(partly, "measured_fma")->value, 0.75) << "one sample has no probe beside it";
}

TEST(Share, OfTheMeasuredPeakIsTakenRoundByRound) {
  // The machine slows down to half its clock; row and probe suffer alike: 12 MFLOP in 2 us beside 4 MFLOP in
  // 0.5 us are 6 of 8 TFLOP/s in every round.
  const std::vector<double> slowdown = {1, 1.2, 1.4, 1.6, 1.8, 2};
  std::vector<double> times, probes;
  for (const double factor : slowdown) {
    times.push_back(2000 * factor);
    probes.push_back(500 * factor);
  }
  const Row row = with_ceiling(with_probe(measured_row("cpu", times), probes, 4e6), "measured_fma", 8e12);
  const auto share = share_of(row, "measured_fma");
  ASSERT_TRUE(share);
  EXPECT_NEAR(share->value, 0.75, 1e-12);
  EXPECT_NEAR(share->interval.high - share->interval.low, 0, 1e-9);
  EXPECT_LT(flops_per_second(row)->value / 8e12, 0.55) << "against the stored ceiling it would look worse";
}

TEST(Share, OfAChosenRowTakesTheProbesOfEvenRounds) {
  std::vector<double> times(10, 2000.0), probes(10, 500.0);
  for (std::size_t i = 0; i < times.size(); i += 2) {
    times[i] = 1;
    probes[i] = 0;
  }
  Row row = with_ceiling(with_probe(measured_row("cpu", times), probes, 4e6), "measured_fma", 1e12);
  row.implementation.chosen = true;
  EXPECT_NEAR(share_of(row, "measured_fma")->value, 0.75, 1e-12);
}

TEST(SpeedUp, IsBaseTimeOverRowTime) {
  const Row base = measured_row("cpu", {100, 200, 300, 400, 500, 600});
  const Row row = measured_row("opencl:0", {50, 100, 150, 200, 250, 300});
  EXPECT_NEAR(speed_up(base, row)->value, 2, 1e-12) << "paired: the drift of both is no spread";
  EXPECT_NEAR(speed_up(base, row)->interval.high, 2, 1e-9);
  EXPECT_NEAR(speed_up(row, base)->value, 0.5, 1e-12);
  EXPECT_NEAR(speed_up(row, row)->value, 1, 1e-12);
}

TEST(SpeedUp, PairsTheRoundsBothHave) {
  Row chosen = measured_row("cpu", std::vector<double>(14, 900.0));
  chosen.implementation.chosen = true;
  for (std::size_t i = 1; i < chosen.samples.size(); i += 2) {
    chosen.samples[i].host_ns = 100.0 * static_cast<double>(i);
  }
  Row row = chosen;  // as slow in every round, but counted in all of them, and it ended earlier
  row.implementation.chosen = false;
  row.samples.resize(11);
  const auto ratio = speed_up(chosen, row);
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->value, 1, 1e-12);
  EXPECT_EQ(ratio->rounds, 5) << "rounds 2, 4, 6, 8, 10";
  EXPECT_EQ(speed_up(row, chosen)->rounds, 5);
}

TEST(SpeedUp, NeedsTwoPrintableTimesAndFiveCommonRounds) {
  const Row base = measured_row("cpu", kTimes);
  Row wrong = base;
  wrong.status = RowStatus::wrong;
  EXPECT_FALSE(speed_up(base, wrong));
  EXPECT_FALSE(speed_up(wrong, base));
  Row early = measured_row("cpu", {1, 1, 1, 1, 1, NAN, NAN, NAN, NAN, NAN});
  Row late = measured_row("cpu", {NAN, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  EXPECT_TRUE(time_ns(early) && time_ns(late));
  EXPECT_FALSE(speed_up(early, late)) << "four common rounds";
}

TEST(SpeedUp, OutOfTheRangeOfADoubleIsNone) {
  EXPECT_FALSE(speed_up(measured_row("a", std::vector<double>(5, 1e300)),
                        measured_row("b", std::vector<double>(5, 1e-300))));
}

TEST(ThreadsAtWork, IsCpuTimeOverWallTime) {
  Row row = measured_row("cpu", {100, 300});
  row.samples[0].cpu_ns = 200;
  row.samples[1].cpu_ns = 300;
  EXPECT_DOUBLE_EQ(threads_at_work(row), 1.25) << "500 of 400";
  row.samples[0].launches = 30;  // now as long as the other sample's ten launches
  EXPECT_DOUBLE_EQ(threads_at_work(row), 1.5);
  EXPECT_EQ(threads_at_work(Row()), 0);
}

TEST(ForeignCpuShare, IsTheMeanOverTime) {
  Row row = measured_row("cpu", {100, 300});
  row.samples[0].foreign_cpu_share = 0.4;
  EXPECT_DOUBLE_EQ(foreign_cpu_share(row), 0.1);
  EXPECT_EQ(foreign_cpu_share(Row()), 0);
}

}  // namespace
}  // namespace jissoku::document
