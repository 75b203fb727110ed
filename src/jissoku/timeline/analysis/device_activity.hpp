// When a device worked, and on what. Window: from the first start to the last end of its work (kernels,
// copies, memsets on all streams), or a part of the trace that was asked for. Busy: the union of that work.
#pragma once

#include <optional>
#include <vector>

#include "jissoku/timeline/analysis/intervals.hpp"
#include "jissoku/timeline/model.hpp"

namespace jissoku::timeline::analysis {

struct DeviceActivity {
  std::int64_t device = 0;
  std::vector<EventId> work;  ///< by start
  Interval window;
  Intervals busy, idle;                    ///< within the window
  Intervals compute, communication, copy;  ///< kernels; collectives; copies and memsets

  /// Each moment counts once: compute before communication before copies. They add up to busy.
  std::int64_t compute_ns = 0, exposed_communication_ns = 0, exposed_copy_ns = 0;

  std::int64_t window_ns() const { return window.length_ns(); }
  std::int64_t busy_ns() const { return length_ns(busy); }
  /// A share from 0 to 1; 0 for an empty window.
  double idle_share() const;
};

/// All devices that worked, by number. `part`: only what lies in it counts, and it is the window.
std::vector<DeviceActivity> device_activities(const Timeline& timeline, std::optional<Interval> part);

}  // namespace jissoku::timeline::analysis
