// Matrices of small formats as values that the checks read.
#pragma once

#include <vector>

#include "jissoku/numerics/verification.hpp"

namespace jissoku::numerics::detail {

/// A matrix as f32 or f64. Holds a copy where the original is in another format, or has scales; the original
/// must outlive it.
class Widened {
 public:
  /// Throws std::bad_alloc. Precondition: the view is well formed (shape, data).
  explicit Widened(const MatrixView& original);
  Widened(const Widened&) = delete;
  Widened& operator=(const Widened&) = delete;

  const MatrixView& view() const { return view_; }

 private:
  std::vector<float> single_;
  std::vector<double> double_;
  MatrixView view_;
};

/// Whether Widened knows the format.
bool can_widen(const MatrixView& matrix);
/// An FP32 kernel rounds when it multiplies a code by such scales.
bool scales_round(const MatrixView& matrix);
/// Spacing of the format's values near zero.
double smallest_step(DataType type);

}  // namespace jissoku::numerics::detail
