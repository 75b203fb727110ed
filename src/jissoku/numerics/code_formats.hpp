// The codes of each format, one value at a time: what codes.hpp promises, as inline functions of a format
// that is known at compile time. Internal to numerics.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "jissoku/numerics/codes.hpp"

namespace jissoku::numerics {

/// A floating-point format with sign, of at most 19 bits. Codes below are those of positive values.
struct FloatFormat {
  int width;          ///< bits of a code
  int fraction_bits;  ///< without the hidden one
  int bias;
  std::uint32_t max_finite;
  std::uint32_t infinity;  ///< what overflow gives that does not saturate; a NaN where there is no infinity
  std::uint32_t nan;       ///< what every NaN becomes, whatever its sign and payload

  constexpr int min_exponent() const { return 1 - bias; }
  constexpr int dropped_bits() const { return 23 - fraction_bits; }
  constexpr std::uint32_t sign() const { return 1U << static_cast<unsigned>(width - 1); }
  constexpr std::uint32_t fraction_mask() const { return (1U << static_cast<unsigned>(fraction_bits)) - 1; }
  constexpr std::uint32_t exponent_mask() const { return sign() - 1 - fraction_mask(); }
  /// All codes with the largest exponent are infinities and NaNs, as in IEEE 754.
  constexpr bool ieee_specials() const { return infinity == exponent_mask(); }
  constexpr bool has_nan() const { return nan != max_finite; }
};

// Limits: IEEE 754-2019; OCP 8-bit Floating Point Specification 1.0; OCP Microscaling Formats 1.0. The NaN is
// the one of CUDA's conversions (cuda_fp16.h, cuda_bf16.h, cuda_fp8.h, cuda_fp6.h, cuda_fp4.h): the sign is
// dropped, and formats without NaN give the largest value.
inline constexpr FloatFormat kTf32 = {19, 10, 127, 0x3FBFF, 0x3FC00, 0x3FFFF};  ///< lies 13 bits up in 32
inline constexpr FloatFormat kF16 = {16, 10, 15, 0x7BFF, 0x7C00, 0x7FFF};
inline constexpr FloatFormat kBf16 = {16, 7, 127, 0x7F7F, 0x7F80, 0x7FFF};
inline constexpr FloatFormat kE4m3 = {8, 3, 7, 0x7E, 0x7F, 0x7F};
inline constexpr FloatFormat kE5m2 = {8, 2, 15, 0x7B, 0x7C, 0x7F};
inline constexpr FloatFormat kE3m2 = {6, 2, 3, 0x1F, 0x1F, 0x1F};
inline constexpr FloatFormat kE2m3 = {6, 3, 1, 0x1F, 0x1F, 0x1F};
inline constexpr FloatFormat kE2m1 = {4, 1, 1, 0x7, 0x7, 0x7};

inline constexpr unsigned kTf32Shift = 13;
inline constexpr std::uint32_t kF32Sign = 0x80000000U;
inline constexpr std::uint32_t kF32Infinity = 0x7F800000U;
inline constexpr std::uint32_t kF32Hidden = 0x00800000U;
inline constexpr std::uint32_t kF32Quiet = 0x00400000U;
inline constexpr std::uint32_t kE8m0Nan = 0xFF;

/// `magnitude` / 2^dropped as an integer (dropped >= 1). Stochastic: up if the fraction, cut to 31 bits, and
/// the leading 31 bits of `random` make one.
constexpr std::uint32_t rounded_shift(std::uint32_t magnitude,
                                      int dropped,
                                      Rounding rounding,
                                      std::uint32_t random) {
  magnitude >>= static_cast<unsigned>(std::clamp(dropped - 31, 0, 31));
  const auto shift = static_cast<unsigned>(std::min(dropped, 31));
  const std::uint32_t half = 1U << (shift - 1);
  std::uint32_t addend = 0;
  switch (rounding) {
    case Rounding::nearest_even:
      addend = half - 1 + ((magnitude >> shift) & 1U);
      break;
    case Rounding::toward_zero:
      break;
    case Rounding::half_away:
      addend = half;
      break;
    case Rounding::stochastic:
      addend = random >> (32U - shift);
      break;
  }
  return (magnitude + addend) >> shift;
}

/// Exponent and 24-bit significand of a finite FP32 magnitude: significand * 2^(exponent - 23).
struct Unpacked {
  int exponent;
  std::uint32_t significand;
};

constexpr Unpacked unpack(std::uint32_t magnitude) {
  const auto field = static_cast<int>(magnitude >> 23U);
  const std::uint32_t fraction = magnitude & (kF32Hidden - 1);
  return field == 0 ? Unpacked{-126, fraction} : Unpacked{field - 127, fraction | kF32Hidden};
}

template <FloatFormat F>
constexpr std::uint32_t encode_float(float value, const Conversion& conversion, std::uint32_t random = 0) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & ~kF32Sign;
  if (magnitude > kF32Infinity) {
    return F.nan;
  }
  const Unpacked unpacked = unpack(magnitude);
  const int above = unpacked.exponent - F.min_exponent();
  // The hidden bit of a normal value adds one to its exponent field; a carry adds one more.
  std::uint32_t code = rounded_shift(
      unpacked.significand, F.dropped_bits() + std::max(-above, 0), conversion.rounding, random);
  code += static_cast<std::uint32_t>(std::max(above, 0)) << static_cast<unsigned>(F.fraction_bits);
  if (code > F.max_finite) {
    // Rounding toward zero never leaves the finite values (IEEE 754-2019, 7.4).
    const bool finite = conversion.rounding == Rounding::toward_zero && magnitude != kF32Infinity;
    code = conversion.saturate || finite ? F.max_finite : F.infinity;
  }
  return code | (bits >> 31U) * F.sign();
}

