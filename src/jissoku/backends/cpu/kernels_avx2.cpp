#if defined(__x86_64__)

// All that kernel_templates.hpp includes comes before the switch, so that none of it is compiled for it.
#include <array>
#include <cstddef>
#include <cstdint>
#include <immintrin.h>
#include <utility>

#include "jissoku/backends/cpu/kernels.hpp"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif

#include "jissoku/backends/cpu/kernel_templates.hpp"

namespace jissoku::backends::cpu {
namespace {

struct SimdF32 {
  using Scalar = float;
  using Vector = __m256;
  static constexpr unsigned kLanes = 8;
  static Vector zero() { return _mm256_setzero_ps(); }
  static Vector broadcast(Scalar value) { return _mm256_set1_ps(value); }
  static Vector load(const Scalar* from) { return _mm256_loadu_ps(from); }
  static void store(Scalar* to, Vector value) { _mm256_storeu_ps(to, value); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
};

struct SimdF64 {
  using Scalar = double;
  using Vector = __m256d;
  static constexpr unsigned kLanes = 4;
  static Vector zero() { return _mm256_setzero_pd(); }
  static Vector broadcast(Scalar value) { return _mm256_set1_pd(value); }
  static Vector load(const Scalar* from) { return _mm256_loadu_pd(from); }
  static void store(Scalar* to, Vector value) { _mm256_storeu_pd(to, value); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm256_fmadd_pd(a, b, c); }
};

}  // namespace

// 16 registers: 12 sums, 2 of b, 2 for broadcasts.
constexpr Kernels kAvx2 = {"avx2",
                           Isa::avx2,
                           TileTable<SimdF32, 6, 2>::kTiles,
                           TileTable<SimdF64, 6, 2>::kTiles,
                           kVectorKernels<SimdF32>,
                           kVectorKernels<SimdF64>,
                           {flops_per_step<SimdF32, 12>(), run_chains<SimdF32, 12>},
                           {flops_per_step<SimdF64, 12>(), run_chains<SimdF64, 12>}};

}  // namespace jissoku::backends::cpu

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace jissoku::backends::cpu {

const Kernels& avx2_kernels() {
  return kAvx2;
}

}  // namespace jissoku::backends::cpu

#endif
