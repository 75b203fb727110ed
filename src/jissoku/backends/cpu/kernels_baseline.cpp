// What every CPU of the architecture can run: 16-byte vectors of the compiler (SSE2 on x86-64, NEON
// on 64-bit ARM).
#include <array>
#include <cstdint>
#include <utility>

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "jissoku/backends/cpu/kernel_templates.hpp"
#include "jissoku/backends/cpu/kernels.hpp"

namespace jissoku::backends::cpu {
namespace {

template <typename T>
struct Simd {
  using Scalar = T;
  using Vector __attribute__((vector_size(16))) = T;
  using Unaligned __attribute__((vector_size(16), aligned(alignof(T)), may_alias)) = T;
  static constexpr unsigned kLanes = 16 / sizeof(T);
  static Vector zero() { return Vector{}; }
  static Vector broadcast(Scalar value) { return Vector{} + value; }
  static Vector load(const Scalar* from) { return *reinterpret_cast<const Unaligned*>(from); }
  static void store(Scalar* to, Vector value) { *reinterpret_cast<Unaligned*>(to) = value; }
#if defined(__aarch64__)
  static float32x4_t multiply_add(float32x4_t a, float32x4_t b, float32x4_t c) {
    return vfmaq_f32(c, a, b);
  }
  static float64x2_t multiply_add(float64x2_t a, float64x2_t b, float64x2_t c) {
    return vfmaq_f64(c, a, b);
  }
  static constexpr const char* kName = "neon";
#else
  static Vector multiply_add(Vector a, Vector b, Vector c) {
    return a * b + c;
  }
#if defined(__x86_64__)
  static constexpr const char* kName = "sse2";
#else
  static constexpr const char* kName = "generic";
#endif
#endif
};

// 16 registers: 8 sums, 2 of b, the rest for broadcasts and products.
constexpr Kernels kBaseline = {Simd<float>::kName,
                               Isa::baseline,
                               TileTable<Simd<float>, 4, 2>::kTiles,
                               TileTable<Simd<double>, 4, 2>::kTiles,
                               kVectorKernels<Simd<float>>,
                               kVectorKernels<Simd<double>>,
                               {flops_per_step<Simd<float>, 12>(), run_chains<Simd<float>, 12>},
                               {flops_per_step<Simd<double>, 12>(), run_chains<Simd<double>, 12>}};

}  // namespace

const Kernels& baseline_kernels() {
  return kBaseline;
}

}  // namespace jissoku::backends::cpu
