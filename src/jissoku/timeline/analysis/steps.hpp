// Steps of a training or inference loop ("ProfilerStep#7"), and what each moment of a step went to.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "jissoku/timeline/analysis/host_threads.hpp"
#include "jissoku/timeline/analysis/launches.hpp"

namespace jissoku::timeline::analysis {

/// Each moment of a step counts once, for the first of these that happens in it.
enum class StepPart : std::uint8_t {
  kernel,
  memcpy,
  memset,
  communication,
  runtime,
  data_loader,
  cpu,
  other,
  kCount
};

struct Step {
  std::string name;
  Interval mark;   ///< the annotation as recorded on the host
  Interval range;  ///< until the last device work launched in it ends, from where the step before it ended
  std::array<std::int64_t, static_cast<std::size_t>(StepPart::kCount)> parts_ns{};
  std::int64_t device_events = 0;
  std::int64_t of(StepPart part) const { return parts_ns[static_cast<std::size_t>(part)]; }
};

/// In order of time, as the PyTorch profiler's TensorBoard view counts them: ranges as above; trailing steps
/// with fewer than 80 % of the mean device events of those before them are cut off by the end of the
/// recording and left out. Empty without step annotations.
std::vector<Step> find_steps(const Timeline& timeline, const Launches& launches);

/// "enumerate(DataLoader)#..." and "enumerate(DataPipe)#...".
bool is_data_loader(std::string_view name);

}  // namespace jissoku::timeline::analysis
