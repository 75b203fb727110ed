// Values as codes of a number format and back, one at a time and as packed rows. The formats and their
// limits: IEEE 754-2019 (f16), OCP 8-bit Floating Point Specification 1.0 (e4m3 = E4M3FN, e5m2), OCP
// Microscaling Formats 1.0 (e3m2, e2m3, e2m1, e8m0). Where public conventions disagree, `Conversion` chooses.
//
// Packing: codes lie low bits first without gaps (FP4: low nibble = even element; FP6: four codes in three
// bytes), each row starting on a byte.
#pragma once

#include <cstddef>
#include <cstdint>

#include "jissoku/numerics/data_type.hpp"

namespace jissoku::numerics {

enum class Rounding { nearest_even, toward_zero, half_away, stochastic };

/// How a value that a format does not hold becomes one that it does.
struct Conversion {
  Rounding rounding = Rounding::nearest_even;
  /// Overflow and infinity give the largest finite value (CUDA's SATFINITE); otherwise infinity, or NaN in a
  /// format without infinities. Formats with neither (FP6, FP4, INT8) always saturate.
  bool saturate = true;
  std::uint64_t seed = 0;  ///< of stochastic rounding; element i of a call always draws the same number
};

/// Bytes that `count` packed codes take.
std::size_t packed_bytes(DataType type, std::int64_t count);

/// The code of `value` in the low bits. `random` is used by stochastic rounding only (uniform over 2^32).
std::uint32_t encode(DataType type, float value, const Conversion& conversion = {}, std::uint32_t random = 0);
/// Exact for every code of every format of 32 bits and less but i32 above 2^24, which rounds to nearest.
float decode(DataType type, std::uint32_t code);

/// `count` values to packed codes at `out`; vectorised, bit for bit what `encode` gives.
void encode(
    DataType type, const float* in, std::int64_t count, std::byte* out, const Conversion& conversion = {});
/// `count` packed codes to values; vectorised, bit for bit what `decode` gives. `first` elements of the row
/// are skipped, so that a block may start within a byte.
void decode(DataType type, const std::byte* in, std::int64_t first, std::int64_t count, float* out);

}  // namespace jissoku::numerics
