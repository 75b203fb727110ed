// Coverage of the printed 95 % intervals on simulated series, and the derivation of their table.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "jissoku/numerics/statistics.hpp"
#include "support/noise_series.hpp"

namespace jissoku::numerics {
namespace {

using tests::Noise;
using tests::NoiseSeries;

constexpr int kSeries = 6000;
// Three standard errors of a share of 0.92 among kSeries are 1.1 %; the calibration aims at 93 %
// and the seeds are fixed, so the limits are checked as they are stated.
constexpr double kLeast = 92.0;
constexpr double kMost = 98.0;

struct Case {
  std::string name;
  Noise noise;
  double most = kMost;  // more where the interval is wider than needed; docs/statistics.md says why
};

std::vector<Case> cases() {
  return {
      {"independent", {}},
      {"AR(1) rho 0.3", {.rho = 0.3}},
      {"AR(1) rho 0.5", {.rho = 0.5}},
      {"AR(1) rho 0.8", {.rho = 0.8}},
      {"5 % outliers", {.outlier_rate = 0.05}},
      {"10 % outliers", {.outlier_rate = 0.1}},
      {"rho 0.5, 5 % outliers", {.rho = 0.5, .outlier_rate = 0.05}, 98.5},
      {"rho 0.8, 5 % outliers", {.rho = 0.8, .outlier_rate = 0.05}},
      {"skewed", {.skew = 0.5}},
      {"skewed, rho 0.8", {.rho = 0.8, .skew = 0.5}},
      {"drift of 0.5 sigma", {.drift = 0.5}},
      {"drift of 1 sigma", {.drift = 1}, 98.5},
      {"rho 0.8, drift of 1 sigma", {.rho = 0.8, .drift = 1}},
      {"slow random walk", {.walk = 0.1}},
      {"drift of 2 sigma", {.drift = 2}, 99.7},
      {"drift of 5 sigma", {.drift = 5}, 100},
      {"random walk", {.walk = 0.3}, 99.6},
      {"rho 0.5, drift of 2 sigma", {.rho = 0.5, .drift = 2}, 99.8},
  };
}

bool covers(const Estimate& estimate, double truth) {
  return estimate.interval.low <= truth && truth <= estimate.interval.high;
}

struct Coverage {
  double percent = 0;
  double half_width_sigmas = 0;  // median
};

Coverage median_coverage(int rounds, const Noise& noise, std::uint64_t seed) {
  NoiseSeries generator(seed);
  int covered = 0;
  std::vector<double> widths;
  for (int i = 0; i < kSeries; ++i) {
    const auto series = generator.draw(rounds, noise);
    const Estimate estimate = estimate_median(series.times);
    covered += covers(estimate, series.truth) ? 1 : 0;
    widths.push_back(estimate.relative_half_width() / noise.sigma);
  }
  return {100.0 * covered / kSeries, median(widths)};
}

// Both subjects suffer the same slow phases of the machine (common), each has noise of its own.
Coverage ratio_coverage(int rounds, const Noise& own, const Noise& common, std::uint64_t seed) {
  constexpr double kSpeedUp = 1.25;
  NoiseSeries generator(seed);
  int covered = 0;
  std::vector<double> widths;
  for (int i = 0; i < kSeries; ++i) {
    const auto shared = generator.draw(rounds, common);
    auto base = generator.draw(rounds, own);
    auto subject = generator.draw(rounds, own);
    for (std::size_t t = 0; t < base.times.size(); ++t) {
      base.times[t] *= kSpeedUp * shared.times[t];
      subject.times[t] *= shared.times[t];
    }
    const Estimate estimate = estimate_ratio(base.times, subject.times);
    covered += covers(estimate, kSpeedUp) ? 1 : 0;
    widths.push_back(estimate.relative_half_width() / own.sigma);
  }
  return {100.0 * covered / kSeries, median(widths)};
}

constexpr int kRoundCounts[] = {5, 6, 7, 8, 10, 12, 16, 20, 40, 60};

void print_row(const std::string& name, const std::vector<Coverage>& row) {
  std::printf("| %s |", name.c_str());
  for (const Coverage& coverage : row) {
    std::printf(" %.1f (%.2g) |", coverage.percent, coverage.half_width_sigmas);
  }
  std::printf("\n");
}

TEST(StatisticsCoverage, MedianIntervals) {
  std::uint64_t seed = 1;
  for (const Case& one : cases()) {
    std::vector<Coverage> row;
    for (const int rounds : kRoundCounts) {
      SCOPED_TRACE(one.name + ", " + std::to_string(rounds) + " rounds");
      row.push_back(median_coverage(rounds, one.noise, seed++));
      EXPECT_GE(row.back().percent, kLeast);
      EXPECT_LE(row.back().percent, one.most);
    }
    print_row(one.name, row);
  }
}

TEST(StatisticsCoverage, RatioIntervals) {
  struct RatioCase {
    std::string name;
    Noise own, common;
  };
  const std::vector<RatioCase> all = {
      {"common slow phases", {}, {.sigma = 0.2, .rho = 0.8}},
      {"common drift", {}, {.sigma = 0.01, .drift = 30}},
      {"common, own rho 0.5", {.rho = 0.5}, {.sigma = 0.2, .rho = 0.8}},
      {"common, own rho 0.8", {.rho = 0.8}, {.sigma = 0.2, .rho = 0.8}},
      {"common and own outliers", {.outlier_rate = 0.05}, {.sigma = 0.2, .outlier_rate = 0.2}},
  };
  std::uint64_t seed = 1001;
  for (const RatioCase& one : all) {
    std::vector<Coverage> row;
    for (const int rounds : kRoundCounts) {
      SCOPED_TRACE(one.name + ", " + std::to_string(rounds) + " rounds");
      row.push_back(ratio_coverage(rounds, one.own, one.common, seed++));
      EXPECT_GE(row.back().percent, kLeast);
      EXPECT_LE(row.back().percent, kMost);
    }
    print_row(one.name, row);
  }
}

// Every count between and beyond the calibrated ones.
TEST(StatisticsCoverage, InterpolatedCounts) {
  for (int rounds = 5; rounds <= 100; rounds += rounds < 20 ? 1 : 9) {
    for (const double rho : {0.0, 0.8}) {
      const Coverage coverage =
          median_coverage(rounds, {.rho = rho}, static_cast<std::uint64_t>(rounds) + (rho > 0 ? 5000 : 4000));
      EXPECT_GE(coverage.percent, kLeast) << rounds << " rounds, rho " << rho;
      EXPECT_LE(coverage.percent, kMost) << rounds << " rounds, rho " << rho;
    }
  }
}

// Derives the table of statistics.cpp again: for each count the factor by which its multiplier would
// have to change so that the worst noise model is covered in exactly 93 % of series.
TEST(SlowStatisticsCalibration, TableIsTheDerivedOne) {
  constexpr int kCalibrationSeries = 20000;
  std::vector<Noise> models;
  for (const double rho : {0.0, 0.3, 0.5, 0.65, 0.8}) {
    models.push_back({.rho = rho});
    models.push_back({.rho = rho, .outlier_rate = 0.05});
    models.push_back({.rho = rho, .outlier_rate = 0.1});
    models.push_back({.rho = rho, .skew = 0.5});
  }
  for (const int rounds : {5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 120}) {
    double factor = 0;
    for (const Noise& noise : models) {
      NoiseSeries generator(77);
      std::vector<double> errors;
      for (int i = 0; i < kCalibrationSeries; ++i) {
        const auto series = generator.draw(rounds, noise);
        const Estimate estimate = estimate_median(series.times);
        const double half = std::log(estimate.interval.high / estimate.value);
        errors.push_back(std::abs(std::log(estimate.value / series.truth)) / half);
      }
      factor = std::max(factor, quantile(errors, 0.93));
    }
    EXPECT_NEAR(factor, 1, 0.02) << "multiply the entry of " << rounds << " rounds by " << factor;
  }
}

}  // namespace
}  // namespace jissoku::numerics
