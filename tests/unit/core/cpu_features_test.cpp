#include "jissoku/core/cpu_features.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include <gtest/gtest.h>

namespace jissoku::core {
namespace {

using Names = std::vector<std::string>;

constexpr std::uint32_t kAll = 0xFFFFFFFFU;

CpuIdentity everything(std::uint64_t xcr0) {
  CpuIdentity cpu;
  cpu.x86 = true;
  cpu.leaf1 = cpu.leaf7 = cpu.leaf7_1 = {kAll, kAll, kAll, kAll};
  cpu.xcr0 = xcr0;
  return cpu;
}

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

TEST(InstructionSets, OnlyWhatTheOperatingSystemSaves) {
  EXPECT_EQ(instruction_sets(everything(0)), (Names{"sse2", "sse4_2"}));
  EXPECT_EQ(instruction_sets(everything(0x7)),
            (Names{"sse2", "sse4_2", "avx", "f16c", "fma", "avx2", "avx_vnni"}));
  const Names with_avx512 = instruction_sets(everything(0xE7));
  EXPECT_EQ(with_avx512.back(), "avx512fp16");
  EXPECT_FALSE(has(with_avx512, "amx_tile"));
  // Tile configuration without tile data, and the reverse, is not enough.
  EXPECT_FALSE(has(instruction_sets(everything(0x200E7)), "amx_tile"));
  EXPECT_FALSE(has(instruction_sets(everything(0x400E7)), "amx_tile"));
  EXPECT_EQ(instruction_sets(everything(0x600E7)),
            (Names{"sse2",
                   "sse4_2",
                   "avx",
                   "f16c",
                   "fma",
                   "avx2",
                   "avx_vnni",
                   "avx512f",
                   "avx512dq",
                   "avx512bw",
                   "avx512vl",
                   "avx512vnni",
                   "avx512bf16",
                   "avx512fp16",
                   "amx_tile",
                   "amx_int8",
                   "amx_bf16",
                   "amx_fp16"}));
}

TEST(InstructionSets, EachHasItsBit) {
  CpuIdentity cpu;
  cpu.x86 = true;
  cpu.xcr0 = 0x600E7;
  EXPECT_TRUE(instruction_sets(cpu).empty());
  cpu.leaf1.ecx = 1U << 12U;
  EXPECT_EQ(instruction_sets(cpu), Names{"fma"});
  cpu.leaf1.ecx = 0;
  cpu.leaf7.ebx = 1U << 16U;
  EXPECT_EQ(instruction_sets(cpu), Names{"avx512f"});
  cpu.leaf7 = {};
  cpu.leaf7.edx = 1U << 24U;
  EXPECT_EQ(instruction_sets(cpu), Names{"amx_tile"});
  cpu.leaf7 = {};
  cpu.leaf7_1.eax = 1U << 5U;
  EXPECT_EQ(instruction_sets(cpu), Names{"avx512bf16"});
}

/// The kernel's own list of flags is a second opinion; it uses other names for some.
TEST(InstructionSets, OfThisProcessorAreThoseTheKernelLists) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line) && !line.starts_with("flags")) {
  }
  if (line.empty() || !read_cpu_identity().x86) {
    GTEST_SKIP() << "no x86 flags in /proc/cpuinfo";
  }
  std::istringstream words(line);
  const Names kernel{std::istream_iterator<std::string>(words), {}};
  const Names ours = instruction_sets(read_cpu_identity());
  const std::pair<const char*, const char*> names[] = {{"sse2", "sse2"},
                                                       {"avx", "avx"},
                                                       {"fma", "fma"},
                                                       {"f16c", "f16c"},
                                                       {"avx2", "avx2"},
                                                       {"avx_vnni", "avx_vnni"},
                                                       {"avx512f", "avx512f"},
                                                       {"avx512bw", "avx512bw"},
                                                       {"avx512vnni", "avx512_vnni"},
                                                       {"avx512bf16", "avx512_bf16"},
                                                       {"avx512fp16", "avx512_fp16"},
                                                       {"amx_tile", "amx_tile"}};
  for (const auto& [our_name, kernel_name] : names) {
    EXPECT_EQ(has(ours, our_name), has(kernel, kernel_name)) << our_name;
  }
}

CpuIdentity under(const char* signature) {
  CpuIdentity cpu;
  cpu.x86 = true;
  cpu.leaf1.ecx = 1U << 31U;
  char text[13] = {};
  std::strncpy(text, signature, 12);
  std::memcpy(&cpu.hypervisor.ebx, text, 4);
  std::memcpy(&cpu.hypervisor.ecx, text + 4, 4);
  std::memcpy(&cpu.hypervisor.edx, text + 8, 4);
  return cpu;
}

TEST(Hypervisor, IsKnownByItsSignature) {
  EXPECT_EQ(hypervisor_name(under("KVMKVMKVM")), "kvm");
  EXPECT_EQ(hypervisor_name(under("Microsoft Hv")), "hyperv");
  EXPECT_EQ(hypervisor_name(under("VMwareVMware")), "vmware");
  EXPECT_EQ(hypervisor_name(under("SomethingNew")), "unknown");
  EXPECT_EQ(hypervisor_name(under("")), "unknown");
}

TEST(Hypervisor, IsNoneWithoutTheBit) {
  CpuIdentity cpu = under("KVMKVMKVM");
  cpu.leaf1.ecx = 0;
  EXPECT_EQ(hypervisor_name(cpu), "");
  EXPECT_EQ(hypervisor_name(CpuIdentity()), "");
}

}  // namespace
}  // namespace jissoku::core
