// Element by element: the reference value, the bound on its rounding error, and the verdict.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "jissoku/numerics/verification_matrix.hpp"

namespace jissoku::numerics::detail {

/// How the bound on a sum of `terms` rounded products grows, in units of u: min(terms, lambda sqrt(terms)),
/// and two more for alpha and for the last rounding. The first is certain (Higham, Accuracy and
/// Stability of Numerical Algorithms, 3.1); the second holds for rounding errors of mean zero
/// (Higham & Mary, SIAM J. Sci. Comput. 41, 2019).
double rounding_growth(std::int64_t terms);

/// The lambda of rounding_growth; how it was chosen is told in docs/verification.md.
inline constexpr double kLambda = 3;

/// Bound on |C - R| of an element from its reference R and magnitude |alpha| |A||B| + |beta| |C0|;
/// also for upper estimates of both.
double element_bound(const Product& product, double reference, double magnitude);

/// One compared element of C.
struct Element {
  std::int64_t row = 0, column = 0;
  double found = 0;      ///< as it stands in C
  double error = 0;      ///< found - reference, formed in the precision of the reference
  double reference = 0;  ///< rounded to double
  double bound = 0;      ///< largest permitted |error|

  /// |error| / bound; infinite for what is not finite, and for an error where none is permitted.
  double in_bounds() const;
  bool right() const { return in_bounds() <= 1; }
};

enum class Comparison {
  exact,    ///< the bound is 0; every partial sum is an integer that FP64 holds
  bounded,  ///< the bound is element_bound()
};

/// Compares C at all pairs of `rows` and `columns` (row by row, in the order given) against the
/// reference: FP64, or long double where FP64 itself is under test.
/// Cost: rows x columns x k multiplications, and memory for (rows + a block of columns) x k values.
std::vector<Element> compare_elements(const Product& product,
                                      std::span<const std::int64_t> rows,
                                      std::span<const std::int64_t> columns,
                                      Comparison comparison,
                                      int threads);

/// At most `most` of the numbers 0 .. count - 1, the first and the last among them, chosen by `seed`; fewer
/// for large k, so that reading those rows of A or columns of B is cheap beside reading all.
std::vector<std::int64_t> sample_lines(std::int64_t count,
                                       std::int64_t k,
                                       std::int64_t most,
                                       std::uint64_t seed);
/// 0, 1, ..., count - 1.
std::vector<std::int64_t> all_lines(std::int64_t count);

}  // namespace jissoku::numerics::detail
