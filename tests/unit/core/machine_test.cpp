#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "jissoku/core/machine_probe.hpp"
#include "support/fake_root.hpp"

namespace jissoku::core {
namespace {

constexpr std::int64_t kKib = 1024;
constexpr std::int64_t kGib = kKib * kKib * kKib;

/// A machine with two packages of two cores with two hardware threads each, and Linux's files about it.
class FakeMachine : public testing::Test {
 protected:
  FakeMachine() {
    const std::string system = "/sys/devices/system";
    root_.write(system + "/cpu/online", "0-7\n");
    root_.write(system + "/node/online", "0-1\n");
    for (int cpu = 0; cpu < 8; ++cpu) {
      const int core = cpu % 4;  // the second threads of all cores come after the first ones
      const std::string siblings = std::to_string(core) + "," + std::to_string(core + 4);
      const std::string package = core < 2 ? "0-1,4-5" : "2-3,6-7";
      const std::string folder = system + "/cpu/cpu" + std::to_string(cpu);
      root_.write(folder + "/topology/physical_package_id", core < 2 ? "0" : "1");
      root_.write(folder + "/topology/core_id", std::to_string(core % 2));
      root_.write(folder + "/topology/thread_siblings_list", siblings);
      write_cache(folder, 0, "1", "Data", "48K", siblings);
      write_cache(folder, 1, "1", "Instruction", "32K", siblings);
      write_cache(folder, 2, "2", "Unified", "2048K", siblings);
      write_cache(folder, 3, "3", "Unified", "30M", package);
      root_.write(folder + "/cpufreq/scaling_governor", "performance\n");
    }
    root_.write(system + "/cpu/intel_pstate/no_turbo", "1\n");
    root_.write(system + "/clocksource/clocksource0/current_clocksource", "tsc\n");
    root_.write("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    root_.write("/proc/cpuinfo",
                "model name\t: AMD EPYC 7763 64-Core Processor\ncpu family\t: 25\nmodel\t\t: 1\n");
    root_.write("/proc/meminfo", "MemTotal:       67108864 kB\nMemFree: 1 kB\nMemAvailable:   33554432 kB\n");
    root_.write("/etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
    sources_.files = SystemFiles(root_.path());
    sources_.cpu.x86 = true;
    sources_.allowed_cpus.resize(8);
    std::iota(sources_.allowed_cpus.begin(), sources_.allowed_cpus.end(), 0);
    sources_.hostname = "node17";
    sources_.architecture = "x86_64";
    sources_.kernel = "6.1.0";
    sources_.topology = read_topology_sys(sources_.files);
  }

  void write_cache(const std::string& cpu_folder,
                   int index,
                   const std::string& level,
                   const std::string& type,
                   const std::string& size,
                   const std::string& shared) const {
    const std::string folder = cpu_folder + "/cache/index" + std::to_string(index);
    root_.write(folder + "/level", level + "\n");
    root_.write(folder + "/type", type + "\n");
    root_.write(folder + "/size", size + "\n");
    root_.write(folder + "/shared_cpu_list", shared + "\n");
  }
  void limit_cpus(const std::string& cpu_max) const {
    root_.write("/proc/self/cgroup", "0::/\n");
    root_.write("/proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n");
    root_.write("/sys/fs/cgroup/cpu.max", cpu_max);
  }
  Machine probe() const { return probe_machine(sources_); }
  /// Ids of the notes, in order.
  static std::vector<std::string> note_ids(const Machine& machine) {
    std::vector<std::string> ids;
    for (const Message& note : machine.notes) {
      ids.push_back(note.id);
    }
    return ids;
  }

  tests::FakeRoot root_;
  ProbeSources sources_;
};

using Ids = std::vector<std::string>;

TEST_F(FakeMachine, IsReadInFull) {
  const Machine machine = probe();
  EXPECT_EQ(machine.cpu_model, "AMD EPYC 7763 64-Core Processor");
  EXPECT_EQ(machine.architecture, "x86_64");
  EXPECT_EQ(machine.packages, 2);
  EXPECT_EQ(machine.cores, 4);
  EXPECT_EQ(machine.hardware_threads, 8);
  EXPECT_EQ(machine.numa_nodes, 2);
  EXPECT_EQ(machine.usable_threads, 8);
  EXPECT_EQ(machine.cgroup_cpu_quota, 0);
  EXPECT_EQ(machine.memory_bytes, 64 * kGib);
  EXPECT_EQ(machine.memory_available_bytes, 32 * kGib);
  EXPECT_EQ(machine.os, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(machine.kernel, "6.1.0");
  EXPECT_EQ(machine.virtualisation, "");
  EXPECT_EQ(machine.clocksource, "tsc");
  EXPECT_EQ(machine.governor, "performance");
  EXPECT_EQ(machine.huge_pages, "madvise");
  EXPECT_EQ(machine.turbo, false);
  EXPECT_EQ(note_ids(machine), Ids{});
}

TEST_F(FakeMachine, ListsEachKindOfDataCacheOnce) {
  const Machine machine = probe();
  ASSERT_EQ(machine.caches.size(), 3U);
  const Cache expected[] = {{1, 48 * kKib, 2}, {2, 2048 * kKib, 2}, {3, 30 * kKib * kKib, 4}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(machine.caches[i].level, expected[i].level);
    EXPECT_EQ(machine.caches[i].size_bytes, expected[i].size_bytes);
    EXPECT_EQ(machine.caches[i].shared_by_cpus, expected[i].shared_by_cpus);
  }
}

TEST_F(FakeMachine, TheHostnameIsNotPublished) {
  const std::string hash = probe().hostname_hash;
  EXPECT_EQ(hash.size(), 16U);
  EXPECT_EQ(hash.find_first_not_of("0123456789abcdef"), std::string::npos);
  sources_.hostname = "node18";
  EXPECT_NE(probe().hostname_hash, hash);
}

TEST_F(FakeMachine, AGenericNameGetsFamilyAndModel) {
  root_.write("/proc/cpuinfo",
              "model name\t: Intel(R) Xeon(R) Processor @ 2.60GHz\ncpu family\t: 6\nmodel\t\t: 207\n");
  EXPECT_EQ(probe().cpu_model, "Intel(R) Xeon(R) Processor @ 2.60GHz (family 6 model 207)");
  root_.write("/proc/cpuinfo", "CPU implementer\t: 0x41\nCPU part\t: 0xd40\n");
  EXPECT_EQ(probe().cpu_model, "CPU implementer 0x41 part 0xd40");
}

TEST_F(FakeMachine, AQuotaLimitsTheThreads) {
  limit_cpus("250000 100000");
  const Machine machine = probe();
  EXPECT_EQ(machine.cgroup_cpu_quota, 2.5);
  EXPECT_EQ(machine.usable_threads, 3);
  EXPECT_EQ(note_ids(machine), Ids{"core.note_cgroup_cpus"});
  limit_cpus("10000 100000");
  EXPECT_EQ(probe().usable_threads, 1);
  limit_cpus("9900000000 100000");
  EXPECT_EQ(probe().usable_threads, 8);
}

TEST_F(FakeMachine, AnAffinityMaskLimitsTheThreads) {
  sources_.allowed_cpus = {2, 3};
  const Machine machine = probe();
  EXPECT_EQ(machine.usable_threads, 2);
  EXPECT_EQ(machine.hardware_threads, 8);
  ASSERT_EQ(note_ids(machine), Ids{"core.note_affinity"});
  EXPECT_EQ(machine.notes[0],
            message("core.note_affinity", {{"allowed", std::int64_t{2}}, {"total", std::int64_t{8}}}));
}

TEST_F(FakeMachine, AMemoryLimitLimitsWhatIsAvailable) {
  limit_cpus("max 100000");
  root_.write("/sys/fs/cgroup/memory.max", std::to_string(8 * kGib));
  root_.write("/sys/fs/cgroup/memory.current", std::to_string(3 * kGib));
  EXPECT_EQ(probe().memory_available_bytes, 5 * kGib);
  EXPECT_EQ(probe().memory_bytes, 64 * kGib);
  EXPECT_EQ(note_ids(probe()), Ids{"core.note_cgroup_memory"});
  EXPECT_EQ(available_memory_bytes(sources_.files), 5 * kGib);
  root_.write("/sys/fs/cgroup/memory.max", std::to_string(128 * kGib));
  EXPECT_EQ(available_memory_bytes(sources_.files), 32 * kGib);
  EXPECT_EQ(note_ids(probe()), Ids{});
}

TEST_F(FakeMachine, AVirtualOneSaysSoAndMissesNoFrequencies) {
  sources_.cpu.leaf1.ecx = 1U << 31U;
  sources_.cpu.hypervisor = {0, 0x4B4D564B, 0x564B4D56, 0x0000004D};  // "KVMKVMKVM"
  sources_.files = SystemFiles(root_.path() + "/nothing");
  const Machine machine = probe();
  EXPECT_EQ(machine.virtualisation, "kvm");
  ASSERT_FALSE(machine.notes.empty());
  EXPECT_EQ(machine.notes[0], message("core.note_virtual", {{"hypervisor", std::string("kvm")}}));
  for (const Message& note : machine.notes) {
    EXPECT_NE(
        note,
        message("core.note_unreadable", {{"path", std::string("/sys/devices/system/cpu/cpufreq/boost")}}));
  }
}

TEST_F(FakeMachine, ElsewhereTheFirmwareTells) {
  sources_.cpu = {};
  sources_.architecture = "aarch64";
  const std::pair<std::pair<const char*, const char*>, const char*> cases[] = {
      {{"QEMU", "KVM Virtual Machine"}, "qemu"},
      {{"Amazon EC2", "m7g.large"}, "kvm"},
      {{"Amazon EC2", "m7g.metal"}, ""},
      {{"Microsoft Corporation", "Virtual Machine"}, "hyperv"},
      {{"Dell Inc.", "PowerEdge R750"}, ""}};
  for (const auto& [firmware, name] : cases) {
    root_.write("/sys/class/dmi/id/sys_vendor", firmware.first);
    root_.write("/sys/class/dmi/id/product_name", firmware.second);
    EXPECT_EQ(probe().virtualisation, name) << firmware.second;
  }
  EXPECT_TRUE(probe().isa.empty());
}

TEST_F(FakeMachine, WhatMakesTheClockUnsteadyIsNoted) {
  root_.write("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  root_.write("/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave\n");
  root_.write("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
  const Machine machine = probe();
  EXPECT_EQ(machine.turbo, true);
  EXPECT_EQ(machine.governor, "performance, powersave");
  EXPECT_EQ(note_ids(machine), (Ids{"core.note_turbo", "core.note_governor", "core.note_clocksource"}));
}

TEST_F(FakeMachine, AmdsBoostFileIsTurboToo) {
  root_.write("/sys/devices/system/cpu/intel_pstate/no_turbo", "");
  root_.write("/sys/devices/system/cpu/cpufreq/boost", "1\n");
  EXPECT_EQ(probe().turbo, true);
}

TEST_F(FakeMachine, WithoutHwlocSysIsReadAndThatIsNoted) {
  sources_.topology.reset();
  const Machine machine = probe();
  EXPECT_EQ(machine.cores, 4);
  EXPECT_EQ(note_ids(machine), Ids{"core.note_no_hwloc"});
}

TEST(Machine, NothingReadableLeavesFieldsEmptyAndSaysSo) {
  const tests::FakeRoot root;
  ProbeSources sources;
  sources.files = SystemFiles(root.path());
  const Machine machine = probe_machine(sources);
  EXPECT_EQ(machine.cpu_model, "");
  EXPECT_EQ(machine.hardware_threads, 0);
  EXPECT_EQ(machine.usable_threads, 1);
  EXPECT_EQ(machine.memory_available_bytes, 0);
  EXPECT_EQ(machine.turbo, std::nullopt);
  const auto unreadable = std::count_if(machine.notes.begin(), machine.notes.end(), [](const Message& note) {
    return note.id == "core.note_unreadable";
  });
  EXPECT_EQ(unreadable, 8);
}

TEST(Machine, WithoutProcTheKernelSaysHowMuchMemoryThereIs) {
  const tests::FakeRoot root;
  ProbeSources sources;
  sources.files = SystemFiles(root.path());
  sources.memory = {4096, 1024};
  const Machine machine = probe_machine(sources);
  EXPECT_EQ(machine.memory_bytes, 4096);
  EXPECT_EQ(machine.memory_available_bytes, 1024);
  EXPECT_EQ(available_memory_bytes(sources.files, sources.memory), 1024);
  const MemorySizes here = this_machine().memory;
  EXPECT_GT(here.free_bytes, 0);
  EXPECT_LT(here.free_bytes, here.total_bytes);
}

TEST(Machine, HwlocAndSysAgreeOnThisOne) {
  const auto by_hwloc = read_topology_hwloc();
  ASSERT_TRUE(by_hwloc.has_value());
  const Topology by_sys = read_topology_sys(SystemFiles());
  if (by_sys.cores == 0) {
    GTEST_SKIP() << "no topology in /sys";
  }
  EXPECT_EQ(by_hwloc->hardware_threads, by_sys.hardware_threads);
  EXPECT_EQ(by_hwloc->cores, by_sys.cores);
  EXPECT_EQ(by_hwloc->packages, by_sys.packages);
}

TEST(Machine, ThisOneIsPlausible) {
  const Machine machine = probe_machine();
  EXPECT_FALSE(machine.cpu_model.empty());
  EXPECT_FALSE(machine.architecture.empty());
  EXPECT_GE(machine.hardware_threads, machine.cores);
  EXPECT_GE(machine.cores, 1);
  EXPECT_GE(machine.usable_threads, 1);
  EXPECT_LE(machine.usable_threads, machine.hardware_threads);
  EXPECT_GT(machine.memory_available_bytes, 0);
  EXPECT_LE(machine.memory_available_bytes, machine.memory_bytes);
  EXPECT_GT(available_memory_bytes(), 0);
  EXPECT_EQ(machine.notes, probe_machine().notes);
}

}  // namespace
}  // namespace jissoku::core
