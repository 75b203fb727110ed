// What an experiment is given: devices, a clock, a place for results, a stop request. Experiments
// print nothing, write no files and hold no globals.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "jissoku/core/machine.hpp"
#include "jissoku/core/stop_flag.hpp"
#include "jissoku/device/backend.hpp"
#include "jissoku/document/row_sink.hpp"
#include "jissoku/measure/clock.hpp"

namespace jissoku::experiments {

struct ProgressEvent {
  core::Message what;       ///< "matmul 4096x4096x4096, round 3"
  double done_share = 0;    ///< of the command, 0..1
  double remaining_ns = 0;  ///< predicted
};

struct Context {
  const device::Registry* registry = nullptr;
  const core::Machine* machine = nullptr;
  measure::Clock* clock = nullptr;
  document::RowSink* sink = nullptr;
  const core::StopFlag* stop = nullptr;
  std::function<void(const ProgressEvent&)> on_progress;  ///< may be empty
};

}  // namespace jissoku::experiments
