// Why a device waited: every idle moment gets one cause. A gap ends when its next work starts; who launched
// that work, and what that thread did meanwhile, says why it did not start earlier.
#pragma once

#include <vector>

#include "jissoku/timeline/analysis/device_activity.hpp"
#include "jissoku/timeline/analysis/host_threads.hpp"
#include "jissoku/timeline/analysis/launches.hpp"
#include "jissoku/timeline/diagnosis/causes.hpp"

namespace jissoku::timeline::diagnosis {

/// A part of a gap with one cause.
struct Piece {
  analysis::Interval span;
  analysis::Interval gap;  ///< the gap it is part of
  Cause cause = Cause::inherent;
  EventId owner = kNoEvent;  ///< the host event that shows it best
};

/// The pieces of all gaps of a device, by time; disjoint, together its idle time.
std::vector<Piece> explain_gaps(const analysis::HostThreads& threads,
                                const analysis::Launches& launches,
                                const analysis::DeviceActivity& activity);

/// Where an event comes from, as far as the trace says: each may be empty.
struct Origin {
  std::string_view op, annotation, module, source;
};
Origin origin_of(const analysis::HostThreads& threads, EventId id);

}  // namespace jissoku::timeline::diagnosis
