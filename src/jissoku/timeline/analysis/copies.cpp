#include "jissoku/timeline/analysis/copies.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace jissoku::timeline::analysis {

std::vector<CopyGroup> copy_groups(const Timeline& timeline, const DeviceActivity& activity) {
  using Key = std::tuple<Category, CopyKind, Memory, Memory>;
  std::map<Key, CopyGroup> groups;
  const Events& events = timeline.events;
  for (const EventId id : activity.work) {
    const DeviceDetail* detail = timeline.device_detail(id);
    if (events.category[id] == Category::kernel || detail == nullptr) {
      continue;
    }
    const Key key(events.category[id], detail->copy_kind, detail->from, detail->to);
    CopyGroup& group = groups[key];
    std::tie(group.category, group.kind, group.from, group.to) = key;
    ++group.count;
    group.time_ns += events.duration_ns[id];
    if (detail->bytes >= 0) {
      group.bytes += detail->bytes;
      group.timed_bytes_ns += events.duration_ns[id];
    }
  }
  std::vector<CopyGroup> out;
  for (const auto& [key, group] : groups) {
    out.push_back(group);
  }
  std::stable_sort(out.begin(), out.end(), [](const CopyGroup& left, const CopyGroup& right) {
    return left.time_ns > right.time_ns;
  });
  return out;
}

Intervals link_copies(const Timeline& timeline, const DeviceActivity& activity) {
  std::vector<Interval> out;
  for (const EventId id : activity.work) {
    const DeviceDetail* detail = timeline.device_detail(id);
    const bool crosses = detail != nullptr && (detail->copy_kind == CopyKind::host_to_device ||
                                               detail->copy_kind == CopyKind::device_to_host);
    if (timeline.events.category[id] == Category::memcpy && crosses) {
      out.push_back({timeline.events.start_ns[id], timeline.events.end_ns(id)});
    }
  }
  return intersect(unite(std::move(out)), {activity.window});
}

}  // namespace jissoku::timeline::analysis
