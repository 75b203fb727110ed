#include "jissoku/core/cpu_features.hpp"

#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#define JISSOKU_X86 1
#endif

namespace jissoku::core {
namespace {

// Intel SDM volume 2, CPUID; volume 1, chapter 13 for the bits of XCR0.
constexpr std::uint64_t kSavesNothing = 0;
constexpr std::uint64_t kSavesAvx = 0x6;        // SSE, AVX
constexpr std::uint64_t kSavesAvx512 = 0xE6;    // and opmask, upper halves, upper registers
constexpr std::uint64_t kSavesTiles = 0x60000;  // tile configuration and data
constexpr unsigned kOsxsaveBit = 27;            // leaf 1 ECX: XGETBV may be used
constexpr unsigned kHypervisorBit = 31;         // leaf 1 ECX
constexpr std::uint32_t kHypervisorLeaf = 0x40000000;

struct Feature {
  const char* name;
  CpuidRegisters CpuIdentity::*leaf;
  std::uint32_t CpuidRegisters::*word;
  unsigned bit;
  std::uint64_t saved_state;
};

constexpr std::array<Feature, 18> kFeatures = {{
    {"sse2", &CpuIdentity::leaf1, &CpuidRegisters::edx, 26, kSavesNothing},
    {"sse4_2", &CpuIdentity::leaf1, &CpuidRegisters::ecx, 20, kSavesNothing},
    {"avx", &CpuIdentity::leaf1, &CpuidRegisters::ecx, 28, kSavesAvx},
    {"f16c", &CpuIdentity::leaf1, &CpuidRegisters::ecx, 29, kSavesAvx},
    {"fma", &CpuIdentity::leaf1, &CpuidRegisters::ecx, 12, kSavesAvx},
    {"avx2", &CpuIdentity::leaf7, &CpuidRegisters::ebx, 5, kSavesAvx},
    {"avx_vnni", &CpuIdentity::leaf7_1, &CpuidRegisters::eax, 4, kSavesAvx},
    {"avx512f", &CpuIdentity::leaf7, &CpuidRegisters::ebx, 16, kSavesAvx512},
    {"avx512dq", &CpuIdentity::leaf7, &CpuidRegisters::ebx, 17, kSavesAvx512},
    {"avx512bw", &CpuIdentity::leaf7, &CpuidRegisters::ebx, 30, kSavesAvx512},
    {"avx512vl", &CpuIdentity::leaf7, &CpuidRegisters::ebx, 31, kSavesAvx512},
    {"avx512vnni", &CpuIdentity::leaf7, &CpuidRegisters::ecx, 11, kSavesAvx512},
    {"avx512bf16", &CpuIdentity::leaf7_1, &CpuidRegisters::eax, 5, kSavesAvx512},
    {"avx512fp16", &CpuIdentity::leaf7, &CpuidRegisters::edx, 23, kSavesAvx512},
    {"amx_tile", &CpuIdentity::leaf7, &CpuidRegisters::edx, 24, kSavesTiles},
    {"amx_int8", &CpuIdentity::leaf7, &CpuidRegisters::edx, 25, kSavesTiles},
    {"amx_bf16", &CpuIdentity::leaf7, &CpuidRegisters::edx, 22, kSavesTiles},
    {"amx_fp16", &CpuIdentity::leaf7_1, &CpuidRegisters::eax, 21, kSavesTiles},
}};

bool has_bit(std::uint32_t word, unsigned bit) {
  return ((word >> bit) & 1U) != 0;
}

#ifdef JISSOKU_X86
CpuidRegisters cpuid(std::uint32_t leaf, std::uint32_t subleaf) {
  CpuidRegisters out;
  __cpuid_count(leaf, subleaf, out.eax, out.ebx, out.ecx, out.edx);
  return out;
}

std::uint64_t read_xcr0() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (std::uint64_t{high} << 32U) | low;
}
#endif

}  // namespace

CpuIdentity read_cpu_identity() {
  CpuIdentity cpu;
#ifdef JISSOKU_X86
  cpu.x86 = true;
  const std::uint32_t highest = cpuid(0, 0).eax;
  cpu.leaf1 = cpuid(1, 0);
  if (highest >= 7) {
    cpu.leaf7 = cpuid(7, 0);
    if (cpu.leaf7.eax >= 1) {
      cpu.leaf7_1 = cpuid(7, 1);
    }
  }
  if (has_bit(cpu.leaf1.ecx, kOsxsaveBit)) {
    cpu.xcr0 = read_xcr0();
  }
  if (has_bit(cpu.leaf1.ecx, kHypervisorBit)) {
    cpu.hypervisor = cpuid(kHypervisorLeaf, 0);
  }
#endif
  return cpu;
}

std::vector<std::string> instruction_sets(const CpuIdentity& cpu) {
  std::vector<std::string> out;
  for (const Feature& feature : kFeatures) {
    const bool present = has_bit(cpu.*feature.leaf.*feature.word, feature.bit);
    if (present && (cpu.xcr0 & feature.saved_state) == feature.saved_state) {
      out.emplace_back(feature.name);
    }
  }
  return out;
}

std::string hypervisor_name(const CpuIdentity& cpu) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kSignatures = {{
      {"KVMKVMKVM", "kvm"},
      {"Linux KVM Hv", "kvm"},  // KVM that offers Hyper-V's interface
      {"Microsoft Hv", "hyperv"},
      {"VMwareVMware", "vmware"},
      {"XenVMMXenVMM", "xen"},
      {"TCGTCGTCGTCG", "qemu"},
      {"bhyve bhyve ", "bhyve"},
      {"ACRNACRNACRN", "acrn"},
  }};
  if (!cpu.x86 || !has_bit(cpu.leaf1.ecx, kHypervisorBit)) {
    return "";
  }
  std::array<char, 13> text{};
  std::memcpy(text.data(), &cpu.hypervisor.ebx, 4);
  std::memcpy(text.data() + 4, &cpu.hypervisor.ecx, 4);
  std::memcpy(text.data() + 8, &cpu.hypervisor.edx, 4);
  for (const auto& [signature, name] : kSignatures) {
    if (signature == text.data()) {
      return std::string(name);
    }
  }
  return "unknown";
}

}  // namespace jissoku::core
