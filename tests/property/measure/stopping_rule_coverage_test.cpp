// Do the intervals still hold when their width decides when to stop? On simulated series, through the
// rule that the sampler uses.
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "jissoku/measure/stopping_rule.hpp"
#include "support/noise_series.hpp"

namespace jissoku::measure {
namespace {

using numerics::estimate_median;
using tests::Noise;
using tests::NoiseSeries;

constexpr int kRounds = 60;
constexpr double kLeast = 92;
constexpr double kMost = 98.8;  // widened for rho 0.8, so a little too wide for independent noise

/// The first rounds of `times`, up to where the rule stops.
Measurement measured(const std::vector<double>& times, const std::vector<double>& probes, double target) {
  StoppingRule rule;
  Measurement one;
  for (std::size_t i = 0; i < times.size(); ++i) {
    Sample sample;
    sample.host_ns = times[i];
    sample.probe_ns = probes.empty() ? 0 : probes[i];
    one.rounds.push_back(sample);
    if (is_check(static_cast<int>(i) + 1) && rule.stop(reached_target(one, target))) {
      break;
    }
  }
  return one;
}

bool covers(const numerics::Estimate& estimate, double truth) {
  return estimate.interval.low <= truth && truth <= estimate.interval.high;
}

TEST(StoppingRuleCoverage, TimesAtTheStop) {
  const std::vector<std::pair<std::string, Noise>> models = {
      {"independent", {}},
      {"AR(1) rho 0.5", {.rho = 0.5}},
      {"AR(1) rho 0.8", {.rho = 0.8}},
      {"rho 0.8, 5 % outliers", {.rho = 0.8, .outlier_rate = 0.05}},
  };
  constexpr int kSeries = 4000;
  std::uint64_t seed = 1;
  for (const auto& [name, noise] : models) {
    std::printf("| %s |", name.c_str());
    for (const double target : {0.005, 0.01, 0.015, 0.02, 0.03, 0.05}) {
      NoiseSeries generator(seed++);
      int covered = 0;
      double rounds = 0;
      for (int i = 0; i < kSeries; ++i) {
        const auto series = generator.draw(kRounds, noise);
        const Measurement one = measured(series.times, {}, target);
        covered += covers(estimate_median(round_times_ns(one)), series.truth) ? 1 : 0;
        rounds += static_cast<double>(one.rounds.size());
      }
      const double percent = 100.0 * covered / kSeries;
      std::printf(" %.1f (%.0f) |", percent, rounds / kSeries);
      EXPECT_GE(percent, kLeast) << name << ", target " << target;
    }
    std::printf("\n");
  }
}

// The machine's speed jumps for all; the subject and the probe have a little noise of their own.
TEST(StoppingRuleCoverage, SharesOfTheProbeAtTheStop) {
  constexpr int kSeries = 4000;
  constexpr double kTarget = 0.02;
  std::uint64_t seed = 100;
  for (const double own_rho : {0.0, 0.5, 0.8}) {
    for (const double own_sigma : {0.005, 0.01, 0.02}) {
      NoiseSeries generator(seed++);
      int covered = 0;
      int reached = 0;
      double rounds = 0;
      for (int i = 0; i < kSeries; ++i) {
        const auto phases = generator.draw(kRounds, {.sigma = 0.15, .rho = 0.8});
        auto subject = generator.draw(kRounds, {.sigma = own_sigma, .rho = own_rho});
        auto probe = generator.draw(kRounds, {.sigma = 0.005});
        for (std::size_t t = 0; t < subject.times.size(); ++t) {
          subject.times[t] *= phases.times[t];
          probe.times[t] *= phases.times[t];
        }
        const Measurement one = measured(subject.times, probe.times, kTarget);
        covered += covers(*share_of_probe(one), probe.truth / subject.truth) ? 1 : 0;
        reached += reached_target(one, kTarget) ? 1 : 0;
        rounds += static_cast<double>(one.rounds.size());
      }
      const double percent = 100.0 * covered / kSeries;
      std::printf("| own rho %.1f, sigma %.1f %% | %.1f | reached by %.1f %% | %.0f rounds |\n",
                  own_rho,
                  100 * own_sigma,
                  percent,
                  100.0 * reached / kSeries,
                  rounds / kSeries);
      EXPECT_GE(percent, kLeast) << "rho " << own_rho << ", sigma " << own_sigma;
      EXPECT_LE(percent, kMost) << "rho " << own_rho << ", sigma " << own_sigma;
    }
  }
}

}  // namespace
}  // namespace jissoku::measure
