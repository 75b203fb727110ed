#include "jissoku/core/topology.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include <hwloc.h>

namespace jissoku::core {
namespace {

/// "48K", "2048K", "32M" -> bytes.
std::int64_t cache_bytes(const std::string& text) {
  const std::int64_t number = leading_integer(text).value_or(0);
  const char unit = text.empty() ? ' ' : text.back();
  return number * (unit == 'K' ? 1024 : unit == 'M' ? 1024 * 1024 : 1);
}

void add_caches_of(const SystemFiles& files, const std::string& cpu_folder, std::vector<Cache>& caches) {
  constexpr int kMostCaches = 16;
  for (int index = 0; index < kMostCaches; ++index) {
    const std::string folder = cpu_folder + "/cache/index" + std::to_string(index);
    const auto level = files.integer(folder + "/level");
    if (!level) {
      return;
    }
    if (files.read(folder + "/type") == "Instruction") {
      continue;
    }
    Cache cache;
    cache.level = static_cast<int>(*level);
    cache.size_bytes = cache_bytes(files.read(folder + "/size").value_or(""));
    const auto sharing = parse_cpu_list(files.read(folder + "/shared_cpu_list").value_or(""));
    cache.shared_by_cpus = std::max(1, static_cast<int>(sharing.size()));
    add_cache(cache, caches);
  }
}

int count_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  return std::max(0, hwloc_get_nbobjs_by_type(topology, type));
}

std::vector<Cache> hwloc_caches(hwloc_topology_t topology) {
  std::vector<Cache> caches;
  for (const hwloc_obj_type_t type :
       {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE}) {
    hwloc_obj_t object = nullptr;
    while ((object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr) {
      Cache cache;
      cache.level = static_cast<int>(object->attr->cache.depth);
      cache.size_bytes = static_cast<std::int64_t>(object->attr->cache.size);
      cache.shared_by_cpus = std::max(1, hwloc_bitmap_weight(object->cpuset));
      add_cache(cache, caches);
    }
  }
  return caches;
}

}  // namespace

std::optional<Topology> read_topology_hwloc() {
  // hwloc would print what it misses; our own note says that its answer is missing.
  setenv("HWLOC_HIDE_ERRORS", "2", 0);
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) {
    return std::nullopt;
  }
  // The machine as it is; what of it this process may use is in Machine::allowed_cpus.
  hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  std::optional<Topology> out;
  if (hwloc_topology_load(topology) == 0) {
    out.emplace();
    out->packages = count_of(topology, HWLOC_OBJ_PACKAGE);
    out->cores = count_of(topology, HWLOC_OBJ_CORE);
    out->hardware_threads = count_of(topology, HWLOC_OBJ_PU);
    out->numa_nodes = count_of(topology, HWLOC_OBJ_NUMANODE);
    out->caches = hwloc_caches(topology);
  }
  hwloc_topology_destroy(topology);
  return out;
}

Topology read_topology_sys(const SystemFiles& files) {
  const std::string system = "/sys/devices/system";
  const std::vector<int> online = parse_cpu_list(files.read(system + "/cpu/online").value_or(""));
  Topology out;
  std::set<std::int64_t> packages;
  std::set<std::string> cores;  // each as the list of its hardware threads: core ids repeat in other packages
  for (const int cpu : online) {
    const std::string folder = system + "/cpu/cpu" + std::to_string(cpu);
    if (const auto package = files.integer(folder + "/topology/physical_package_id")) {
      packages.insert(*package);
    }
    if (const auto siblings = files.read(folder + "/topology/thread_siblings_list")) {
      cores.insert(*siblings);
    }
    add_caches_of(files, folder, out.caches);
  }
  out.packages = static_cast<int>(packages.size());
  out.cores = static_cast<int>(cores.size());
  out.hardware_threads = static_cast<int>(online.size());
  out.numa_nodes = static_cast<int>(parse_cpu_list(files.read(system + "/node/online").value_or("")).size());
  return out;
}

void add_cache(const Cache& cache, std::vector<Cache>& caches) {
  const auto kind = [](const Cache& c) { return std::tuple(c.level, c.size_bytes, c.shared_by_cpus); };
  const auto place = std::lower_bound(
      caches.begin(), caches.end(), cache, [&](const Cache& a, const Cache& b) { return kind(a) < kind(b); });
  if (place == caches.end() || kind(*place) != kind(cache)) {
    caches.insert(place, cache);
  }
}

}  // namespace jissoku::core
