// The O(n^2) passes of the randomised checks: a matrix times a vector, streamed along the stored
// rows whichever way the matrix is transposed. Results do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "jissoku/numerics/verification_matrix.hpp"

namespace jissoku::numerics::detail {

/// Calls work(begin, end) on up to `threads` contiguous shares of [0, count), each a multiple of
/// `grain` long (but the last). Runs on the caller alone where no thread can be started.
void parallel_ranges(std::int64_t count,
                     std::int64_t grain,
                     int threads,
                     const std::function<void(std::int64_t, std::int64_t)>& work);

/// Per row of op(X), in FP64.
struct LineSums {
  std::vector<double> sum;      ///< (op(X) x)_i; not finite if an element of the row is not
  std::vector<double> squares;  ///< sum_j op(X)_ij^2
  std::vector<double> largest;  ///< max_j |op(X)_ij|

  /// Largest of the squares' roots: the largest 2-norm of a row.
  double largest_norm() const;
  /// The Frobenius norm of the matrix.
  double norm() const;
  double max_abs() const;
};

/// `x` has op(X).columns() values.
LineSums line_sums(const Matrix& matrix, std::span<const double> x, int threads);

/// Per row of op(X), in integers modulo 2^64.
struct IntegerLineSums {
  std::vector<std::uint64_t> sum;  ///< (op(X) x)_i mod 2^64; meaningless unless `integers`
  double max_abs = 0;              ///< of all elements
  bool integers = true;            ///< every element is an integer below 2^62 in magnitude
};

/// `x` has op(X).columns() values, in two's complement.
IntegerLineSums integer_line_sums(const Matrix& matrix, std::span<const std::uint64_t> x, int threads);

}  // namespace jissoku::numerics::detail
