// Simulated timing series with a known median, for tests of intervals and of code that uses them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace jissoku::tests {

/// How the rounds of a series scatter around their median. Gaussian unless said otherwise.
struct Noise {
  double sigma = 0.01;      ///< relative
  double rho = 0;           ///< correlation between consecutive rounds, AR(1)
  double outlier_rate = 0;  ///< share of rounds that take 2x the time
  double skew = 0;          ///< > 0: the noise is exp(skew * z), right-skewed as waiting times are
  double drift = 0;         ///< linear over the series, in sigma, first to last round
  double walk = 0;          ///< random walk, in sigma per round
};

class NoiseSeries {
 public:
  explicit NoiseSeries(std::uint64_t seed) : engine_(seed) {}

  struct Series {
    std::vector<double> times;
    double truth = 0;  ///< median of the population; for drifts, over the window of the series
  };
  Series draw(int rounds, const Noise& noise) {
    Series series;
    std::vector<double> path;
    double z = normal_(engine_);
    double walk = 0;
    for (int t = 0; t < rounds; ++t) {
      const double position = rounds > 1 ? t / static_cast<double>(rounds - 1) : 0.5;
      path.push_back((position - 0.5) * noise.drift + walk);
      const double shape = noise.skew > 0 ? (std::exp(noise.skew * z) - 1) / noise.skew : z;
      const bool outlier = uniform_(engine_) < noise.outlier_rate;
      series.times.push_back(kTime * std::exp(noise.sigma * (shape + path.back())) * (outlier ? 2 : 1));
      z = noise.rho * z + std::sqrt(1 - noise.rho * noise.rho) * normal_(engine_);
      walk += noise.walk * normal_(engine_);
    }
    std::sort(path.begin(), path.end());
    const std::size_t middle = path.size() / 2;
    const double centre = path.size() % 2 == 1 ? path[middle] : (path[middle - 1] + path[middle]) / 2;
    series.truth = kTime * std::exp(noise.sigma * (centre + contaminated_median(noise.outlier_rate)));
    return series;
  }

  static constexpr double kTime = 1e6;

 private:
  /// Outliers lie above everything else, so the median moves to quantile 0.5 / (1 - rate).
  static double contaminated_median(double rate) {
    double low = 0;
    double high = 5;
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      const double below = (1 - rate) * 0.5 * std::erfc(-middle / std::sqrt(2.0));
      (below < 0.5 ? low : high) = middle;
    }
    return low;
  }

  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

}  // namespace jissoku::tests
