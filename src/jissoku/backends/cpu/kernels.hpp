// Our inner loops, compiled once per instruction set (kernels_*.cpp) from kernel_templates.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "jissoku/backends/cpu/isa.hpp"

namespace jissoku::backends::cpu {

/// out = panel of a times panel of b, rows x columns, row-major and dense. Panels are packed: element
/// (i, p) of a at a[p * rows + i], element (p, j) of b at b[p * columns + j].
template <typename T>
struct TileKernel {
  int rows = 0, columns = 0;
  void (*multiply)(std::int64_t depth, const T* a, const T* b, T* out) = nullptr;
};

/// Multiply-adds on registers only. `run` makes `steps` steps and returns a number that depends on
/// all of them.
struct PeakKernel {
  double flops_per_step = 0;
  double (*run)(std::int64_t steps) = nullptr;
};

struct Kernels {
  const char* name = "";  ///< "avx512"
  Isa isa = Isa::baseline;
  TileKernel<float> tile_f32;
  TileKernel<double> tile_f64;
  PeakKernel peak_f32, peak_f64;
};

const Kernels& baseline_kernels();
#if defined(__x86_64__)
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();
#endif

/// Those this CPU can run, widest first; never empty.
std::vector<const Kernels*> usable_kernels();

}  // namespace jissoku::backends::cpu
