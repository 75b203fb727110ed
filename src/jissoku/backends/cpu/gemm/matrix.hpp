// Matrices as the engine sees them.
#pragma once

#include <cstdint>

namespace jissoku::backends::cpu::gemm {

/// Read only, by its strides in elements, so that a transpose is only an exchange of the two. One of them
/// is 1.
template <typename T>
struct Strided {
  const T* data = nullptr;
  std::int64_t row_stride = 0, column_stride = 0;

  const T* at(std::int64_t row, std::int64_t column) const {
    return data + row * row_stride + column * column_stride;
  }
  Strided from(std::int64_t row, std::int64_t column) const {
    return {at(row, column), row_stride, column_stride};
  }
  Strided transposed() const { return {data, column_stride, row_stride}; }
};

struct Coded;  // gemm/coded.hpp

/// A factor of a product: read where it lies, or unpacked block by block from the codes of a smaller format.
template <typename T>
struct Operand {
  Strided<T> plain;                  ///< meaningless if coded
  const Coded* coded = nullptr;      ///< not owned
  std::int64_t row = 0, column = 0;  ///< of the coded matrix, where this operand starts

  Operand from(std::int64_t down, std::int64_t right) const {
    return coded == nullptr ? Operand{plain.from(down, right), nullptr, 0, 0}
                            : Operand{plain, coded, row + down, column + right};
  }
};

/// c = alpha a b + beta c; c is m x n, its rows ldc elements apart.
template <typename T>
struct Problem {
  Operand<T> a, b;
  T* c = nullptr;
  std::int64_t ldc = 0;
  std::int64_t m = 0, n = 0, k = 0;  ///< all at least 1
  T alpha = 1, beta = 0;
};

}  // namespace jissoku::backends::cpu::gemm
