#include "jissoku/core/machine.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sched.h>
#include <set>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <utility>

#include <fmt/format.h>

#include "jissoku/core/cgroup.hpp"
#include "jissoku/core/hash.hpp"
#include "jissoku/core/machine_probe.hpp"

namespace jissoku::core {
namespace {

constexpr std::string_view kCpuFolder = "/sys/devices/system/cpu";

std::vector<int> affinity_mask() {
  constexpr std::size_t kMostCpus = 1 << 16;
  for (std::size_t capacity = CPU_SETSIZE; capacity <= kMostCpus; capacity *= 2) {
    cpu_set_t* const set = CPU_ALLOC(capacity);
    const std::size_t bytes = CPU_ALLOC_SIZE(capacity);
    std::vector<int> out;
    const bool read = set != nullptr && sched_getaffinity(0, bytes, set) == 0;  // fails where it is too small
    for (std::size_t cpu = 0; read && cpu < capacity; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set)) {
        out.push_back(static_cast<int>(cpu));
      }
    }
    CPU_FREE(set);
    if (read) {
      return out;
    }
  }
  return {};
}

/// Names such as "Intel(R) Xeon(R) Processor" fit many processors; family and model tell them apart.
std::string cpu_model(const SystemFiles& files) {
  const std::string path = "/proc/cpuinfo";
  if (const auto name = files.field(path, "model name")) {
    const std::string known = name->substr(0, name->find('@'));  // "... CPU @ 2.20GHz"
    const auto family = files.field(path, "cpu family");
    const auto model = files.field(path, "model");
    const bool generic = known.find_first_of("0123456789") == std::string::npos;
    return generic && family && model ? fmt::format("{} (family {} model {})", *name, *family, *model)
                                      : *name;
  }
  const auto implementer = files.field(path, "CPU implementer");  // Arm
  const auto part = files.field(path, "CPU part");
  return implementer && part ? fmt::format("CPU implementer {} part {}", *implementer, *part) : "";
}

std::string os_name(const SystemFiles& files) {
  constexpr std::string_view kKey = "PRETTY_NAME=";
  for (const char* path : {"/etc/os-release", "/usr/lib/os-release"}) {
    for (std::string line : files.lines(path)) {
      if (line.starts_with(kKey)) {
        line.erase(0, kKey.size());
        line.erase(std::remove_if(line.begin(), line.end(), [](char c) { return c == '"' || c == '\''; }),
                   line.end());
        return line;
      }
    }
  }
  return "";
}

/// "madvise" of "always [madvise] never".
std::string chosen_word(const std::string& text) {
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']');
  return open < close && close != std::string::npos ? text.substr(open + 1, close - open - 1) : "";
}

