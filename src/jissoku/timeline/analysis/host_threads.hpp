// What host threads did, as stacks: which event lies in which, and what ran at a moment.
#pragma once

#include <optional>
#include <vector>

#include "jissoku/timeline/analysis/intervals.hpp"
#include "jissoku/timeline/model.hpp"

namespace jissoku::timeline::analysis {

/// Place of an event: thread (index into HostThreads) and position in it.
struct Place {
  std::uint32_t thread = kNone;
  std::uint32_t position = kNone;
  bool known() const { return thread != kNone; }
};

struct HostThread {
  std::uint32_t lane = 0;
  std::vector<EventId> events;         ///< by start, the enclosing one first
  std::vector<std::uint32_t> parents;  ///< positions; kNone: outermost
};

class HostThreads {
 public:
  explicit HostThreads(const Timeline& timeline);

  const std::vector<HostThread>& threads() const { return threads_; }
  const Timeline& timeline() const { return timeline_; }
  Place place_of(EventId id) const;
  EventId event_at(Place place) const { return threads_[place.thread].events[place.position]; }
  Place parent(Place place) const;

  /// The innermost event of the thread that runs at `time_ns`; kNone where none does.
  Place innermost(std::uint32_t thread, std::int64_t time_ns) const;
  /// From `place` outwards, the first event for which `wanted(EventId)` holds.
  template <typename Wanted>
  std::optional<EventId> enclosing(Place place, Wanted wanted) const {
    for (; place.known(); place = parent(place)) {
      if (wanted(event_at(place))) {
        return event_at(place);
      }
    }
    return std::nullopt;
  }
  /// First position whose event starts at or after `time_ns`.
  std::uint32_t first_from(std::uint32_t thread, std::int64_t time_ns) const;

 private:
  const Timeline& timeline_;
  std::vector<HostThread> threads_;
  std::vector<std::uint32_t> thread_of_lane_;
  std::vector<std::uint32_t> position_of_;  ///< by EventId
};

/// The events of a thread as a stack, each moment given to the innermost event: calls `self(position, begin,
/// end)` for each piece. The pieces of a thread are disjoint and cover the union of its events.
template <typename Self>
void for_each_self_piece(const Timeline& timeline, const HostThread& thread, Self self) {
  const Events& events = timeline.events;
  std::vector<std::uint32_t> stack;
  std::int64_t now = 0;
  const auto advance = [&](std::int64_t to) {
    while (!stack.empty() && now < to) {
      const std::int64_t end = events.end_ns(thread.events[stack.back()]);
      const std::int64_t until = end < to ? end : to;
      if (until > now) {
        self(stack.back(), now, until);
        now = until;
      }
      if (end <= to) {
        stack.pop_back();
      }
    }
  };
  for (std::uint32_t position = 0; position < thread.events.size(); ++position) {
    const std::int64_t start = events.start_ns[thread.events[position]];
    advance(start);
    now = start;
    stack.push_back(position);
  }
  advance(INT64_MAX);
}

}  // namespace jissoku::timeline::analysis
