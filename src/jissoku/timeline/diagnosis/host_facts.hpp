// What an explanation of gaps needs to know about host threads, found once per trace.
#pragma once

#include <vector>

#include "jissoku/timeline/analysis/host_threads.hpp"
#include "jissoku/timeline/analysis/launches.hpp"
#include "jissoku/timeline/diagnosis/causes.hpp"

namespace jissoku::timeline::diagnosis {

/// Events of one thread that are a cause wherever they overlap idle time.
struct ThreadFacts {
  analysis::Intervals input, compilation, allocator;
  std::vector<EventId> input_events, compilation_events, allocator_events;  ///< by start
  std::vector<EventId> waits;  ///< calls that wait for the device, by start
};

struct HostFacts {
  std::vector<ThreadFacts> threads;  ///< as HostThreads::threads()
  analysis::Intervals overhead;      ///< the profiler's, on any thread
  std::vector<EventId> overhead_events;
  std::uint32_t main_thread = kNone;  ///< the one that launches most
};

HostFacts find_host_facts(const analysis::HostThreads& threads,
                          const analysis::Launches& launches,
                          const analysis::DeviceActivity& device);

/// sync_item or blocking_copy, by the call and what called it.
Cause cause_of_wait(const analysis::HostThreads& threads, const analysis::Launches& launches, EventId call);

}  // namespace jissoku::timeline::diagnosis
