// The inner loops for any vector type. Included once by each kernels_<isa>.cpp, after it has switched
// the compiler to its instruction set; a Simd type lives in that file's anonymous namespace, so that
// no two files share an instance.
//
// A Simd type has: Scalar, Vector, kLanes, zero(), broadcast(Scalar), load(const Scalar*),
// store(Scalar*, Vector), multiply_add(a, b, c) = a * b + c.
#pragma once

#include <cstdint>

namespace jissoku::backends::cpu {

/// See TileKernel. The rows x vectors sums stay in registers, so that each loaded vector of b serves
/// all rows.
template <typename Simd, unsigned Rows, unsigned Vectors>
void multiply_tile(std::int64_t depth,
                   const typename Simd::Scalar* a,
                   const typename Simd::Scalar* b,
                   typename Simd::Scalar* out) {
  typename Simd::Vector sums[Rows][Vectors];
#pragma GCC unroll 16
  for (unsigned i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (unsigned j = 0; j < Vectors; ++j) {
      sums[i][j] = Simd::zero();
    }
  }
  for (std::int64_t p = 0; p < depth; ++p) {
    typename Simd::Vector row[Vectors];
#pragma GCC unroll 4
    for (unsigned j = 0; j < Vectors; ++j) {
      row[j] = Simd::load(b + j * Simd::kLanes);
    }
#pragma GCC unroll 16
    for (unsigned i = 0; i < Rows; ++i) {
      const typename Simd::Vector factor = Simd::broadcast(a[i]);
#pragma GCC unroll 4
      for (unsigned j = 0; j < Vectors; ++j) {
        sums[i][j] = Simd::multiply_add(factor, row[j], sums[i][j]);
      }
    }
    a += Rows;
    b += Vectors * Simd::kLanes;
  }
#pragma GCC unroll 16
  for (unsigned i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (unsigned j = 0; j < Vectors; ++j) {
      Simd::store(out + (i * Vectors + j) * Simd::kLanes, sums[i][j]);
    }
  }
}

/// See PeakKernel. `Chains` independent sums hide the latency of the multiply-add: 12 cover latency
/// times throughput of all CPUs we know (4 cycles x 2 units = 8). x / 2 + 1 / 2 stays near 1, so no
/// denormal or infinity slows the unit down.
template <typename Simd, unsigned Chains>
double run_chains(std::int64_t steps) {
  using Scalar = typename Simd::Scalar;
  volatile Scalar half_source = Scalar(0.5);  // keeps the compiler from knowing it
  const Scalar half = half_source;
  const typename Simd::Vector factor = Simd::broadcast(half);
  const typename Simd::Vector addend = Simd::broadcast(half);
  typename Simd::Vector sums[Chains];
#pragma GCC unroll 16
  for (unsigned i = 0; i < Chains; ++i) {
    sums[i] = Simd::broadcast(half * static_cast<Scalar>(i + 1));
  }
  for (std::int64_t step = 0; step < steps; ++step) {
#pragma GCC unroll 16
    for (unsigned i = 0; i < Chains; ++i) {
      sums[i] = Simd::multiply_add(sums[i], factor, addend);
    }
  }
  double total = 0;
  Scalar lanes[Simd::kLanes];
  for (unsigned i = 0; i < Chains; ++i) {
    Simd::store(lanes, sums[i]);
    for (const Scalar lane : lanes) {
      total += static_cast<double>(lane);
    }
  }
  return total;
}

/// Multiply and add are two operations per lane.
template <typename Simd, unsigned Chains>
constexpr double flops_per_step() {
  return 2.0 * Chains * Simd::kLanes;
}

}  // namespace jissoku::backends::cpu
