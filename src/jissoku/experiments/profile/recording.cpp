#include "jissoku/experiments/profile/recording.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <unistd.h>

#include "jissoku/timeline/finish.hpp"
#include "jissoku/timeline/importers/trace_builder.hpp"

namespace jissoku::experiments::profile {
namespace {

using device::Activity;
using timeline::Category;

/// In the style of the runtimes whose calls trace readers know.
const char* call_name(Activity activity) {
  switch (activity) {
    case Activity::launch:
      return "jissokuLaunchKernel";
    case Activity::copy:
      return "jissokuMemcpyAsync";
    case Activity::synchronise:
      break;
  }
  return "jissokuStreamSynchronize";
}

/// The start of the earliest thing on the host.
std::int64_t origin_of(const Recording& recording) {
  std::int64_t origin = std::numeric_limits<std::int64_t>::max();
  for (const auto& range : recording.ranges()) {
    origin = std::min(origin, range.start_ns);
  }
  for (const auto& call : recording.calls()) {
    origin = std::min(origin, call.start_ns);
  }
  return origin == std::numeric_limits<std::int64_t>::max() ? 0 : origin;
}

class Writer {
 public:
  Writer(const Recording& recording, const ClockFit& clocks, const device::Info& device)
      : recording_(recording), clocks_(clocks), builder_(out_), origin_ns_(origin_of(recording)) {
    out_.format = timeline::Format::jissoku;
    out_.path = device.id;
    timeline::DeviceInfo info;
    info.name = device.name;
    info.memory_bytes = device.memory_bytes;
    info.multiprocessors = device.compute_units;
    out_.devices.push_back(std::move(info));
    const timeline::Tag process{::getpid(), false};
    host_ = builder_.host_lane(process, process);
  }

  timeline::Timeline write() {
    add_ranges();
    for (const Recording::Call& call : recording_.calls()) {
      add(Category::runtime, call_name(call.activity), host_, call.start_ns, call.end_ns);
      builder_.detail(timeline::CallDetail{call.correlation, -1});
      calls_[call.correlation] = &call;
    }
    for (const Recording::Work& work : recording_.works()) {
      add_work(work);
    }
    out_.has_host_calls = true;
    out_.events_in_file = static_cast<std::int64_t>(out_.events.size());
    timeline::finish(out_);
    return std::move(out_);
  }

 private:
  void add(Category category,
           std::string_view name,
           std::uint32_t lane,
           std::int64_t start_ns,
           std::int64_t end_ns) {
    builder_.add(category, out_.strings.intern(name), lane, start_ns - origin_ns_, end_ns - start_ns);
  }

  void add_ranges() {
    for (const auto& [range, start_ns, end_ns] : recording_.ranges()) {
      if (end_ns < 0) {
        continue;  // still open
      }
      add(range->annotation ? Category::annotation : Category::cpu_op, range->name, host_, start_ns, end_ns);
      timeline::OpDetail detail;
      detail.input_shapes = out_.strings.intern(range->shapes);
      detail.input_types = out_.strings.intern(range->types);
      out_.has_shapes = out_.has_shapes || !range->shapes.empty();
      builder_.detail(detail);
    }
  }

  void add_work(const Recording::Work& work) {
    const auto call = calls_.find(work.correlation);
    const CopyFacts* copy = call == calls_.end() ? nullptr : call->second->copy;
    const bool is_copy = work.activity == Activity::copy;
    const std::string name = is_copy ? "Memcpy " + (copy != nullptr ? copy->way : "") : work.name;
    add(is_copy ? Category::memcpy : Category::kernel,
        name,
        builder_.device_lane(0, 0, true),
        work.start_ns + clocks_.offset_ns,
        work.end_ns + clocks_.offset_ns);
    timeline::DeviceDetail detail;
    detail.correlation = work.correlation;
    if (is_copy) {
      timeline::importers::read_copy_name(name, detail);
      detail.bytes = copy != nullptr ? copy->bytes : -1;
    }
    builder_.detail(detail);
  }

  const Recording& recording_;
  const ClockFit& clocks_;
  timeline::Timeline out_;
  timeline::importers::TraceBuilder builder_;
  std::int64_t origin_ns_;
  std::uint32_t host_ = 0;
  std::map<std::int64_t, const Recording::Call*> calls_;
};

}  // namespace

void Recording::clear() {
  ranges_.clear();
  open_.clear();
  calls_.clear();
  works_.clear();
  expected_ = nullptr;
}

void Recording::enter(const Range& range) {
  open_.push_back(ranges_.size());
  ranges_.push_back({&range, clock_.now_ns(), -1});
}

void Recording::leave() {
  ranges_[open_.back()].end_ns = clock_.now_ns();
  open_.pop_back();
}

void Recording::host_call(Activity activity,
                          const std::string& name,
                          std::int64_t correlation,
                          std::int64_t start_ns,
                          std::int64_t end_ns) {
  calls_.push_back({activity, name, correlation, start_ns, end_ns, expected_});
  expected_ = nullptr;
}

void Recording::device_work(Activity activity,
                            const std::string& name,
                            std::int64_t correlation,
                            std::int64_t start_ns,
                            std::int64_t end_ns) {
  works_.push_back({activity, name, correlation, start_ns, end_ns});
}

ClockFit fit_clocks(const Recording& recording, std::optional<std::int64_t> measured_ns) {
  std::map<std::int64_t, const Recording::Call*> calls;
  std::vector<const Recording::Call*> waits;
  for (const Recording::Call& call : recording.calls()) {
    calls[call.correlation] = &call;
    if (call.activity == Activity::synchronise) {
      waits.push_back(&call);
    }
  }
  std::optional<std::int64_t> least, most;
  for (const Recording::Work& work : recording.works()) {
    const auto call = calls.find(work.correlation);
    if (call == calls.end()) {
      continue;
    }
    const std::int64_t begin = call->second->start_ns - work.start_ns;
    least = std::max(least.value_or(begin), begin);
    const auto wait = std::lower_bound(
        waits.begin(),
        waits.end(),
        call->second->end_ns,
        [](const Recording::Call* one, std::int64_t time_ns) { return one->start_ns < time_ns; });
    if (wait != waits.end()) {
      const std::int64_t end = (*wait)->end_ns - work.end_ns;
      most = std::min(most.value_or(end), end);
    }
  }
  ClockFit fit;
  fit.offset_ns = measured_ns.value_or(0);
  if (!least) {
    return fit;
  }
  const std::int64_t upper = most.value_or(*least);
  const bool possible = measured_ns && *least <= *measured_ns && *measured_ns <= upper;
  fit.offset_ns = possible ? *measured_ns : *least + (upper - *least) / 2;
  fit.uncertainty_ns = std::max<std::int64_t>(0, std::max(fit.offset_ns - *least, upper - fit.offset_ns));
  fit.contradiction_ns = std::max<std::int64_t>(0, *least - upper);
  return fit;
}

timeline::Timeline to_timeline(const Recording& recording,
                               const ClockFit& clocks,
                               const device::Info& device) {
  return Writer(recording, clocks, device).write();
}

}  // namespace jissoku::experiments::profile
