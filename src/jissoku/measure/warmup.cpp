#include "jissoku/measure/warmup.hpp"

#include <algorithm>

namespace jissoku::measure {

bool reached_plateau(std::span<const double> times_ns) {
  constexpr std::size_t kLast = 3;
  constexpr double kSteady = 1.02;
  constexpr double kImproving = 0.99;
  if (times_ns.size() < kLast) {
    return false;
  }
  const auto last = times_ns.last(kLast);
  const auto earlier = times_ns.first(times_ns.size() - kLast);
  const auto [fastest, slowest] = std::minmax_element(last.begin(), last.end());
  if (*slowest <= *fastest * kSteady) {
    return true;
  }
  return !earlier.empty() && *fastest > *std::min_element(earlier.begin(), earlier.end()) * kImproving;
}

}  // namespace jissoku::measure
