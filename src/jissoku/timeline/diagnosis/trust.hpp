// Whether a trace can be believed, asked before anything is concluded from it.
#pragma once

#include <vector>

#include "jissoku/core/message.hpp"
#include "jissoku/timeline/analysis/device_activity.hpp"
#include "jissoku/timeline/analysis/host_threads.hpp"
#include "jissoku/timeline/analysis/launches.hpp"

namespace jissoku::timeline::diagnosis {

struct TrustNote {
  bool fatal = false;  ///< no verdict may be given
  core::Message text;
};

/// What holds for the whole trace: damage, missing operators, the profiler's own weight.
std::vector<TrustNote> check_trace(const analysis::HostThreads& threads);

/// What holds for one device: launches and work that do not match, waits for work that is not there, clocks.
std::vector<TrustNote> check_device(const analysis::HostThreads& threads,
                                    const analysis::Launches& launches,
                                    const analysis::DeviceActivity& activity,
                                    const analysis::LaunchStatistics& statistics);

}  // namespace jissoku::timeline::diagnosis
