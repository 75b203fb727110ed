// Our inner loops, compiled once per instruction set (kernels_*.cpp) from kernel_templates.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "jissoku/backends/cpu/gemm/tile.hpp"
#include "jissoku/backends/cpu/isa.hpp"

namespace jissoku::backends::cpu {

/// Tiles of c compiled from portable source, for all forms up to rows x vectors; see gemm/tile.hpp. Of a
/// tile with v vectors and r rows: multiply[(v - 1) * rows + r - 1].
template <typename T>
struct PortableTiles {
  int lanes = 0, rows = 0, vectors = 0;
  const gemm::Tile<T>* multiply = nullptr;
};

/// Products of a matrix with a vector x. `stride` is in elements; the sums are dense.
template <typename T>
struct VectorKernels {
  /// sums[i] = row i times x; rows are contiguous and `depth` long.
  void (*dot)(
      const T* matrix, std::int64_t stride, std::int64_t rows, std::int64_t depth, const T* x, T* sums);
  /// sums[j] += x times column j; rows are contiguous and `columns` long.
  void (*add)(
      const T* matrix, std::int64_t stride, std::int64_t depth, std::int64_t columns, const T* x, T* sums);
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
  PortableTiles<float> tiles_f32;
  PortableTiles<double> tiles_f64;
  VectorKernels<float> vector_f32;
  VectorKernels<double> vector_f64;
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
