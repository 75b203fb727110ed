// Kernels and calls by name: how often and how long.
#pragma once

#include <string>
#include <vector>

#include "jissoku/timeline/analysis/device_activity.hpp"
#include "jissoku/timeline/analysis/host_threads.hpp"
#include "jissoku/timeline/analysis/launches.hpp"

namespace jissoku::timeline::analysis {

struct NameRow {
  std::string name;
  std::string caller;  ///< of calls: the operator around them
  std::int64_t count = 0, time_ns = 0, least_ns = 0, most_ns = 0;
};

/// Device work of that device by name, the longest time first.
std::vector<NameRow> kernel_table(const Timeline& timeline, const DeviceActivity& activity);
/// Calls that wait for a device, by name and caller, the longest time first.
std::vector<NameRow> sync_table(const HostThreads& threads, const Launches& launches);

}  // namespace jissoku::timeline::analysis
