// Which call launched which device work, and how: the link between host and device.
#pragma once

#include <unordered_map>
#include <vector>

#include "jissoku/timeline/analysis/calls.hpp"
#include "jissoku/timeline/analysis/device_activity.hpp"
#include "jissoku/timeline/analysis/host_threads.hpp"

namespace jissoku::timeline::analysis {

/// By correlation, within a process where the trace says which. One call may own thousands of kernels
/// (graphs), a kernel may have no call; of nested calls with one correlation the outermost counts.
class Launches {
 public:
  explicit Launches(const Timeline& timeline);

  /// The call that launched `work`, or kNoEvent.
  EventId call_of(EventId work) const;
  /// The operator with that external id, or kNoEvent: for work without a call.
  EventId op_of_external_id(std::int64_t external_id) const;
  CallKind kind_of(EventId call) const { return kinds_[timeline_.events.name[call]]; }

 private:
  struct Call {
    std::int64_t correlation;
    std::int64_t process;
    EventId event;
  };
  const Timeline& timeline_;
  std::vector<CallKind> kinds_;
  std::vector<Call> calls_;  ///< by correlation, then start
  std::unordered_map<std::int64_t, EventId> ops_;
};

/// Of one device. Times in ns.
struct LaunchStatistics {
  std::int64_t work = 0;    ///< device events
  std::int64_t linked = 0;  ///< ... with a call
  std::int64_t calls = 0;   ///< distinct calls that launched them
  std::int64_t kernels = 0;
  std::int64_t short_kernels = 0;    ///< under 10 us
  std::int64_t before_launch = 0;    ///< that start more than 10 us before their call: clocks disagree
  std::int64_t median_delay_ns = 0;  ///< from the start of the call to the start of the work
  std::int64_t median_call_ns = 0;
  std::int64_t median_kernel_ns = 0;
  std::int64_t deepest_queue = 0;  ///< work launched and not yet started
};

LaunchStatistics launch_statistics(const Timeline& timeline,
                                   const Launches& launches,
                                   const DeviceActivity& activity);

}  // namespace jissoku::timeline::analysis
