// Printed intervals where every run has an offset of its own, which no run can see in its rounds.
#include <cstdio>
#include <random>

#include <gtest/gtest.h>

#include "jissoku/document/derive.hpp"
#include "support/documents.hpp"
#include "support/noise_series.hpp"

namespace jissoku::document {
namespace {

TEST(RunToRunCoverage, PrintedIntervalsCoverTheTruthOfAllRuns) {
  constexpr int kRuns = 3000;
  constexpr double kAllowance = 0.012;
  std::mt19937_64 engine(5);
  std::normal_distribution<double> offset(0, kAllowance / 1.96);
  for (const double rho : {0.0, 0.8}) {
    for (const int rounds : {20, 60}) {
      tests::NoiseSeries generator(static_cast<std::uint64_t>(rounds) + (rho > 0 ? 1000 : 0));
      int covered = 0;
      for (int run = 0; run < kRuns; ++run) {
        auto series = generator.draw(rounds, {.sigma = 0.005, .rho = rho});
        const double factor = std::exp(offset(engine));
        for (double& time : series.times) {
          time *= factor;
        }
        Row row = tests::measured_row("cpu", series.times);
        row.run_to_run = kAllowance;
        const auto time = time_ns(row);
        ASSERT_TRUE(time);
        covered += time->interval.low <= series.truth && series.truth <= time->interval.high ? 1 : 0;
      }
      const double percent = 100.0 * covered / kRuns;
      std::printf("rho %.1f, %d rounds: %.1f %%\n", rho, rounds, percent);
      EXPECT_GE(percent, 92);
      EXPECT_LE(percent, 98);
    }
  }
}

}  // namespace
}  // namespace jissoku::document
