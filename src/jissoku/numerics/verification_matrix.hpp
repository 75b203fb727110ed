// How verification sees a matrix: op(X) of a stored f32 or f64 matrix (verification_widened.hpp), read as
// double.
#pragma once

#include <cstddef>
#include <cstdint>

#include "jissoku/numerics/verification.hpp"

namespace jissoku::numerics::detail {

/// op(X): `stored` or its transpose. Copying copies the view.
struct Matrix {
  MatrixView stored;
  bool transposed = false;

  std::int64_t rows() const { return transposed ? stored.columns : stored.rows; }
  std::int64_t columns() const { return transposed ? stored.rows : stored.columns; }
  Matrix transpose() const { return {stored, !transposed}; }

  /// Element (i, j) of op(X); exact, since both types fit in double.
  double at(std::int64_t i, std::int64_t j) const {
    const std::int64_t row = transposed ? j : i;
    const std::int64_t column = transposed ? i : j;
    const std::int64_t offset = row * stored.leading_dimension + column;
    return stored.type == DataType::f32 ? static_cast<double>(static_cast<const float*>(stored.data)[offset])
                                        : static_cast<const double*>(stored.data)[offset];
  }
};

/// C = alpha A B + beta C0 with the transposes applied: a is m x k, b is k x n.
struct Product {
  Matrix a, b, c, c_before;
  double alpha = 1, beta = 0;
  double unit = 0;         ///< unit roundoff of the accumulator
  double output_unit = 0;  ///< of C's type
  double smallest = 0;     ///< spacing of the coarser of the two types near zero, for underflow
  bool wide = false;       ///< FP64 arithmetic is under test: references are taken in long double

  std::int64_t m() const { return c.rows(); }
  std::int64_t n() const { return c.columns(); }
  std::int64_t k() const { return a.columns(); }

  /// The same product read by columns: C^T = alpha B^T A^T + beta C0^T.
  Product transpose() const {
    Product flipped = *this;
    flipped.a = b.transpose();
    flipped.b = a.transpose();
    flipped.c = c.transpose();
    flipped.c_before = c_before.transpose();
    return flipped;
  }
};

}  // namespace jissoku::numerics::detail
