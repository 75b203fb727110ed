// The inner loops for any vector type. Included once by each kernels_<isa>.cpp, after it has switched
// the compiler to its instruction set; a Simd type lives in that file's anonymous namespace, so that
// no two files share an instance.
//
// A Simd type has: Scalar, Vector, kLanes, zero(), broadcast(Scalar), load(const Scalar*),
// store(Scalar*, Vector), multiply_add(a, b, c) = a * b + c.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "jissoku/backends/cpu/kernels.hpp"

namespace jissoku::backends::cpu {

/// c = alpha * sums + beta * c for the columns of a tile that exist.
template <typename Simd, unsigned Rows, unsigned Vectors>
void update_tile(const gemm::TileCall<typename Simd::Scalar>& call,
                 const typename Simd::Vector (&sums)[Rows][Vectors]) {
  using T = typename Simd::Scalar;
  constexpr unsigned kLanes = Simd::kLanes;
  T values[Rows][Vectors * kLanes];
#pragma GCC unroll 16
  for (unsigned i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (unsigned j = 0; j < Vectors; ++j) {
      Simd::store(values[i] + j * kLanes, sums[i][j]);
    }
  }
  const auto lanes = static_cast<unsigned>(call.last_lanes);
  const unsigned columns = Vectors * kLanes - (lanes == 0 ? 0 : kLanes - lanes);
  const std::int64_t c_row = call.c_row / static_cast<std::int64_t>(sizeof(T));
  for (unsigned i = 0; i < Rows; ++i) {
    T* const c = call.c + i * c_row;
    for (unsigned j = 0; j < columns; ++j) {
      c[j] = call.alpha * values[i][j] + (call.beta == T(0) ? T(0) : call.beta * c[j]);
    }
  }
}

/// See gemm/tile.hpp. The Rows x Vectors sums stay in registers, so that each loaded vector of b serves all
/// rows. Whether the last vector is partial and b is copied is seen at run time.
template <typename Simd, unsigned Rows, unsigned Vectors>
void multiply_tile(const gemm::TileCall<typename Simd::Scalar>& call) {
  using T = typename Simd::Scalar;
  constexpr unsigned kLanes = Simd::kLanes;
  const std::int64_t a_row = call.a_row / static_cast<std::int64_t>(sizeof(T));
  const std::int64_t a_step = call.a_step / static_cast<std::int64_t>(sizeof(T));
  const std::int64_t b_step = call.b_step / static_cast<std::int64_t>(sizeof(T));
  const T *a = call.a, *b = call.b;
  T* copy = call.b_copy;
  const auto lanes = static_cast<unsigned>(call.last_lanes);
  T edge[kLanes] = {};
  typename Simd::Vector sums[Rows][Vectors];
#pragma GCC unroll 16
  for (unsigned i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (unsigned j = 0; j < Vectors; ++j) {
      sums[i][j] = Simd::zero();
    }
  }
  for (std::int64_t p = 0; p < call.depth; ++p) {
    typename Simd::Vector row[Vectors];
#pragma GCC unroll 4
    for (unsigned j = 0; j < Vectors; ++j) {
      const T* from = b + j * kLanes;
      if (j == Vectors - 1 && lanes != 0) {
        for (unsigned lane = 0; lane < lanes; ++lane) {
          edge[lane] = from[lane];
        }
        from = edge;
      }
      row[j] = Simd::load(from);
    }
#pragma GCC unroll 16
    for (unsigned i = 0; i < Rows; ++i) {
      const typename Simd::Vector factor = Simd::broadcast(a[i * a_row]);
#pragma GCC unroll 4
      for (unsigned j = 0; j < Vectors; ++j) {
        sums[i][j] = Simd::multiply_add(factor, row[j], sums[i][j]);
      }
    }
    if (copy != nullptr) {
#pragma GCC unroll 4
      for (unsigned j = 0; j < Vectors; ++j) {
        Simd::store(copy + j * kLanes, row[j]);
      }
      copy += Vectors * kLanes;
    }
    a += a_step;
    b += b_step;
  }
  update_tile<Simd, Rows, Vectors>(call, sums);
}

/// multiply_tile for all forms up to Rows x Vectors, as PortableTiles wants them.
template <typename Simd, unsigned Rows, unsigned Vectors>
struct TileTable {
  using T = typename Simd::Scalar;

