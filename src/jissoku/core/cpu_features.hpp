// What the processor says about itself: instruction sets that may be used and the hypervisor. Internal to
// core.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace jissoku::core {

struct CpuidRegisters {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// The answers that the functions below need, so that they are tested with other processors' answers.
struct CpuIdentity {
  bool x86 = false;
  CpuidRegisters leaf1, leaf7, leaf7_1;
  CpuidRegisters hypervisor;  ///< leaf 0x40000000
  std::uint64_t xcr0 = 0;     ///< register states that the operating system saves; 0 = it saves none
};

/// Asks the processor this runs on; on other architectures everything is empty.
CpuIdentity read_cpu_identity();

/// Names in order of use, oldest first: sse2 avx f16c fma avx2 avx_vnni avx512f ... Only what both the
/// processor has and the operating system saves on a task switch, tile registers included.
std::vector<std::string> instruction_sets(const CpuIdentity& cpu);

/// "kvm", "hyperv", ...; "unknown" for one that has no known signature, "" on bare metal.
std::string hypervisor_name(const CpuIdentity& cpu);

}  // namespace jissoku::core
