#include "jissoku/timeline/analysis/intervals.hpp"

#include <algorithm>

namespace jissoku::timeline::analysis {

Intervals unite(std::vector<Interval> intervals) {
  const auto earlier = [](const Interval& left, const Interval& right) {
    return left.begin_ns < right.begin_ns;
  };
  if (!std::is_sorted(intervals.begin(), intervals.end(), earlier)) {
    std::sort(intervals.begin(), intervals.end(), earlier);
  }
  Intervals out;
  for (const Interval& next : intervals) {
    if (next.end_ns <= next.begin_ns) {
      continue;
    }
    if (!out.empty() && next.begin_ns <= out.back().end_ns) {
      out.back().end_ns = std::max(out.back().end_ns, next.end_ns);
    } else {
      out.push_back(next);
    }
  }
  return out;
}

std::int64_t length_ns(const Intervals& set) {
  std::int64_t sum = 0;
  for (const Interval& interval : set) {
    sum += interval.length_ns();
  }
  return sum;
}

Intervals intersect(const Intervals& left, const Intervals& right) {
  Intervals out;
  auto l = left.begin();
  auto r = right.begin();
  while (l != left.end() && r != right.end()) {
    const Interval both{std::max(l->begin_ns, r->begin_ns), std::min(l->end_ns, r->end_ns)};
    if (both.begin_ns < both.end_ns) {
      out.push_back(both);
    }
    (l->end_ns < r->end_ns ? l : r)++;
  }
  return out;
}

Intervals subtract(const Intervals& left, const Intervals& right) {
  Intervals out;
  auto r = right.begin();
  for (Interval rest : left) {
    while (r != right.end() && r->end_ns <= rest.begin_ns) {
      ++r;
    }
    for (auto cut = r; cut != right.end() && cut->begin_ns < rest.end_ns; ++cut) {
      if (cut->begin_ns > rest.begin_ns) {
        out.push_back({rest.begin_ns, cut->begin_ns});
      }
      rest.begin_ns = std::max(rest.begin_ns, cut->end_ns);
    }
    if (rest.begin_ns < rest.end_ns) {
      out.push_back(rest);
    }
  }
  return out;
}

std::int64_t covered_ns(const Intervals& set, Interval range) {
  auto at = std::partition_point(
      set.begin(), set.end(), [&](const Interval& interval) { return interval.end_ns <= range.begin_ns; });
  std::int64_t sum = 0;
  for (; at != set.end() && at->begin_ns < range.end_ns; ++at) {
    sum += std::min(at->end_ns, range.end_ns) - std::max(at->begin_ns, range.begin_ns);
  }
  return sum;
}

}  // namespace jissoku::timeline::analysis
