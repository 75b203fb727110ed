#include "jissoku/backends/cpu/gemm/pack.hpp"

#include <algorithm>

namespace jissoku::backends::cpu::gemm {
namespace {

/// A vector that every CPU has (SSE2, NEON), at any address. What it does is bound by the caches.
template <typename T>
struct Quad {
  static constexpr std::int64_t kLanes = 16 / sizeof(T);
  using Vector __attribute__((vector_size(16))) = T;
  using Anywhere __attribute__((vector_size(16), aligned(alignof(T)), may_alias)) = T;
  static Vector load(const T* from) { return *reinterpret_cast<const Anywhere*>(from); }
  static void store(T* to, Vector value) { *reinterpret_cast<Anywhere*>(to) = value; }
};

/// As many columns as a Quad has lanes, each contiguous and `stride` from the next, as rows `width` apart.
template <typename T>
requires(sizeof(T) == 4) void turn(const T* from, std::int64_t stride, T* to, std::int64_t width) {
  using Q = Quad<T>;
  using Vector = typename Q::Vector;
  const Vector c0 = Q::load(from), c1 = Q::load(from + stride);
  const Vector c2 = Q::load(from + 2 * stride), c3 = Q::load(from + 3 * stride);
  const Vector low01 = __builtin_shufflevector(c0, c1, 0, 4, 1, 5);
  const Vector high01 = __builtin_shufflevector(c0, c1, 2, 6, 3, 7);
  const Vector low23 = __builtin_shufflevector(c2, c3, 0, 4, 1, 5);
  const Vector high23 = __builtin_shufflevector(c2, c3, 2, 6, 3, 7);
  Q::store(to, __builtin_shufflevector(low01, low23, 0, 1, 4, 5));
  Q::store(to + width, __builtin_shufflevector(low01, low23, 2, 3, 6, 7));
  Q::store(to + 2 * width, __builtin_shufflevector(high01, high23, 0, 1, 4, 5));
  Q::store(to + 3 * width, __builtin_shufflevector(high01, high23, 2, 3, 6, 7));
}

void turn(const double* from, std::int64_t stride, double* to, std::int64_t width) {
  using Q = Quad<double>;
  const Q::Vector c0 = Q::load(from), c1 = Q::load(from + stride);
  Q::store(to, __builtin_shufflevector(c0, c1, 0, 2));
  Q::store(to + width, __builtin_shufflevector(c0, c1, 1, 3));
}

}  // namespace

template <typename T>
void pack_strip(const Strided<T>& a, std::int64_t rows, std::int64_t depth, T* to) {
  constexpr std::int64_t kLanes = Quad<T>::kLanes;
  if (rows < kLanes) {
    for (std::int64_t step = 0; step < depth; ++step) {
      std::copy_n(a.at(0, step), rows, to + step * rows);
    }
    return;
  }
  for (std::int64_t row = 0; row < rows; row += kLanes) {
    const std::int64_t first = std::min(row, rows - kLanes);  // the last one overlaps
    for (std::int64_t step = 0; step < depth; ++step) {
      Quad<T>::store(to + step * rows + first, Quad<T>::load(a.at(first, step)));
    }
  }
}

template <typename T>
void pack_panel(const Strided<T>& b, std::int64_t columns, std::int64_t depth, std::int64_t width, T* to) {
  constexpr std::int64_t kLanes = Quad<T>::kLanes;
  // A cache line of each column at a time, so that it is fetched once.
  constexpr std::int64_t kSteps = 64 / sizeof(T);
  for (std::int64_t step = 0; step < depth; step += kSteps) {
    const std::int64_t end = std::min(depth, step + kSteps);
    std::int64_t column = 0;
    for (; column + kLanes <= columns; column += kLanes) {
      std::int64_t p = step;
      for (; p + kLanes <= end; p += kLanes) {
        turn(b.at(p, column), b.column_stride, to + p * width + column, width);
      }
      for (; p < end; ++p) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane) {
          to[p * width + column + lane] = *b.at(p, column + lane);
        }
      }
    }
    for (; column < width; ++column) {
      for (std::int64_t p = step; p < end; ++p) {
        to[p * width + column] = column < columns ? *b.at(p, column) : T(0);
      }
    }
  }
}

template void pack_strip<float>(const Strided<float>&, std::int64_t, std::int64_t, float*);
template void pack_strip<double>(const Strided<double>&, std::int64_t, std::int64_t, double*);
template void pack_strip<std::int32_t>(const Strided<std::int32_t>&,
                                       std::int64_t,
                                       std::int64_t,
                                       std::int32_t*);
template void pack_panel<std::int32_t>(
    const Strided<std::int32_t>&, std::int64_t, std::int64_t, std::int64_t, std::int32_t*);
template void pack_panel<float>(const Strided<float>&, std::int64_t, std::int64_t, std::int64_t, float*);
template void pack_panel<double>(const Strided<double>&, std::int64_t, std::int64_t, std::int64_t, double*);

}  // namespace jissoku::backends::cpu::gemm
