#if defined(__x86_64__)

// All that kernel_templates.hpp includes comes before the switch, so that none of it is compiled for it.
#include <array>
#include <cstddef>
#include <cstdint>
#include <immintrin.h>
#include <utility>

#include "jissoku/backends/cpu/kernels.hpp"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f")
#endif

#include "jissoku/backends/cpu/kernel_templates.hpp"

namespace jissoku::backends::cpu {
namespace {

struct SimdF32 {
  using Scalar = float;
  using Vector = __m512;
  static constexpr unsigned kLanes = 16;
  static Vector zero() { return _mm512_setzero_ps(); }
  static Vector broadcast(Scalar value) { return _mm512_set1_ps(value); }
  static Vector load(const Scalar* from) { return _mm512_loadu_ps(from); }
  static void store(Scalar* to, Vector value) { _mm512_storeu_ps(to, value); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
};

struct SimdF64 {
  using Scalar = double;
  using Vector = __m512d;
  static constexpr unsigned kLanes = 8;
  static Vector zero() { return _mm512_setzero_pd(); }
  static Vector broadcast(Scalar value) { return _mm512_set1_pd(value); }
  static Vector load(const Scalar* from) { return _mm512_loadu_pd(from); }
  static void store(Scalar* to, Vector value) { _mm512_storeu_pd(to, value); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm512_fmadd_pd(a, b, c); }
};

}  // namespace

// 32 registers: 24 sums, 2 of b, the rest for broadcasts.
constexpr Kernels kAvx512 = {"avx512",
                             Isa::avx512,
                             TileTable<SimdF32, 12, 2>::kTiles,
                             TileTable<SimdF64, 12, 2>::kTiles,
                             kVectorKernels<SimdF32>,
                             kVectorKernels<SimdF64>,
                             {flops_per_step<SimdF32, 16>(), run_chains<SimdF32, 16>},
                             {flops_per_step<SimdF64, 16>(), run_chains<SimdF64, 16>}};

}  // namespace jissoku::backends::cpu

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace jissoku::backends::cpu {

const Kernels& avx512_kernels() {
  return kAvx512;
}

}  // namespace jissoku::backends::cpu

#endif
