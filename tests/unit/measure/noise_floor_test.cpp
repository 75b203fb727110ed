#include <cmath>

#include <gtest/gtest.h>

#include "jissoku/measure/sampler.hpp"
#include "support/fake_subject.hpp"
#include "support/noise_series.hpp"

namespace jissoku::measure {
namespace {

using tests::FakeClock;
using tests::FakeSubject;

class NoiseFloorTest : public testing::Test {
 protected:
  NoiseFloorTest() {
    context.clock = &clock;
    context.cpu_usage = [] { return CpuUsage{}; };
  }
  /// 30 ms with this noise.
  tests::LaunchTime noisy(const tests::Noise& noise, std::uint64_t seed) {
    const auto series = tests::NoiseSeries(seed).draw(400, noise);
    std::vector<double> times;
    for (const double time : series.times) {
      times.push_back(time / tests::NoiseSeries::kTime * 30e6);
    }
    return tests::scripted(times);
  }

  FakeClock clock;
  SamplerOptions options;
  SamplerContext context;
};

TEST_F(NoiseFloorTest, ASteadyMachineHasNone) {
  FakeSubject subject(clock, "A", tests::always(30e6));
  const auto floor = measure_noise_floor(subject, options, context);
  ASSERT_TRUE(floor);
  EXPECT_EQ(floor->relative, 0);
  EXPECT_EQ(floor->rounds, 20);
}

TEST_F(NoiseFloorTest, GrowsWithTheNoise) {
  // A ratio of two medians of n rounds of noise sigma has a standard error of about
  // sqrt(2 pi / 2 / n) sigma; the interval is about twice that wide to either side, and more than
  // that for the correlation it must reckon with.
  for (const double sigma : {0.002, 0.01, 0.05}) {
    FakeSubject subject(clock, "A", noisy({.sigma = sigma}, 3));
    const auto floor = measure_noise_floor(subject, options, context);
    ASSERT_TRUE(floor);
    const double error = std::sqrt(3.14159 / floor->rounds) * sigma;
    EXPECT_GT(floor->relative, 1 * error) << sigma;
    EXPECT_LT(floor->relative, 6 * error) << sigma;
  }
}

TEST_F(NoiseFloorTest, DifferencesOfASubjectToItselfLieWithinIt) {
  int within = 0;
  constexpr int kRuns = 200;
  for (int run = 0; run < kRuns; ++run) {
    FakeSubject subject(clock, "A", noisy({.sigma = 0.02, .rho = 0.5}, static_cast<std::uint64_t>(run)));
    const auto floor = measure_noise_floor(subject, options, context);
    ASSERT_TRUE(floor);
    const auto both = measure_subjects({&subject, &subject}, options, context);
    const double difference =
        std::log(numerics::estimate_ratio(round_times_ns(both[0]), round_times_ns(both[1])).value);
    within += std::abs(difference) <= floor->relative ? 1 : 0;
  }
  EXPECT_GE(within, kRuns * 92 / 100);
}

TEST_F(NoiseFloorTest, FailsWithTheSubject) {
  FakeSubject subject(clock, "A", tests::always(30e6));
  subject.fails_from = 9;
  const auto floor = measure_noise_floor(subject, options, context);
  ASSERT_FALSE(floor);
  EXPECT_EQ(floor.error().message.id, "test.failed");
}

TEST_F(NoiseFloorTest, NeedsRounds) {
  options.budget_ns = 150'000'000;
  FakeSubject subject(clock, "A", tests::always(30e6));
  const auto floor = measure_noise_floor(subject, options, context);
  ASSERT_FALSE(floor);
  EXPECT_EQ(floor.error().exit_code, core::ExitCode::unavailable);
  EXPECT_EQ(floor.error().message,
            core::message("measure.noise_floor_budget",
                          {{"rounds", std::int64_t{1}}, {"least", std::int64_t{5}}, {"budget", 1.5e8}}));
}

TEST_F(NoiseFloorTest, CanBeInterrupted) {
  core::StopFlag stop;
  context.stop = &stop;
  FakeSubject subject(clock, "A", tests::always(30e6));
  subject.on_run = [&] {
    if (subject.runs() > 12) {
      stop.request();
    }
  };
  const auto floor = measure_noise_floor(subject, options, context);
  ASSERT_FALSE(floor);
  EXPECT_EQ(floor.error().exit_code, core::ExitCode::interrupted);
}

}  // namespace
}  // namespace jissoku::measure
