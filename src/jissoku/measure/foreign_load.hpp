// What others did to the CPU while we measured: /proc/stat against our own CPU time.
#pragma once

#include <string_view>

namespace jissoku::measure {

/// Ticks of all CPUs since boot, in ns, with our own process's CPU time at the same moment.
struct CpuUsage {
  double total_ns = 0, busy_ns = 0, steal_ns = 0, own_ns = 0;
  int cpus = 0;
  bool valid = false;  ///< false where /proc/stat cannot be read
};
CpuUsage read_cpu_usage();
/// All but own_ns from the text of /proc/stat (proc(5)); `ticks_per_second` is sysconf(_SC_CLK_TCK).
CpuUsage parse_cpu_usage(std::string_view proc_stat, double ticks_per_second);

struct ForeignLoad {
  double foreign_share = 0, steal_share = 0;  ///< of all CPUs, 0..1
};
/// Between two readings. /proc/stat ticks are 10 ms, so spans under 0.1 s give 0, as do invalid ones.
ForeignLoad foreign_load(const CpuUsage& before, const CpuUsage& after);

}  // namespace jissoku::measure
