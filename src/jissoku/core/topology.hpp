// Packages, cores, NUMA nodes and caches. Internal to core.
#pragma once

#include <optional>
#include <vector>

#include "jissoku/core/machine.hpp"
#include "jissoku/core/system_files.hpp"

namespace jissoku::core {

struct Topology {
  int packages = 0, cores = 0, hardware_threads = 0, numa_nodes = 0;
  std::vector<Cache> caches;  ///< data and unified ones, each kind once, by level
};

/// Of the machine this runs on, by hwloc; nullopt if hwloc cannot tell.
std::optional<Topology> read_topology_hwloc();

/// The same from /sys/devices/system; what cannot be read is 0.
Topology read_topology_sys(const SystemFiles& files);

/// Adds a cache unless one of its kind is there; keeps the order by level.
void add_cache(const Cache& cache, std::vector<Cache>& caches);

}  // namespace jissoku::core