/// NaNs stay NaNs with their sign and payload, and are quiet.
template <FloatFormat F>
constexpr float decode_float(std::uint32_t code) {
  constexpr auto kUp = static_cast<unsigned>(F.dropped_bits());
  const std::uint32_t sign = (code & F.sign()) != 0 ? kF32Sign : 0;
  const std::uint32_t magnitude = code & (F.sign() - 1);
  std::uint32_t bits = 0;
  if (F.has_nan() && (F.ieee_specials() ? magnitude > F.infinity : magnitude == F.nan)) {
    bits = kF32Infinity | kF32Quiet | (magnitude & F.fraction_mask()) << kUp;
  } else if (F.ieee_specials() && magnitude == F.infinity) {
    bits = kF32Infinity;
  } else if ((magnitude & F.exponent_mask()) != 0) {
    bits = (magnitude << kUp) + (static_cast<std::uint32_t>(127 - F.bias) << 23U);
  } else if (F.bias == 127) {
    bits = magnitude << kUp;
  } else {
    // A multiple of the smallest subnormal, put below the smallest normal value's leading bit.
    constexpr std::uint32_t kMinNormal = static_cast<std::uint32_t>(127 + F.min_exponent()) << 23U;
    bits = std::bit_cast<std::uint32_t>(std::bit_cast<float>(kMinNormal | magnitude << kUp) -
                                        std::bit_cast<float>(kMinNormal));
  }
  return std::bit_cast<float>(sign | bits);
}

/// Of a finite or infinite value, at most `limit`.
constexpr std::uint32_t integer_magnitude(std::uint32_t magnitude,
                                          std::uint32_t limit,
                                          Rounding rounding,
                                          std::uint32_t random) {
  const auto [exponent, significand] = unpack(magnitude);
  if (exponent >= 31) {
    return limit;
  }
  const std::uint32_t whole = exponent >= 23 ? significand << static_cast<unsigned>(exponent - 23)
                                             : rounded_shift(significand, 23 - exponent, rounding, random);
  return std::min(whole, limit);
}

/// Two's complement of `bits` bits. NaN gives 0, as cvt.rni.s32.f32 does.
template <int bits>
constexpr std::uint32_t encode_integer(float value, const Conversion& conversion, std::uint32_t random = 0) {
  constexpr std::uint32_t kSign = 1U << static_cast<unsigned>(bits - 1);
  constexpr std::uint32_t kMask = kSign | (kSign - 1);
  const auto word = std::bit_cast<std::uint32_t>(value);
  if ((word & ~kF32Sign) > kF32Infinity) {
    return 0;
  }
  const bool negative = (word & kF32Sign) != 0;
  const std::uint32_t magnitude =
      integer_magnitude(word & ~kF32Sign, negative ? kSign : kSign - 1, conversion.rounding, random);
  return (negative ? 0U - magnitude : magnitude) & kMask;
}

/// FP32 bits of a finite or infinite magnitude with the code of E8M0 as exponent field and the fraction above
/// it in the 23 bits below: 2^-127, an FP32 subnormal, is E8M0's smallest value, and all below it become it.
constexpr std::uint32_t e8m0_bits(std::uint32_t magnitude) {
  return magnitude >= kF32Hidden ? magnitude : (std::max(magnitude, kF32Quiet) << 1U) - kF32Hidden;
}

/// The sign is ignored, as by CUDA's __nv_cvt_float_to_e8m0. Nearest by value, ties to the even code.
constexpr std::uint32_t encode_e8m0(float value, const Conversion& conversion, std::uint32_t random = 0) {
  const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(value) & ~kF32Sign;
  if (magnitude > kF32Infinity) {
    return kE8m0Nan;
  }
  const std::uint32_t code = rounded_shift(e8m0_bits(magnitude), 23, conversion.rounding, random);
  return conversion.saturate ? std::min(code, kE8m0Nan - 1) : code;
}

constexpr float decode_e8m0(std::uint32_t code) {
  if (code == kE8m0Nan) {
    return std::bit_cast<float>(kF32Infinity | kF32Quiet);
  }
  return std::bit_cast<float>(code == 0 ? kF32Quiet : code << 23U);
}

}  // namespace jissoku::numerics
