// The machine probe with everything it reads handed in, so that tests describe other machines. Internal to
// core.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jissoku/core/cpu_features.hpp"
#include "jissoku/core/machine.hpp"
#include "jissoku/core/system_files.hpp"
#include "jissoku/core/topology.hpp"

namespace jissoku::core {

/// Where /proc cannot be read; 0 = not known.
struct MemorySizes {
  std::int64_t total_bytes = 0;
  std::int64_t free_bytes = 0;  ///< without page cache that can go
};

struct ProbeSources {
  SystemFiles files;
  CpuIdentity cpu;
  std::optional<Topology> topology;  ///< by hwloc; nullopt = read /sys
  std::vector<int> allowed_cpus;     ///< affinity mask
  std::string hostname, architecture, kernel;
  MemorySizes memory;  ///< by system call, for where /proc/meminfo is missing
};

ProbeSources this_machine();
Machine probe_machine(const ProbeSources& sources);
std::int64_t available_memory_bytes(const SystemFiles& files, const MemorySizes& memory = {});

}  // namespace jissoku::core
