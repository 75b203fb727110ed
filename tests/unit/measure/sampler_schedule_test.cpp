// What runs when: first launches, proper samples, warm-up, rounds, probes, pauses, batch lengths.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jissoku/measure/sampler.hpp"
#include "support/fake_subject.hpp"

namespace jissoku::measure {
namespace {

using testing::Each;
using testing::ElementsAre;
using tests::always;
using tests::FakeClock;
using tests::FakeSubject;
using tests::RunLog;
using tests::scripted;

constexpr double kMs = 1e6;

class SamplerSchedule : public testing::Test {
 protected:
  SamplerContext context() {
    SamplerContext context;
    context.clock = &clock;
    context.cpu_usage = [] { return CpuUsage{}; };
    return context;
  }
  RunLog part(std::size_t from, std::size_t count) const {
    const auto begin = log.begin() + static_cast<std::ptrdiff_t>(from);
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
  }

  FakeClock clock;
  RunLog log;
  SamplerOptions options;
};

TEST_F(SamplerSchedule, FirstLaunchesProperSamplesWarmUpThenRotatedRounds) {
  FakeSubject a(clock, "A", always(10 * kMs), &log);
  FakeSubject b(clock, "B", always(15 * kMs), &log);
  FakeSubject c(clock, "C", always(12 * kMs), &log);
  const auto results = measure_subjects({&a, &b, &c}, options, context());

  EXPECT_THAT(part(0, 3), ElementsAre("A1", "B1", "C1"));
  EXPECT_THAT(part(3, 3), ElementsAre("A3", "B2", "C3"));
  EXPECT_THAT(part(6, 6), ElementsAre("A3", "A3", "B2", "B2", "C3", "C3"));
  EXPECT_THAT(part(12, 12),
              ElementsAre("A3", "B2", "C3", "B2", "C3", "A3", "C3", "A3", "B2", "A3", "B2", "C3"));
  // Without noise the first two checks, after 12 and 20 rounds, are both satisfied.
  EXPECT_EQ(log.size(), 12u + 3 * 20);
  for (const Measurement& one : results) {
    EXPECT_EQ(one.end, SubjectEnd::converged);
    EXPECT_EQ(one.rounds.size(), 20u);
    EXPECT_FALSE(one.error.has_value());
  }
  EXPECT_EQ(results[0].warmup_launches, 1 + 3 * 3);
  EXPECT_DOUBLE_EQ(results[0].warmup_ns, 100 * kMs);
  EXPECT_EQ(results[1].warmup_launches, 1 + 3 * 2);
  EXPECT_THAT(round_times_ns(results[1]), Each(15 * kMs));
}

TEST_F(SamplerSchedule, NeighboursShareTheProbeBetweenThem) {
  FakeSubject a(clock, "A", always(30 * kMs), &log);
  FakeSubject b(clock, "B", always(31 * kMs), &log);
  FakeSubject probe(clock, "P", always(40 * kMs), &log);
  SamplerContext with_probe = context();
  with_probe.probe = &probe;
  measure_subjects({&a, &b}, options, with_probe);

  EXPECT_THAT(part(0, 2), ElementsAre("A1", "B1"));
  EXPECT_THAT(part(2, 5), ElementsAre("P1", "A1", "P1", "B1", "P1"));
  EXPECT_THAT(part(7, 4), ElementsAre("A1", "A1", "B1", "B1"));
  EXPECT_THAT(part(11, 9), ElementsAre("P1", "A1", "P1", "B1", "P1", "B1", "P1", "A1", "P1"));
}

TEST_F(SamplerSchedule, TheProbeTimeIsTheMeanOfBeforeAndAfter) {
  FakeSubject a(clock, "A", always(30 * kMs), &log);
  // One calibrating run, which also stands before the proper sample, and one after it; then
  // 40, 42, 44 ... around the rounds.
  FakeSubject probe(clock, "P", [](std::size_t run) { return (36 + 2 * static_cast<double>(run)) * kMs; });
  SamplerContext with_probe = context();
  with_probe.probe = &probe;
  const auto results = measure_subjects({&a}, options, with_probe);
  ASSERT_GE(results[0].rounds.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_DOUBLE_EQ(results[0].rounds[i].probe_ns, (41 + 2 * static_cast<double>(i)) * kMs);
  }
}

TEST_F(SamplerSchedule, AShortProbeIsCalibratedToo) {
  FakeSubject a(clock, "A", always(30 * kMs));
  FakeSubject probe(clock, "P", always(7 * kMs), &log);
  SamplerContext with_probe = context();
  with_probe.probe = &probe;
  const auto results = measure_subjects({&a}, options, with_probe);
  EXPECT_EQ(log[0], "P1");
  EXPECT_TRUE(std::all_of(log.begin() + 1, log.end(), [](const auto& run) { return run == "P5"; }));
  EXPECT_DOUBLE_EQ(results[0].rounds[0].probe_ns, 7 * kMs);
}

TEST_F(SamplerSchedule, PausesBeforeAnotherSubjectTakesOver) {
  options.settle_ns = 5'000'000;
  options.max_rounds = 2;
  std::vector<std::int64_t> starts;
  FakeSubject a(clock, "A", always(30 * kMs));
  FakeSubject b(clock, "B", always(30 * kMs));
  a.on_run = b.on_run = [&] { starts.push_back(clock.now_ns()); };
  const std::int64_t begin = clock.now_ns();
  measure_subjects({&a, &b}, options, context());
  for (std::int64_t& start : starts) {
    start = (start - begin) / 1'000'000;
  }
  // A B | A B | A A B B | A B | B A: a pause wherever the subject changes.
  EXPECT_THAT(starts, ElementsAre(0, 35, 70, 105, 140, 170, 205, 235, 270, 305, 335, 370));
}

TEST_F(SamplerSchedule, BatchesLastAtLeastAMillisecond) {
  options.min_sample_ns = 1;
  FakeSubject a(clock, "A", always(3e5), &log);
  measure_subjects({&a}, options, context());
  EXPECT_THAT(part(0, 3), ElementsAre("A1", "A4", "A4"));
}

TEST_F(SamplerSchedule, BatchesLastAHundredClockSteps) {
  clock.set_resolution_ns(1'000'000);
  FakeSubject a(clock, "A", always(10 * kMs), &log);
  measure_subjects({&a}, options, context());
  EXPECT_THAT(part(0, 3), ElementsAre("A1", "A10", "A10"));
}

TEST_F(SamplerSchedule, AFirstLaunchWithStartUpCostsDoesNotFixTheBatchLength) {
  FakeSubject a(clock, "A", scripted({100 * kMs, 1 * kMs}), &log);
  const auto results = measure_subjects({&a}, options, context());
  EXPECT_THAT(part(0, 4), ElementsAre("A1", "A1", "A30", "A30"));
  EXPECT_EQ(results[0].rounds[0].launches, 30);
}

TEST_F(SamplerSchedule, ARateThatChangesInWarmUpChangesTheBatchLength) {
  // The two last warm-up batches before the plateau run at 5 ms instead of 10 ms.
  FakeSubject faster(clock, "F", scripted({10 * kMs, 10 * kMs, 5 * kMs}), &log);
  auto results = measure_subjects({&faster}, options, context());
  EXPECT_THAT(part(0, 6), ElementsAre("F1", "F3", "F3", "F6", "F6", "F6"));
  EXPECT_EQ(results[0].rounds.back().launches, 6);

  log.clear();
  FakeSubject slower(clock, "S", scripted({5 * kMs, 5 * kMs, 10 * kMs}), &log);
  results = measure_subjects({&slower}, options, context());
  EXPECT_EQ(results[0].rounds[0].launches, 3);
}

TEST_F(SamplerSchedule, ASubjectThatGetsFasterLaterGetsLongerBatches) {
  FakeSubject a(clock, "A", scripted({10 * kMs, 10 * kMs, 10 * kMs, 10 * kMs, 5 * kMs}), &log);
  const auto results = measure_subjects({&a}, options, context());
  EXPECT_EQ(results[0].rounds[0].launches, 3);
  EXPECT_EQ(results[0].rounds[1].launches, 6);
  EXPECT_DOUBLE_EQ(results[0].rounds[1].host_ns, 5 * kMs);
}

TEST_F(SamplerSchedule, ATimeBelowTheClocksResolutionIsNotDividedBy) {
  FakeSubject a(clock, "A", scripted({0, 1e4}));
  const auto results = measure_subjects({&a}, options, context());
  EXPECT_EQ(results[0].end, SubjectEnd::converged);
  EXPECT_EQ(results[0].rounds[0].launches, 3000);
}

TEST_F(SamplerSchedule, LaunchesFor) {
  EXPECT_EQ(launches_for(10, 30), 3);
  EXPECT_EQ(launches_for(11, 30), 3);
  EXPECT_EQ(launches_for(9, 30), 4);
  EXPECT_EQ(launches_for(31, 30), 1);
  EXPECT_EQ(launches_for(0, 30), 1'000'000'000);
  EXPECT_EQ(launches_for(0, 0), 1);
}

TEST_F(SamplerSchedule, SamplesArePerLaunch) {
  FakeSubject a(clock, "A", always(10 * kMs));
  a.threads = 2;
  a.device_share = 0.9;
  const auto results = measure_subjects({&a}, options, context());
  const Sample& sample = results[0].rounds[0];
  EXPECT_EQ(sample.launches, 3);
  EXPECT_DOUBLE_EQ(sample.host_ns, 10 * kMs);
  EXPECT_DOUBLE_EQ(*sample.device_ns, 9 * kMs);
  EXPECT_DOUBLE_EQ(sample.cpu_ns, 20 * kMs);
  EXPECT_DOUBLE_EQ(sample.probe_ns, 0);
  EXPECT_DOUBLE_EQ(round_times_ns(results[0])[0], 9 * kMs) << "the device's own clock goes first";
}

TEST_F(SamplerSchedule, ForeignLoadIsAveragedOverWindows) {
  // Two CPUs; another program uses half of one of them, the hypervisor takes a tenth of one.
  SamplerContext with_load = context();
  with_load.cpu_usage = [&] {
    CpuUsage usage;
    usage.total_ns = 2.0 * static_cast<double>(clock.now_ns());
    usage.own_ns = static_cast<double>(clock.process_cpu_ns());
    usage.busy_ns = usage.own_ns + 0.5 * static_cast<double>(clock.now_ns());
    usage.steal_ns = 0.1 * static_cast<double>(clock.now_ns());
    usage.cpus = 2;
    usage.valid = true;
    return usage;
  };
  FakeSubject a(clock, "A", always(30 * kMs));
  const auto results = measure_subjects({&a}, options, with_load);
  for (const Sample& sample : results[0].rounds) {
    EXPECT_NEAR(sample.foreign_cpu_share, 0.25, 1e-6);
    EXPECT_NEAR(sample.steal_share, 0.05, 1e-6);
  }
}

TEST_F(SamplerSchedule, ProgressAfterEverySample) {
  options.max_rounds = 2;
  std::vector<int> rounds;
  std::vector<std::size_t> subjects;
  double elapsed_ns = 0;
  SamplerContext watched = context();
  watched.on_progress = [&](const Progress& progress) {
    rounds.push_back(progress.round);
    subjects.push_back(progress.subject);
    EXPECT_GT(progress.elapsed_ns, elapsed_ns);
    elapsed_ns = progress.elapsed_ns;
    EXPECT_EQ(progress.max_rounds, 2);
    EXPECT_DOUBLE_EQ(progress.budget_ns, 2e10);
  };
  FakeSubject a(clock, "A", always(30 * kMs));
  FakeSubject b(clock, "B", always(30 * kMs));
  measure_subjects({&a, &b}, options, watched);
  EXPECT_THAT(rounds, ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2));
  EXPECT_THAT(subjects, ElementsAre(0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0));
}

TEST_F(SamplerSchedule, NothingToMeasure) {
  FakeSubject probe(clock, "P", always(30 * kMs));
  SamplerContext with_probe = context();
  with_probe.probe = &probe;
  EXPECT_TRUE(measure_subjects({}, options, with_probe).empty());
  EXPECT_EQ(probe.runs(), 0u);
}

}  // namespace
}  // namespace jissoku::measure
