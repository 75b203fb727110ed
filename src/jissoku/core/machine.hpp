// What this machine is, read from /proc, /sys, cgroups and hwloc. Everything that could not be read
// says why; nothing is guessed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jissoku/core/message.hpp"

namespace jissoku::core {

struct Cache {
  int level = 0;
  std::int64_t size_bytes = 0;
  int shared_by_cpus = 1;
};

struct Machine {
  std::string hostname_hash;  ///< distinguishes machines without publishing the name
  std::string cpu_model;      ///< "AMD EPYC 7763 64-Core Processor"
  std::string architecture;   ///< "x86_64"
  std::vector<std::string>
      isa;  ///< of sse2 avx avx2 fma f16c avx512f avx512bf16 avx512fp16 amx ..., in use order
  int packages = 0, cores = 0, hardware_threads = 0, numa_nodes = 0;
  std::vector<Cache> caches;
  std::vector<int> allowed_cpus;  ///< affinity mask of this process when it started
  double cgroup_cpu_quota = 0;    ///< CPUs' worth; 0 = no limit
  int usable_threads = 1;         ///< min(allowed CPUs, ceil(quota)), at least 1
  std::int64_t memory_bytes = 0;
  std::int64_t memory_available_bytes = 0;        ///< min(MemAvailable, cgroup room) now
  std::string os, kernel;                         ///< "Debian GNU/Linux 12 (bookworm)", "6.1.0"
  std::string virtualisation;                     ///< "kvm", "" on bare metal
  std::string clocksource, governor, huge_pages;  ///< "tsc", "performance", "madvise"; "" unknown
  std::optional<bool> turbo;
  std::vector<Message> notes;  ///< what limits measuring here, each with a reason
};

/// Reads everything anew (about 10 ms). Never fails: fields that cannot be read stay empty and add a note.
Machine probe_machine();

/// Bytes that can be allocated now without swapping: min(MemAvailable, cgroup limit - use).
std::int64_t available_memory_bytes();

}  // namespace jissoku::core
