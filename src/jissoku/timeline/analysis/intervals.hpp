// Sets of time as sorted, disjoint, half-open intervals in ns. All figures about busy and idle time are
// lengths of such sets, so that nothing is counted twice.
#pragma once

#include <cstdint>
#include <vector>

namespace jissoku::timeline::analysis {

struct Interval {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t length_ns() const { return end_ns - begin_ns; }
  bool operator==(const Interval&) const = default;
};

/// Sorted, disjoint, none empty.
using Intervals = std::vector<Interval>;

/// The union of intervals in any order; empty ones vanish.
Intervals unite(std::vector<Interval> intervals);
std::int64_t length_ns(const Intervals& set);
/// What is in both.
Intervals intersect(const Intervals& left, const Intervals& right);
/// What is in `left` and not in `right`.
Intervals subtract(const Intervals& left, const Intervals& right);
/// How much of [begin, end) is in `set`.
std::int64_t covered_ns(const Intervals& set, Interval range);

}  // namespace jissoku::timeline::analysis
