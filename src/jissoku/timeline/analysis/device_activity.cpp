#include "jissoku/timeline/analysis/device_activity.hpp"

#include <algorithm>
#include <map>

#include "jissoku/timeline/finish.hpp"

namespace jissoku::timeline::analysis {
namespace {

/// Names are few, events many: each name is judged once.
std::vector<bool> collective_names(const Timeline& timeline) {
  std::vector<bool> out(timeline.strings.size(), false);
  for (StringId id = 0; id < timeline.strings.size(); ++id) {
    out[id] = is_collective(timeline.strings[id]);
  }
  return out;
}

Interval clipped(Interval interval, const std::optional<Interval>& part) {
  if (part) {
    interval.begin_ns = std::max(interval.begin_ns, part->begin_ns);
    interval.end_ns = std::min(interval.end_ns, part->end_ns);
  }
  return interval;
}

void fill(const Timeline& timeline,
          const std::vector<bool>& collective,
          const std::optional<Interval>& part,
          DeviceActivity& out) {
  const Events& events = timeline.events;
  std::sort(out.work.begin(), out.work.end(), [&](EventId left, EventId right) {
    return events.start_ns[left] != events.start_ns[right] ? events.start_ns[left] < events.start_ns[right]
                                                           : left < right;
  });
  std::vector<Interval> all, compute, communication, copy;
  for (const EventId id : out.work) {
    const Interval interval = clipped({events.start_ns[id], events.end_ns(id)}, part);
    all.push_back(interval);
    if (events.category[id] != Category::kernel) {
      copy.push_back(interval);
    } else {
      (collective[events.name[id]] ? communication : compute).push_back(interval);
    }
  }
  out.window = all.front();
  for (const Interval& interval : all) {
    out.window.end_ns = std::max(out.window.end_ns, interval.end_ns);
  }
  out.window = part ? *part : out.window;
  out.busy = unite(std::move(all));
  out.compute = unite(std::move(compute));
  out.communication = unite(std::move(communication));
  out.copy = unite(std::move(copy));
  out.idle = subtract({out.window}, out.busy);
  out.compute_ns = length_ns(out.compute);
  out.exposed_communication_ns = length_ns(subtract(out.communication, out.compute));
  out.exposed_copy_ns = out.busy_ns() - out.compute_ns - out.exposed_communication_ns;
}

}  // namespace

double DeviceActivity::idle_share() const {
  return window_ns() <= 0 ? 0.0 : static_cast<double>(length_ns(idle)) / static_cast<double>(window_ns());
}

std::vector<DeviceActivity> device_activities(const Timeline& timeline, std::optional<Interval> part) {
  std::map<std::int64_t, DeviceActivity> devices;
  const Events& events = timeline.events;
  for (std::size_t lane = 0; lane < timeline.by_lane.size(); ++lane) {
    if (!timeline.lanes[lane].on_device) {
      continue;
    }
    for (const EventId id : timeline.by_lane[lane]) {
      const bool inside = !part || (events.end_ns(id) > part->begin_ns && events.start_ns[id] < part->end_ns);
      if (inside && is_device_work(events.category[id])) {
        devices[timeline.lanes[lane].device].work.push_back(id);
      }
    }
  }
  const std::vector<bool> collective = collective_names(timeline);
  std::vector<DeviceActivity> out;
  for (auto& [device, activity] : devices) {
    activity.device = device;
    fill(timeline, collective, part, activity);
    out.push_back(std::move(activity));
  }
  return out;
}

}  // namespace jissoku::timeline::analysis
