#include "jissoku/timeline/analysis/host_threads.hpp"

#include <algorithm>

namespace jissoku::timeline::analysis {
namespace {

void find_parents(const Events& events, HostThread& thread) {
  std::vector<std::uint32_t> stack;
  thread.parents.resize(thread.events.size());
  for (std::uint32_t position = 0; position < thread.events.size(); ++position) {
    const std::int64_t start = events.start_ns[thread.events[position]];
    while (!stack.empty() && events.end_ns(thread.events[stack.back()]) <= start) {
      stack.pop_back();
    }
    thread.parents[position] = stack.empty() ? kNone : stack.back();
    stack.push_back(position);
  }
}

}  // namespace

HostThreads::HostThreads(const Timeline& timeline)
    : timeline_(timeline),
      thread_of_lane_(timeline.lanes.size(), kNone),
      position_of_(timeline.events.size(), kNone) {
  for (std::uint32_t lane = 0; lane < timeline.by_lane.size(); ++lane) {
    if (timeline.lanes[lane].on_device || timeline.by_lane[lane].empty()) {
      continue;
    }
    thread_of_lane_[lane] = static_cast<std::uint32_t>(threads_.size());
    HostThread& thread = threads_.emplace_back();
    thread.lane = lane;
    thread.events = timeline.by_lane[lane];
    find_parents(timeline.events, thread);
    for (std::uint32_t position = 0; position < thread.events.size(); ++position) {
      position_of_[thread.events[position]] = position;
    }
  }
}

Place HostThreads::place_of(EventId id) const {
  const std::uint32_t position = position_of_[id];
  return position == kNone ? Place{} : Place{thread_of_lane_[timeline_.events.lane[id]], position};
}

Place HostThreads::parent(Place place) const {
  const std::uint32_t position = threads_[place.thread].parents[place.position];
  return position == kNone ? Place{} : Place{place.thread, position};
}

std::uint32_t HostThreads::first_from(std::uint32_t thread, std::int64_t time_ns) const {
  const auto& list = threads_[thread].events;
  const auto found = std::partition_point(
      list.begin(), list.end(), [&](EventId id) { return timeline_.events.start_ns[id] < time_ns; });
  return static_cast<std::uint32_t>(found - list.begin());
}

Place HostThreads::innermost(std::uint32_t thread, std::int64_t time_ns) const {
  const std::uint32_t next = first_from(thread, time_ns + 1);
  if (next == 0) {
    return {};
  }
  Place place{thread, next - 1};
  while (place.known() && timeline_.events.end_ns(event_at(place)) <= time_ns) {
    place = parent(place);
  }
  return place;
}

}  // namespace jissoku::timeline::analysis