/// The processor says it itself on x86; elsewhere the firmware's names do.
std::string virtualisation(const ProbeSources& sources) {
  if (sources.cpu.x86) {
    return hypervisor_name(sources.cpu);
  }
  if (const auto type = sources.files.read("/sys/hypervisor/type"); type && !type->empty()) {
    return *type;
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kNames = {{
      {"QEMU", "qemu"},
      {"KVM", "kvm"},
      {"VMware", "vmware"},
      {"Google Compute Engine", "kvm"},
      {"Virtual Machine", "hyperv"},
  }};
  const std::string vendor = sources.files.read("/sys/class/dmi/id/sys_vendor").value_or("");
  const std::string product = sources.files.read("/sys/class/dmi/id/product_name").value_or("");
  for (const auto& [mark, name] : kNames) {
    if (vendor.find(mark) != std::string::npos || product.find(mark) != std::string::npos) {
      return std::string(name);
    }
  }
  const bool rented = vendor == "Amazon EC2" && product.find(".metal") == std::string::npos;
  return rented ? "kvm" : "";
}

/// Of all CPUs that may be used; several with commas where they differ.
std::string governor(const SystemFiles& files, const std::vector<int>& cpus) {
  std::set<std::string> found;
  for (const int cpu : cpus) {
    const std::string path =
        std::string(kCpuFolder) + "/cpu" + std::to_string(cpu) + "/cpufreq/scaling_governor";
    found.insert(files.read(path).value_or(""));
  }
  found.erase("");
  std::string out;
  for (const std::string& name : found) {
    out += (out.empty() ? "" : ", ") + name;
  }
  return out;
}

std::optional<bool> turbo(const SystemFiles& files) {
  if (const auto off = files.integer(std::string(kCpuFolder) + "/intel_pstate/no_turbo")) {
    return *off == 0;
  }
  if (const auto on = files.integer(std::string(kCpuFolder) + "/cpufreq/boost")) {
    return *on != 0;
  }
  return std::nullopt;
}

MemorySizes memory_by_system_call() {
  struct sysinfo info {};
  if (::sysinfo(&info) != 0) {
    return {};
  }
  const auto bytes = [&](unsigned long units) {
    return static_cast<std::int64_t>(units) * static_cast<std::int64_t>(info.mem_unit);
  };
  return {bytes(info.totalram), bytes(info.freeram)};
}

std::int64_t memory_field(const SystemFiles& files, std::string_view key, std::int64_t otherwise) {
  constexpr std::int64_t kKib = 1024;
  const auto kib = leading_integer(files.field("/proc/meminfo", key).value_or(""));
  return kib ? *kib * kKib : otherwise;
}

std::int64_t room(const SystemFiles& files, const MemorySizes& memory, const CgroupLimits& limits) {
  const std::int64_t available = memory_field(files, "MemAvailable", memory.free_bytes);
  return std::min(available, limits.memory_room_bytes.value_or(available));
}

int usable_threads(const Machine& machine) {
  // Without a mask that could be read, all hardware threads.
  int threads =
      machine.allowed_cpus.empty() ? machine.hardware_threads : static_cast<int>(machine.allowed_cpus.size());
  if (machine.cgroup_cpu_quota > 0 && machine.cgroup_cpu_quota < threads) {
    threads = static_cast<int>(std::ceil(machine.cgroup_cpu_quota));
  }
  return std::max(1, threads);
}

/// What limits the threads and the memory of this process.
void note_limits(const CgroupLimits& limits, Machine& machine) {
  const auto allowed = static_cast<std::int64_t>(machine.allowed_cpus.size());
  if (allowed > 0 && allowed < machine.hardware_threads) {
    machine.notes.push_back(
        message("core.note_affinity",
                {{"allowed", allowed}, {"total", static_cast<std::int64_t>(machine.hardware_threads)}}));
  }
  if (machine.cgroup_cpu_quota > 0) {
    machine.notes.push_back(message("core.note_cgroup_cpus", {{"cpus", machine.cgroup_cpu_quota}}));
  }
  if (limits.memory_limit_bytes && *limits.memory_limit_bytes < machine.memory_bytes) {
    machine.notes.push_back(message("core.note_cgroup_memory", {{"limit", *limits.memory_limit_bytes}}));
  }
}

/// What makes the clock and times unsteady.
void note_clock(const ProbeSources& sources, Machine& machine) {
  if (!machine.virtualisation.empty()) {
    machine.notes.push_back(message("core.note_virtual", {{"hypervisor", machine.virtualisation}}));
  }
  if (machine.turbo == true) {
    machine.notes.push_back(message("core.note_turbo"));
  }
  if (!machine.governor.empty() && machine.governor != "performance") {
    machine.notes.push_back(message("core.note_governor", {{"governor", machine.governor}}));
  }
  // On x86 any other source takes a system call for every reading.
  const bool virtual_clock = machine.clocksource == "kvm-clock" || machine.clocksource.starts_with("hyperv");
  if (sources.cpu.x86 && !machine.clocksource.empty() && machine.clocksource != "tsc" && !virtual_clock) {
    machine.notes.push_back(message("core.note_clocksource", {{"clocksource", machine.clocksource}}));
  }
}

void note_missing(const ProbeSources& sources, Machine& machine) {
  const auto missing = [&](bool is_missing, const char* path) {
    if (is_missing) {
      machine.notes.push_back(message("core.note_unreadable", {{"path", std::string(path)}}));
    }
  };
  if (!sources.topology) {
    machine.notes.push_back(message("core.note_no_hwloc"));
  }
  missing(machine.cpu_model.empty(), "/proc/cpuinfo");
  missing(machine.memory_bytes == 0, "/proc/meminfo");
  missing(machine.hardware_threads == 0, "/sys/devices/system/cpu/online");
  missing(machine.allowed_cpus.empty(), "sched_getaffinity");
  missing(machine.os.empty(), "/etc/os-release");
  missing(machine.clocksource.empty(), "/sys/devices/system/clocksource");
  if (machine.virtualisation.empty()) {  // a virtual machine shows neither, and has its own note
    missing(machine.governor.empty(), "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    missing(!machine.turbo.has_value(), "/sys/devices/system/cpu/cpufreq/boost");
  }
}

}  // namespace

ProbeSources this_machine() {
  ProbeSources sources;
  sources.cpu = read_cpu_identity();
  sources.topology = read_topology_hwloc();
  sources.allowed_cpus = affinity_mask();
  utsname names{};
  if (uname(&names) == 0) {
    sources.hostname = names.nodename;
    sources.architecture = names.machine;
    sources.kernel = names.release;
  }
  sources.memory = memory_by_system_call();
  return sources;
}

Machine probe_machine(const ProbeSources& sources) {
  const SystemFiles& files = sources.files;
  const CgroupLimits limits = read_cgroup_limits(files);
  const Topology topology = sources.topology ? *sources.topology : read_topology_sys(files);
  Machine machine;
  machine.hostname_hash = fmt::format("{:016x}", fnv1a("jissoku" + sources.hostname));
  machine.cpu_model = cpu_model(files);
  machine.architecture = sources.architecture;
  machine.isa = instruction_sets(sources.cpu);
  machine.packages = topology.packages;
  machine.cores = topology.cores;
  machine.hardware_threads = topology.hardware_threads;
  machine.numa_nodes = topology.numa_nodes;
  machine.caches = topology.caches;
  machine.allowed_cpus = sources.allowed_cpus;
  machine.cgroup_cpu_quota = limits.cpus;
  machine.usable_threads = usable_threads(machine);
  machine.memory_bytes = memory_field(files, "MemTotal", sources.memory.total_bytes);
  machine.memory_available_bytes = room(files, sources.memory, limits);
  machine.os = os_name(files);
  machine.kernel = sources.kernel;
  machine.virtualisation = virtualisation(sources);
  machine.clocksource =
      files.read("/sys/devices/system/clocksource/clocksource0/current_clocksource").value_or("");
  machine.governor = governor(files, machine.allowed_cpus);
  machine.huge_pages = chosen_word(files.read("/sys/kernel/mm/transparent_hugepage/enabled").value_or(""));
  machine.turbo = turbo(files);
  note_limits(limits, machine);
  note_clock(sources, machine);
  note_missing(sources, machine);
  return machine;
}

Machine probe_machine() {
  return probe_machine(this_machine());
}

std::int64_t available_memory_bytes(const SystemFiles& files, const MemorySizes& memory) {
  return room(files, memory, read_cgroup_limits(files));
}

std::int64_t available_memory_bytes() {
  return available_memory_bytes(SystemFiles(), memory_by_system_call());
}

}  // namespace jissoku::core
