#include "jissoku/timeline/finish.hpp"

#include <algorithm>
#include <limits>

namespace jissoku::timeline {
namespace {

constexpr std::int64_t kDayNs = 24 * 3600 * std::int64_t{1'000'000'000};
constexpr std::int64_t kRealOverlapNs = 1'000'000;

std::int64_t middle_start(const Events& events) {
  std::vector<std::int64_t> starts = events.start_ns;
  const auto middle = starts.begin() + static_cast<std::ptrdiff_t>(starts.size() / 2);
  std::nth_element(starts.begin(), middle, starts.end());
  return *middle;
}

/// Lists of events by lane; those at absurd times are left out.
void group(Timeline& timeline) {
  const Events& events = timeline.events;
  timeline.by_lane.assign(timeline.lanes.size(), {});
  if (events.size() == 0) {
    return;
  }
  const auto [least, most] = std::minmax_element(events.start_ns.begin(), events.start_ns.end());
  const bool spread = *most - *least > kDayNs;
  const std::int64_t middle = spread ? middle_start(events) : 0;
  std::vector<std::size_t> counts(timeline.lanes.size(), 0);
  for (const std::uint32_t lane : events.lane) {
    ++counts[lane];
  }
  for (std::size_t lane = 0; lane < counts.size(); ++lane) {
    timeline.by_lane[lane].reserve(counts[lane]);
  }
  for (EventId id = 0; id < events.size(); ++id) {
    const std::int64_t start = events.start_ns[id];
    if (spread && (start - middle > kDayNs || middle - start > kDayNs)) {
      ++timeline.repairs[Repair::absurd_times];
      continue;
    }
    timeline.by_lane[events.lane[id]].push_back(id);
  }
}

/// The last moment that can be believed: no event is longer than all starts are apart.
std::int64_t horizon_ns(const Timeline& timeline) {
  const Events& events = timeline.events;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const auto& list : timeline.by_lane) {
    for (const EventId id : list) {
      first = std::min(first, events.start_ns[id]);
      last = std::max(last, events.start_ns[id]);
    }
  }
  if (first > last) {
    return 0;
  }
  std::int64_t horizon = last;
  for (const auto& list : timeline.by_lane) {
    for (const EventId id : list) {
      // A trace of one event, or of a few that start together, still has its durations.
      const std::int64_t believable = std::max(last - first, kDayNs / (24 * 60));
      if (events.duration_ns[id] <= believable) {
        horizon = std::max(horizon, events.end_ns(id));
      }
    }
  }
  return horizon;
}

void mend_durations(Timeline& timeline) {
  Events& events = timeline.events;
  for (std::int64_t& duration : events.duration_ns) {
    if (duration < 0) {
      duration = 0;
      ++timeline.repairs[Repair::negative_durations];
    }
  }
  const std::int64_t horizon = horizon_ns(timeline);
  for (const auto& list : timeline.by_lane) {
    for (const EventId id : list) {
      if (events.end_ns(id) > horizon) {
        events.duration_ns[id] = horizon - events.start_ns[id];
        ++timeline.repairs[Repair::absurd_durations];
      }
    }
  }
}

void sort_lanes(Timeline& timeline) {
  const Events& events = timeline.events;
  for (auto& list : timeline.by_lane) {
    const auto before = [&events](EventId left, EventId right) {
      if (events.start_ns[left] != events.start_ns[right]) {
        return events.start_ns[left] < events.start_ns[right];
      }
      if (events.duration_ns[left] != events.duration_ns[right]) {
        return events.duration_ns[left] > events.duration_ns[right];
      }
      return left < right;
    };
    if (!std::is_sorted(list.begin(), list.end(), before)) {
      std::sort(list.begin(), list.end(), before);
    }
  }
}

void cut_overlaps(Timeline& timeline) {
  Events& events = timeline.events;
  for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane) {
    if (!timeline.lanes[lane].on_device) {
      continue;
    }
    const auto& list = timeline.by_lane[lane];
    for (std::size_t index = 0; index + 1 < list.size(); ++index) {
      const EventId id = list[index];
      const std::int64_t next = events.start_ns[list[index + 1]];
      if (is_device_work(events.category[id]) && events.end_ns(id) > next + kRealOverlapNs &&
          !is_collective(timeline.name(id))) {
        events.duration_ns[id] = next - events.start_ns[id];
        ++timeline.repairs[Repair::overlaps_cut];
      }
    }
  }
}

}  // namespace

bool is_collective(std::string_view kernel_name) {
  constexpr std::string_view kNames[] = {
      "ncclKernel", "ncclDevKernel", "nccl:", "rcclKernel", "rcclDevKernel", "oneccl_"};
  for (const std::string_view name : kNames) {
    if (kernel_name.find(name) != std::string_view::npos) {
      return true;
    }
  }
  return kernel_name.starts_with("nccl") || kernel_name.starts_with("hccl");
}

void finish(Timeline& timeline) {
  group(timeline);
  mend_durations(timeline);
  sort_lanes(timeline);
  cut_overlaps(timeline);
}

}  // namespace jissoku::timeline
