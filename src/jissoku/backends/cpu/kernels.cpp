#include "jissoku/backends/cpu/kernels.hpp"

namespace jissoku::backends::cpu {

std::vector<const Kernels*> usable_kernels() {
  std::vector<const Kernels*> kernels;
#if defined(__x86_64__)
  if (cpu_isa() >= Isa::avx512) {
    kernels.push_back(&avx512_kernels());
  }
  if (cpu_isa() >= Isa::avx2) {
    kernels.push_back(&avx2_kernels());
  }
#endif
  kernels.push_back(&baseline_kernels());
  return kernels;
}

}  // namespace jissoku::backends::cpu
