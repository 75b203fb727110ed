// The ceilings that rates are read against, measured here: multiply-adds in registers and memory
// bandwidth, on the same device with the same threads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jissoku/core/machine.hpp"
#include "jissoku/document/model.hpp"
#include "jissoku/experiments/session.hpp"

namespace jissoku::experiments {

/// A register-only multiply-add loop, as quick or quicker than any other this device has for the type.
struct FmaCeiling {
  device::FmaPeak operation;              ///< sized to last kProbeNs
  document::Ceiling ceiling;              ///< kind "measured_fma"
  std::vector<document::Ceiling> others;  ///< kind "measured_fma_other": the slower instruction sets
};

/// Time of one probe run: short beside a sample, long beside starting the threads.
inline constexpr double kProbeNs = 10e6;

/// Tries every instruction set for a few probe runs each and keeps the quickest. nullopt where the
/// device has no such loop.
std::optional<FmaCeiling> measure_fma(Session& session, numerics::DataType type, measure::Clock& clock);

/// STREAM's triad over three arrays that together exceed the last cache level four times (within
/// limits that `detail` states); kind "measured_memory". nullopt where the device has no triad or
/// no memory for it.
std::optional<document::Ceiling> measure_memory(Session& session,
                                                const core::Machine& machine,
                                                measure::Clock& clock);

}  // namespace jissoku::experiments
