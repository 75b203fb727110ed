#include "jissoku/timeline/analysis/launches.hpp"

#include <algorithm>

namespace jissoku::timeline::analysis {
namespace {

constexpr std::int64_t kShortKernelNs = 10'000;
constexpr std::int64_t kSkewNs = 10'000;

std::int64_t median(std::vector<std::int64_t>& values) {
  if (values.empty()) {
    return 0;
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Most work that was launched and had not started: +1 at the launch, -1 at the start.
std::int64_t deepest_queue(std::vector<std::int64_t> launched, std::vector<std::int64_t> started) {
  std::sort(launched.begin(), launched.end());
  std::sort(started.begin(), started.end());
  std::int64_t deepest = 0;
  std::size_t begun = 0;
  for (std::size_t count = 0; count < launched.size(); ++count) {
    while (begun < started.size() && started[begun] <= launched[count]) {
      ++begun;
    }
    deepest = std::max(deepest, static_cast<std::int64_t>(count + 1) - static_cast<std::int64_t>(begun));
  }
  return deepest;
}

}  // namespace

Launches::Launches(const Timeline& timeline) : timeline_(timeline), kinds_(call_kinds(timeline)) {
  const Events& events = timeline.events;
  for (EventId id = 0; id < events.size(); ++id) {
    if (const CallDetail* call = timeline.call_detail(id); call != nullptr && call->correlation >= 0) {
      const Lane& lane = timeline.lanes[events.lane[id]];
      calls_.push_back({call->correlation, lane.process.number, id});
    } else if (events.category[id] == Category::cpu_op) {
      const OpDetail* op = timeline.op_detail(id);
      if (op != nullptr && op->external_id > 0) {
        ops_.try_emplace(op->external_id, id);
      }
    }
  }
  std::sort(calls_.begin(), calls_.end(), [&events](const Call& left, const Call& right) {
    return left.correlation != right.correlation ? left.correlation < right.correlation
                                                 : events.start_ns[left.event] < events.start_ns[right.event];
  });
}

EventId Launches::call_of(EventId work) const {
  const DeviceDetail* detail = timeline_.device_detail(work);
  if (detail == nullptr || detail->correlation < 0) {
    return kNoEvent;
  }
  auto at = std::partition_point(calls_.begin(), calls_.end(), [detail](const Call& call) {
    return call.correlation < detail->correlation;
  });
  EventId first = kNoEvent;
  for (; at != calls_.end() && at->correlation == detail->correlation; ++at) {
    if (detail->process >= 0 && detail->process != at->process) {
      continue;
    }
    const CallKind kind = kinds_[timeline_.events.name[at->event]];
    const bool launches = kind == CallKind::launch || kind == CallKind::copy ||
                          kind == CallKind::blocking_copy || kind == CallKind::memset;
    if (launches) {
      return at->event;
    }
    first = first == kNoEvent ? at->event : first;
  }
  return first;
}

EventId Launches::op_of_external_id(std::int64_t external_id) const {
  const auto found = ops_.find(external_id);
  return external_id <= 0 || found == ops_.end() ? kNoEvent : found->second;
}

LaunchStatistics launch_statistics(const Timeline& timeline,
                                   const Launches& launches,
                                   const DeviceActivity& activity) {
  const Events& events = timeline.events;
  LaunchStatistics out;
  std::vector<std::int64_t> delays, calls_ns, kernels_ns, launched, started;
  std::vector<EventId> calls;
  for (const EventId id : activity.work) {
    ++out.work;
    if (events.category[id] == Category::kernel) {
      ++out.kernels;
      kernels_ns.push_back(events.duration_ns[id]);
      out.short_kernels += events.duration_ns[id] < kShortKernelNs ? 1 : 0;
    }
    const EventId call = launches.call_of(id);
    if (call == kNoEvent) {
      continue;
    }
    ++out.linked;
    calls.push_back(call);
    const std::int64_t delay = events.start_ns[id] - events.start_ns[call];
    out.before_launch += delay < -kSkewNs ? 1 : 0;
    delays.push_back(delay);
    launched.push_back(events.start_ns[call]);
    started.push_back(std::max(events.start_ns[id], events.start_ns[call]));
  }
  std::sort(calls.begin(), calls.end());
  calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
  for (const EventId call : calls) {
    calls_ns.push_back(events.duration_ns[call]);
  }
  out.calls = static_cast<std::int64_t>(calls.size());
  out.median_delay_ns = median(delays);
  out.median_call_ns = median(calls_ns);
  out.median_kernel_ns = median(kernels_ns);
  out.deepest_queue = deepest_queue(std::move(launched), std::move(started));
  return out;
}

}  // namespace jissoku::timeline::analysis
