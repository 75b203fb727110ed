// Proof that a matrix product is right, with a check that is able to fail.
//
// Two methods, chosen by what the operands are:
//   exact    integer operands whose sums are exact in the accumulator: equality. Small products are
//            compared in full; large ones by an exact Freivalds check with random 16-bit integer
//            vectors in 64-bit modular arithmetic, which sees any single wrong element.
//   bounded  any operands, against FP64 (long double for FP64) with the K-aware componentwise bound
//            of Higham & Mary: |C - R| <= lambda sqrt(k) u |A||B| + u |C|, in full when small, else
//            a randomised check (Freivalds with tolerance) plus recomputed elements.
// NaN, inf and elements that still hold the poison are failures in both.
// Before a verdict the check proves itself on a copy of its own evidence: a zeroed output and one
// element off by twice the detection limit must both fail (`self_test`).
#pragma once

#include <cstdint>
#include <string>

#include "jissoku/core/message.hpp"
#include "jissoku/numerics/data_type.hpp"

namespace jissoku::numerics {

/// A row-major matrix in host memory. Element (i, j) is at i * leading_dimension + j; codes of less than 8
/// bits are packed as codes.hpp says. Its values are those of the codes times their scales, so that errors
/// are those of the product and not of the conversion.
struct MatrixView {
  const void* data = nullptr;
  DataType type = DataType::f32;  ///< any but e8m0; i32 for C only
  std::int64_t rows = 0, columns = 0, leading_dimension = 0;
  const void* scales = nullptr;  ///< row by row without gaps; not for C
  DataType scale_type = DataType::e8m0;
  std::int64_t scale_block = 0;  ///< elements of a stored row that share a scale; 0: none
};

/// C = alpha op(A) op(B) + beta C0, as it was computed.
struct GemmCheck {
  MatrixView a, b;  ///< as stored: op(A) is m x k
  bool transpose_a = false, transpose_b = false;
  double alpha = 1, beta = 0;      ///< rounded to FP32 first, unless the accumulator is FP64
  MatrixView c;                    ///< the result under test
  const void* c_before = nullptr;  ///< C0 with c's layout; needed when beta != 0
  DataType accumulator = DataType::f32;
  /// The hardware may cut off instead of rounding when it adds, as tensor cores do: errors then grow with k,
  /// not with its root (Blanchard et al., SIAM J. Sci. Comput. 42, 2020).
  bool truncating = false;
  bool integer_operands = false;  ///< A, B (and C0) hold integers and every sum is exact: method exact
  std::uint64_t seed = 1;         ///< of the random vectors and sampled elements
  int threads = 1;                ///< for the O(n^2) passes
};

/// Also the form in which a verification is stored in a row.
struct Verification {
  bool done = false;
  bool passed = false;
  bool self_test = false;              ///< a zeroed output and a planted error were both caught
  std::string method;                  ///< "exact", "exact_freivalds", "bounded", "bounded_freivalds"
  double detection_limit = 0;          ///< smallest absolute error of a single element that is certainly seen
  double typical_value = 0;            ///< RMS of the reference elements (sampled), to read the limit against
  double largest_error = 0;            ///< found |C - R| (0 for exact)
  double largest_error_in_bounds = 0;  ///< the same in units of the bound; <= 1 when passed
  std::int64_t elements = 0;           ///< of C
  std::int64_t elements_compared = 0;  ///< of them individually
  double cost_ns = 0;
  core::Message finding;  ///< what was wrong, with row and column; empty when passed
};

/// Cost O(mk + kn + mn) for large products, O(mnk) for small ones. Rows beyond `columns` up to the
/// leading dimension are not read. Never throws, never fails: a wrong result is a finding.
Verification verify_gemm(const GemmCheck& check);

/// Largest |value| of integer operands such that every partial sum of K products is exact in
/// `accumulator` (and representable in the output); 0 if there is none.
int exact_integer_magnitude(DataType accumulator, std::int64_t k);

/// The bit pattern outputs are filled with before a launch (a NaN with a recognisable payload).
float poison_f32();
double poison_f64();

}  // namespace jissoku::numerics
