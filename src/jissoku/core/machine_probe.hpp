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

struct ProbeSources {
  SystemFiles files;
  CpuIdentity cpu;
  std::optional<Topology> topology;  ///< by hwloc; nullopt = read /sys
  std::vector<int> allowed_cpus;     ///< affinity mask
  std::string hostname, architecture, kernel;
};

ProbeSources this_machine();
Machine probe_machine(const ProbeSources& sources);
std::int64_t available_memory_bytes(const SystemFiles& files);

}  // namespace jissoku::core
