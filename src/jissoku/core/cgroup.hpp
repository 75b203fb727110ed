// What the control groups of this process leave it: CPU time and memory. Versions 1, 2 and both at once.
// Internal to core.
#pragma once

#include <cstdint>
#include <optional>

#include "jissoku/core/system_files.hpp"

namespace jissoku::core {

/// The tightest limits on the way from the process' own groups up to what is mounted.
struct CgroupLimits {
  double cpus = 0;  ///< CPUs' worth of time; 0 = no limit
  std::optional<std::int64_t> memory_limit_bytes;
  std::optional<std::int64_t>
      memory_room_bytes;  ///< limit less use, page cache that can go not counted; >= 0
};

CgroupLimits read_cgroup_limits(const SystemFiles& files);

}  // namespace jissoku::core
