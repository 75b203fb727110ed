// Matrices in formats with scales: blocks of a row that share a scale, or one scale for a row or all.
// Sources: OCP Microscaling Formats 1.0 (MX); NVIDIA TransformerEngine's NVFP4 recipe (two levels, 1x16
// blocks; arXiv 2509.25149), bit for bit. docs/formats.md names the conventions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "jissoku/numerics/codes.hpp"

namespace jissoku::numerics {

enum class Recipe {
  mxfp8_e4m3,
  mxfp8_e5m2,
  mxfp6_e3m2,
  mxfp6_e2m3,
  mxfp4,
  mxint8,  ///< elements are multiples of 2^-6; -128 is not used
  nvfp4,
  int8_tensor,
  int8_row,
  e4m3_tensor,
  e5m2_tensor,
};

/// Exponent of an MX block's scale. FLOOR (OCP): floor(log2 amax) - emax, which saturates the largest
/// elements. RCEIL (cuBLAS, TransformerEngine): amax / largest value, rounded up to a power of two.
enum class ScaleRule { floor, rceil };

struct QuantiseOptions {
  Recipe recipe = Recipe::mxfp8_e4m3;
  ScaleRule rule = ScaleRule::floor;  ///< of MX formats
  Rounding rounding = Rounding::nearest_even;
  std::uint64_t seed = 0;  ///< of stochastic rounding; every row draws its own numbers
};

/// Row-major FP32; `leading` elements from row to row.
struct MatrixView {
  const float* data;
  std::int64_t rows, columns, leading;
};

struct QuantiseCounts {
  std::int64_t saturated = 0;   ///< finite, and beyond the largest value after scaling and rounding
  std::int64_t flushed = 0;     ///< not zero, and zero as a code
  std::int64_t non_finite = 0;  ///< infinities and NaNs of the input
};

/// Element value = code * scale of its block * factor.
struct Quantised {
  DataType elements = DataType::e4m3;
  DataType scales = DataType::e8m0;
  std::int64_t rows = 0, columns = 0;
  std::int64_t block = 0;              ///< elements of a row that share a scale; 0: only `factor`
  float factor = 1;                    ///< of the whole matrix
  float amax = 0;                      ///< the largest finite magnitude of the whole matrix
  std::vector<std::byte> codes;        ///< each row on a byte: packed_bytes(elements, columns) apart
  std::vector<std::byte> scale_codes;  ///< row-major [rows][ceil(columns / block)]
};

/// The largest magnitude among finite elements of rows [first, last); 0 if there is none.
float finite_amax(const MatrixView& matrix, std::int64_t first, std::int64_t last);

/// Memory for the matrix, and its factor from the largest magnitude of all its rows.
Quantised prepare_quantised(const MatrixView& matrix, const QuantiseOptions& options, float amax);
/// Rows [first, last), which no other call writes. An MX block with an infinity or NaN gets the scale NaN
/// (OCP MX); elsewhere infinities saturate, and NaNs become the element's NaN or largest value.
QuantiseCounts quantise_rows(const MatrixView& matrix,
                             const QuantiseOptions& options,
                             std::int64_t first,
                             std::int64_t last,
                             Quantised& out);
/// Row `row` as FP32, `columns` values.
void dequantise_row(const Quantised& matrix, std::int64_t row, float* out);

/// amax / (448 * 6), amax of all rows: what the scales of NVFP4 are multiples of.
float nvfp4_factor(float amax);

}  // namespace jissoku::numerics
