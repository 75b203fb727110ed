#include "jissoku/measure/foreign_load.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

namespace jissoku::measure {

namespace {

// proc(5): user nice system idle iowait irq softirq steal; guest times follow and are part of user.
constexpr std::size_t kIdle = 3, kIoWait = 4, kSteal = 7, kFields = 8;

bool is_one_cpu(const std::string& name) {
  return name.size() > 3 && name.compare(0, 3, "cpu") == 0 &&
         std::isdigit(static_cast<unsigned char>(name[3])) != 0;
}

}  // namespace

CpuUsage parse_cpu_usage(std::string_view proc_stat, double ticks_per_second) {
  CpuUsage usage;
  std::istringstream text{std::string(proc_stat)};
  std::string line;
  while (std::getline(text, line)) {
    std::istringstream fields(line);
    std::string name;
    fields >> name;
    if (is_one_cpu(name)) {
      ++usage.cpus;
    }
    if (name != "cpu") {
      continue;
    }
    std::array<double, kFields> ticks{};
    for (double& count : ticks) {
      fields >> count;
    }
    if (!fields) {
      return {};
    }
    const double ns_per_tick = 1e9 / ticks_per_second;
    for (const double count : ticks) {
      usage.total_ns += count * ns_per_tick;
    }
    usage.steal_ns = ticks[kSteal] * ns_per_tick;
    usage.busy_ns = usage.total_ns - (ticks[kIdle] + ticks[kIoWait] + ticks[kSteal]) * ns_per_tick;
    usage.valid = true;
  }
  usage.valid = usage.valid && usage.cpus > 0;
  return usage;
}

CpuUsage read_cpu_usage() {
  std::ostringstream text;
  text << std::ifstream("/proc/stat").rdbuf();
  CpuUsage usage = parse_cpu_usage(text.str(), static_cast<double>(sysconf(_SC_CLK_TCK)));
  timespec own{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  usage.own_ns = static_cast<double>(own.tv_sec) * 1e9 + static_cast<double>(own.tv_nsec);
  return usage;
}

ForeignLoad foreign_load(const CpuUsage& before, const CpuUsage& after) {
  constexpr double kShortestNs = 1e8;
  const double total = after.total_ns - before.total_ns;
  if (!before.valid || !after.valid || total < kShortestNs * after.cpus) {
    return {};
  }
  const double foreign = (after.busy_ns - before.busy_ns) - (after.own_ns - before.own_ns);
  ForeignLoad load;
  load.foreign_share = std::clamp(foreign / total, 0.0, 1.0);
  load.steal_share = std::clamp((after.steal_ns - before.steal_ns) / total, 0.0, 1.0);
  return load;
}

}  // namespace jissoku::measure