  template <std::size_t... Index>
  static constexpr std::array<gemm::Tile<T>, Rows * Vectors> make(std::index_sequence<Index...>) {
    return {multiply_tile<Simd, Index % Rows + 1, Index / Rows + 1>...};
  }
  static constexpr std::array<gemm::Tile<T>, Rows* Vectors> kTable =
      make(std::make_index_sequence<std::size_t{Rows} * Vectors>());
  static constexpr PortableTiles<T> kTiles = {Simd::kLanes, Rows, Vectors, kTable.data()};
};

/// Rows of a matrix that are read side by side, and how far ahead. More or fewer, nearer or farther were
/// 1 to 5 % slower on a matrix in memory.
constexpr std::int64_t kSideBySide = 4;
constexpr std::int64_t kAheadBytes = 1024;

/// Fetching may go beyond the end of what is read.
template <typename T>
void fetch_ahead(const T* from) {
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(from) + kAheadBytes));
}

template <typename Simd>
typename Simd::Scalar add_lanes(typename Simd::Vector vector) {
  typename Simd::Scalar lanes[Simd::kLanes];
  Simd::store(lanes, vector);
  for (unsigned width = Simd::kLanes / 2; width > 0; width /= 2) {
    for (unsigned lane = 0; lane < width; ++lane) {
      lanes[lane] += lanes[lane + width];
    }
  }
  return lanes[0];
}

/// See VectorKernels::dot; of exactly Rows rows.
template <typename Simd, unsigned Rows>
void dot_rows(const typename Simd::Scalar* matrix,
              std::int64_t stride,
              std::int64_t depth,
              const typename Simd::Scalar* x,
              typename Simd::Scalar* sums) {
  constexpr std::int64_t kLanes = Simd::kLanes;
  typename Simd::Vector parts[Rows];
#pragma GCC unroll 8
  for (unsigned i = 0; i < Rows; ++i) {
    parts[i] = Simd::zero();
  }
  std::int64_t p = 0;
  for (; p + kLanes <= depth; p += kLanes) {
    const typename Simd::Vector factor = Simd::load(x + p);
#pragma GCC unroll 8
    for (unsigned i = 0; i < Rows; ++i) {
      fetch_ahead(matrix + i * stride + p);
      parts[i] = Simd::multiply_add(factor, Simd::load(matrix + i * stride + p), parts[i]);
    }
  }
  for (unsigned i = 0; i < Rows; ++i) {
    sums[i] = add_lanes<Simd>(parts[i]);
    for (std::int64_t q = p; q < depth; ++q) {
      sums[i] += matrix[i * stride + q] * x[q];
    }
  }
}

template <typename Simd>
void dot_all_rows(const typename Simd::Scalar* matrix,
                  std::int64_t stride,
                  std::int64_t rows,
                  std::int64_t depth,
                  const typename Simd::Scalar* x,
                  typename Simd::Scalar* sums) {
  std::int64_t row = 0;
  for (; row + kSideBySide <= rows; row += kSideBySide) {
    dot_rows<Simd, kSideBySide>(matrix + row * stride, stride, depth, x, sums + row);
  }
  for (; row < rows; ++row) {
    dot_rows<Simd, 1>(matrix + row * stride, stride, depth, x, sums + row);
  }
}

/// See VectorKernels::add; of exactly Rows rows.
template <typename Simd, unsigned Rows>
void add_rows(const typename Simd::Scalar* matrix,
              std::int64_t stride,
              std::int64_t columns,
              const typename Simd::Scalar* x,
              typename Simd::Scalar* sums) {
  constexpr std::int64_t kLanes = Simd::kLanes;
  typename Simd::Vector factors[Rows];
#pragma GCC unroll 8
  for (unsigned i = 0; i < Rows; ++i) {
    factors[i] = Simd::broadcast(x[i]);
  }
  std::int64_t j = 0;
  for (; j + kLanes <= columns; j += kLanes) {
    typename Simd::Vector sum = Simd::load(sums + j);
#pragma GCC unroll 8
    for (unsigned i = 0; i < Rows; ++i) {
      fetch_ahead(matrix + i * stride + j);
      sum = Simd::multiply_add(factors[i], Simd::load(matrix + i * stride + j), sum);
    }
    Simd::store(sums + j, sum);
  }
  for (; j < columns; ++j) {
    for (unsigned i = 0; i < Rows; ++i) {
      sums[j] += x[i] * matrix[i * stride + j];
    }
  }
}

template <typename Simd>
void add_all_rows(const typename Simd::Scalar* matrix,
                  std::int64_t stride,
                  std::int64_t depth,
                  std::int64_t columns,
                  const typename Simd::Scalar* x,
                  typename Simd::Scalar* sums) {
  std::int64_t p = 0;
  for (; p + kSideBySide <= depth; p += kSideBySide) {
    add_rows<Simd, kSideBySide>(matrix + p * stride, stride, columns, x + p, sums);
  }
  for (; p < depth; ++p) {
    add_rows<Simd, 1>(matrix + p * stride, stride, columns, x + p, sums);
  }
}

template <typename Simd>
constexpr VectorKernels<typename Simd::Scalar> kVectorKernels = {dot_all_rows<Simd>, add_all_rows<Simd>};

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
