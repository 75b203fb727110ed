// Number formats by FP64 arithmetic, as one would explain them: what the codes of numerics/ are compared
// with.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "jissoku/numerics/codes.hpp"

namespace jissoku::test {

struct SlowFormat {
  numerics::DataType type;
  int fraction_bits;
  int min_exponent;  ///< of normal numbers
  double largest;
  bool has_infinity;
  bool has_nan;
};

inline constexpr SlowFormat kSlowFormats[] = {
    {numerics::DataType::tf32, 10, -126, 0x1.FFCp127, true, true},
    {numerics::DataType::f16, 10, -14, 65504, true, true},
    {numerics::DataType::bf16, 7, -126, 0x1.FEp127, true, true},
    {numerics::DataType::e4m3, 3, -6, 448, false, true},
    {numerics::DataType::e5m2, 2, -14, 57344, true, true},
    {numerics::DataType::e3m2, 2, -2, 28, false, false},
    {numerics::DataType::e2m3, 3, 0, 7.5, false, false},
    {numerics::DataType::e2m1, 1, 0, 6, false, false},
};

/// The value that `x` becomes; NaN for a NaN.
inline double slow_round(const SlowFormat& format, float x, const numerics::Conversion& conversion) {
  using numerics::Rounding;
  const double infinity = std::numeric_limits<double>::infinity();
  if (std::isnan(x)) {
    return format.has_nan ? std::numeric_limits<double>::quiet_NaN() : format.largest;
  }
  const auto magnitude = static_cast<double>(std::abs(x));
  double rounded = magnitude;
  if (std::isfinite(x) && x != 0.0F) {
    const int exponent = std::max(std::ilogb(magnitude), format.min_exponent) - format.fraction_bits;
    const double units = std::ldexp(magnitude, -exponent);
    const double whole = conversion.rounding == Rounding::nearest_even  ? std::nearbyint(units)
                         : conversion.rounding == Rounding::toward_zero ? std::trunc(units)
                                                                        : std::round(units);
    rounded = std::ldexp(whole, exponent);
  }
  if (rounded > format.largest) {
    const bool cut = conversion.rounding == Rounding::toward_zero && std::isfinite(x);
    const bool stays = conversion.saturate || cut || !format.has_nan;
    rounded = stays                 ? format.largest
              : format.has_infinity ? infinity
                                    : std::numeric_limits<double>::quiet_NaN();
  }
  return std::signbit(x) ? -rounded : rounded;
}

/// The value of a code of at most 16 bits.
inline double slow_value(const SlowFormat& format, unsigned code) {
  const int width = numerics::storage_bits(format.type);
  const unsigned magnitude = code & ((1U << static_cast<unsigned>(width - 1)) - 1);
  const auto field = static_cast<int>(magnitude >> static_cast<unsigned>(format.fraction_bits));
  const int fraction = static_cast<int>(magnitude) - (field << static_cast<unsigned>(format.fraction_bits));
  const int hidden = field == 0 ? 0 : 1 << static_cast<unsigned>(format.fraction_bits);
  const int exponent = std::max(field, 1) - 1 + format.min_exponent - format.fraction_bits;
  double value = std::ldexp(hidden + fraction, exponent);
  if (value > format.largest) {
    value = format.has_infinity && fraction == 0 ? std::numeric_limits<double>::infinity()
                                                 : std::numeric_limits<double>::quiet_NaN();
  }
  return code == magnitude ? value : -value;
}

}  // namespace jissoku::test
