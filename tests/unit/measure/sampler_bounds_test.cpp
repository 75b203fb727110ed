// When measuring ends: target, noise, budget, drop, failure, interruption.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jissoku/measure/sampler.hpp"
#include "support/fake_subject.hpp"

namespace jissoku::measure {
namespace {

using testing::Each;
using tests::always;
using tests::FakeClock;
using tests::FakeSubject;
using tests::RunLog;
using tests::scripted;

constexpr double kMs = 1e6;

class SamplerBounds : public testing::Test {
 protected:
  SamplerBounds() {
    context.clock = &clock;
    context.cpu_usage = [] { return CpuUsage{}; };
  }
  double elapsed_ms() const { return static_cast<double>(clock_now() - begin) / kMs; }
  std::int64_t clock_now() const { return const_cast<FakeClock&>(clock).now_ns(); }

  FakeClock clock;
  std::int64_t begin = clock.now_ns();
  RunLog log;
  SamplerOptions options;
  SamplerContext context;
};

// Rounds alternate between 30 and 36 ms: +-10 % noise without correlation.
double alternating(std::size_t run) {
  return run % 2 == 0 ? 30 * kMs : 36 * kMs;
}

TEST_F(SamplerBounds, AllRunOnUntilTheNoisiestHasConverged) {
  FakeSubject steady(clock, "A", always(30 * kMs));
  // Noisy for the first 20 rounds, then steady: its median settles.
  FakeSubject unsteady(clock, "B", [](std::size_t run) { return run < 24 ? alternating(run) : 33 * kMs; });
  const auto results = measure_subjects({&steady, &unsteady}, options, context);
  EXPECT_EQ(results[0].end, SubjectEnd::converged);
  EXPECT_EQ(results[1].end, SubjectEnd::converged);
  EXPECT_EQ(results[0].rounds.size(), results[1].rounds.size());
  EXPECT_GT(results[0].rounds.size(), 20u);
}

TEST_F(SamplerBounds, EndsAtFixedRoundCountsOnly) {
  for (std::size_t calm_from = 0; calm_from < 50; calm_from += 3) {
    FakeSubject subject(
        clock, "A", [calm_from](std::size_t run) { return run < calm_from ? alternating(run) : 33 * kMs; });
    const auto results = measure_subjects({&subject}, options, context);
    EXPECT_THAT(results[0].rounds.size(), testing::AnyOf(20u, 30u, 40u, 60u)) << calm_from;
  }
}

TEST_F(SamplerBounds, NoisyWhenAllRoundsAreNotEnough) {
  FakeSubject subject(clock, "A", [](std::size_t run) { return run / 20 % 2 == 0 ? 30 * kMs : 45 * kMs; });
  const auto results = measure_subjects({&subject}, options, context);
  EXPECT_EQ(results[0].end, SubjectEnd::noisy);
  EXPECT_EQ(results[0].rounds.size(), 60u);
}

TEST_F(SamplerBounds, ASharePeakIntervalWithinTheTargetIsEnough) {
  // As above, but the machine as a whole changes speed: the probe beside it shows the same.
  const auto machine = [this](double launch_ns) {
    return [this, launch_ns](std::size_t) {
      return (static_cast<std::int64_t>(elapsed_ms()) / 1000 % 2 == 0 ? 1 : 1.5) * launch_ns;
    };
  };
  FakeSubject subject(clock, "A", machine(30 * kMs));
  FakeSubject probe(clock, "P", machine(32 * kMs));
  context.probe = &probe;
  options.target_relative_half_width = 0.04;
  const auto results = measure_subjects({&subject}, options, context);
  EXPECT_EQ(results[0].end, SubjectEnd::converged);
  EXPECT_GT(numerics::estimate_median(round_times_ns(results[0])).relative_half_width(), 0.04);
}

TEST_F(SamplerBounds, TheBudgetEndsTheRounds) {
  options.budget_ns = 1'000'000'000;
  FakeSubject subject(clock, "A", alternating);
  const auto results = measure_subjects({&subject}, options, context);
  EXPECT_EQ(results[0].end, SubjectEnd::ceiling);
  EXPECT_LE(elapsed_ms(), 1000);
  EXPECT_GT(elapsed_ms(), 1000 - 2 * 36) << "no round starts that is not expected to end in time";
}

TEST_F(SamplerBounds, WithinTheTargetWhenTheBudgetEndsIsConverged) {
  options.budget_ns = 600'000'000;
  FakeSubject subject(clock, "A", always(30 * kMs));
  const auto results = measure_subjects({&subject}, options, context);
  EXPECT_EQ(results[0].rounds.size(), 16u);  // of 20 batches, four are warm-up
  EXPECT_EQ(results[0].end, SubjectEnd::converged);
}

TEST_F(SamplerBounds, TheLeastRoundsMayOverrunTheBudgetByHalf) {
  // First launch and proper sample take 200 of 500 ms, and no warm-up fits. Five rounds need 500.
  options.budget_ns = 500'000'000;
  FakeSubject subject(clock, "A", always(100 * kMs));
  auto results = measure_subjects({&subject}, options, context);
  EXPECT_EQ(results[0].rounds.size(), 5u);

  begin = clock.now_ns();
  FakeSubject slower(clock, "B", always(110 * kMs));
  results = measure_subjects({&slower}, options, context);
  EXPECT_EQ(results[0].rounds.size(), 4u);
  EXPECT_EQ(results[0].end, SubjectEnd::ceiling);
  EXPECT_LE(elapsed_ms(), 750);
}

TEST_F(SamplerBounds, SubjectsTheBudgetDoesNotReachHaveNoRounds) {
  options.budget_ns = 100'000'000;
  options.drop_ratio = 0;
  FakeSubject long_one(clock, "A", always(120 * kMs));
  FakeSubject never_run(clock, "B", always(10 * kMs));
  const auto results = measure_subjects({&long_one, &never_run}, options, context);
  EXPECT_EQ(results[0].end, SubjectEnd::ceiling);
  EXPECT_EQ(results[1].end, SubjectEnd::ceiling);
  EXPECT_TRUE(results[0].rounds.empty());
  EXPECT_TRUE(results[1].rounds.empty());
  EXPECT_EQ(never_run.runs(), 0u);
}

TEST_F(SamplerBounds, WarmUpIsBoundedByItsOwnLimit) {
  options.warmup_max_ns = 200'000'000;
  // Ever faster: no plateau.
  FakeSubject subject(
      clock, "A", [](std::size_t run) { return 40 * kMs * std::pow(0.95, run < 20 ? run : 20); });
  const auto results = measure_subjects({&subject}, options, context);
  // First launch 40, proper sample 38; then 36.1 + 34.3 + 32.6 + 30.9 + 2 x 29.3 are under 200.
  EXPECT_LE(results[0].warmup_ns, (40 + 38 + 200) * kMs);
  EXPECT_GT(results[0].warmup_ns, (40 + 38 + 200 - 60) * kMs);
}

TEST_F(SamplerBounds, WarmUpIsBoundedByItsShareOfTheBudget) {
  options.budget_ns = 800'000'000;
  FakeSubject subject(
      clock, "A", [](std::size_t run) { return 60 * kMs * std::pow(0.97, run < 20 ? run : 20); });
  const auto results = measure_subjects({&subject}, options, context);
  EXPECT_LE(results[0].warmup_ns, (60 + 60 + 200) * kMs);
}

TEST_F(SamplerBounds, TooSlowSubjectsLeaveAfterOneProperSample) {
  FakeSubject fast(clock, "A", always(10 * kMs), &log);
  FakeSubject slow(clock, "B", always(21 * kMs), &log);
  FakeSubject just_not(clock, "C", always(20 * kMs), &log);
  const auto results = measure_subjects({&fast, &slow, &just_not}, options, context);
  EXPECT_EQ(results[1].end, SubjectEnd::dropped);
  ASSERT_EQ(results[1].rounds.size(), 1u);
  EXPECT_EQ(results[1].rounds[0].launches, 2);
  EXPECT_DOUBLE_EQ(results[1].rounds[0].host_ns, 21 * kMs);
  EXPECT_EQ(std::count(log.begin(), log.end(), "B2"), 1);
  EXPECT_EQ(results[0].end, SubjectEnd::converged);
  EXPECT_EQ(results[2].end, SubjectEnd::converged);
}

TEST_F(SamplerBounds, ASlowStartAloneDropsNobody) {
  FakeSubject fast(clock, "A", always(10 * kMs));
  FakeSubject starts_slowly(clock, "B", scripted({190 * kMs, 10 * kMs}));
  const auto results = measure_subjects({&fast, &starts_slowly}, options, context);
  EXPECT_EQ(results[1].end, SubjectEnd::converged);
}

TEST_F(SamplerBounds, AHopelessSubjectRunsOnce) {
  FakeSubject fast(clock, "A", always(10 * kMs));
  FakeSubject hopeless(clock, "B", always(5000 * kMs));
  const auto results = measure_subjects({&hopeless, &fast}, options, context);
  EXPECT_EQ(results[0].end, SubjectEnd::dropped);
  ASSERT_EQ(results[0].rounds.size(), 1u);
  EXPECT_EQ(results[0].rounds[0].launches, 1);
  EXPECT_EQ(results[0].warmup_launches, 0);
  EXPECT_EQ(hopeless.runs(), 1u);
}

TEST_F(SamplerBounds, NobodyIsDroppedWhereThatIsNotAskedFor) {
  options.drop_ratio = 0;
  FakeSubject fast(clock, "A", always(10 * kMs));
  FakeSubject slow(clock, "B", always(300 * kMs));
  const auto results = measure_subjects({&fast, &slow}, options, context);
  EXPECT_EQ(results[1].end, SubjectEnd::converged);
}

TEST_F(SamplerBounds, SubjectsOfOtherGroupsPushNobodyOut) {
  // An accelerator is quicker than any variant of the host; the host's best must stay beside it.
  options.groups = {0, 1, 1};
  FakeSubject accelerator(clock, "A", always(1 * kMs));
  FakeSubject host(clock, "B", always(300 * kMs));
  FakeSubject slow_host(clock, "C", always(700 * kMs));
  const auto results = measure_subjects({&accelerator, &host, &slow_host}, options, context);
  EXPECT_EQ(results[0].end, SubjectEnd::converged);
  EXPECT_EQ(results[1].end, SubjectEnd::converged);
  EXPECT_EQ(results[2].end, SubjectEnd::dropped);
}

TEST_F(SamplerBounds, AFailureEndsOnlyTheOneThatFailed) {
  // In the first launch, the proper sample, the warm-up, and the rounds.
  for (std::size_t fails_from = 0; fails_from < 8; ++fails_from) {
    FakeSubject good(clock, "A", always(30 * kMs));
    FakeSubject bad(clock, "B", always(30 * kMs));
    FakeSubject other(clock, "C", always(30 * kMs));
    bad.fails_from = fails_from;
    const auto results = measure_subjects({&good, &bad, &other}, options, context);
    EXPECT_EQ(results[1].end, SubjectEnd::failed);
    ASSERT_TRUE(results[1].error.has_value());
    EXPECT_EQ(results[1].error->message.id, "test.failed");
    EXPECT_EQ(results[1].rounds.size(), fails_from < 4 ? 0 : fails_from - 4);
    EXPECT_EQ(bad.runs(), fails_from + 1) << "not tried again";
    EXPECT_EQ(results[0].end, SubjectEnd::converged);
    EXPECT_EQ(results[0].rounds.size(), 20u);
    EXPECT_EQ(results[2].rounds.size(), 20u);
  }
}

TEST_F(SamplerBounds, WhenAllFailNothingRunsOn) {
  FakeSubject bad(clock, "A", always(30 * kMs));
  bad.fails_from = 6;
  const auto results = measure_subjects({&bad}, options, context);
  EXPECT_EQ(results[0].end, SubjectEnd::failed);
  EXPECT_EQ(results[0].rounds.size(), 2u);
}

TEST_F(SamplerBounds, AFailingProbeIsGivenUp) {
  FakeSubject subject(clock, "A", always(30 * kMs));
  FakeSubject probe(clock, "P", always(30 * kMs));
  // Runs: one to calibrate, one after the proper sample, then before and after round 1, after round 2.
  probe.fails_from = 5;
  context.probe = &probe;
  const auto results = measure_subjects({&subject}, options, context);
  EXPECT_EQ(results[0].end, SubjectEnd::converged);
  EXPECT_GT(results[0].rounds[1].probe_ns, 0);
  EXPECT_EQ(results[0].rounds[2].probe_ns, 0);
  EXPECT_EQ(results[0].rounds[3].probe_ns, 0);
  EXPECT_EQ(probe.runs(), 6u);
}

TEST_F(SamplerBounds, AnInterruptionAtAnySampleKeepsWhatWasMeasured) {
  options.max_rounds = 6;
  for (std::size_t stop_at = 0;; ++stop_at) {
    core::StopFlag stop;
    context.stop = &stop;
    log.clear();
    FakeSubject a(clock, "A", always(30 * kMs), &log);
    FakeSubject b(clock, "B", always(31 * kMs), &log);
    FakeSubject probe(clock, "P", always(30 * kMs), &log);
    context.probe = &probe;
    for (FakeSubject* one : {&a, &b, &probe}) {
      one->on_run = [&] {
        if (log.size() > stop_at) {
          stop.request();
        }
      };
    }
    const auto results = measure_subjects({&a, &b}, options, context);
    if (!stop.requested()) {
      EXPECT_GT(stop_at, 20u);
      break;
    }
    // At most the sample that runs, its probes, and no more.
    EXPECT_LE(log.size(), stop_at + 3) << stop_at;
    const bool complete = results[0].rounds.size() == 6 && results[1].rounds.size() == 6;
    for (const Measurement& one : results) {
      EXPECT_EQ(one.end, complete ? SubjectEnd::converged : SubjectEnd::interrupted) << stop_at;
    }
    const auto difference =
        static_cast<int>(results[0].rounds.size()) - static_cast<int>(results[1].rounds.size());
    EXPECT_LE(std::abs(difference), 1) << "rounds stay paired";
    EXPECT_THAT(round_times_ns(results[0]), Each(30 * kMs));
    const auto first_round = std::size_t{11};
    if (stop_at > first_round) {
      const std::size_t kept = results[0].rounds.size() + results[1].rounds.size();
      EXPECT_GE(2 * kept + 1, stop_at - first_round) << "kept: " << kept;
    }
  }
}

TEST_F(SamplerBounds, AStopBeforeTheStartRunsNothing) {
  core::StopFlag stop;
  stop.request();
  context.stop = &stop;
  FakeSubject a(clock, "A", always(30 * kMs));
  const auto results = measure_subjects({&a}, options, context);
  EXPECT_EQ(results[0].end, SubjectEnd::interrupted);
  EXPECT_EQ(a.runs(), 0u);
}

}  // namespace
}  // namespace jissoku::measure
