#include "jissoku/numerics/narrow.hpp"

#include <bit>

#include "jissoku/numerics/code_formats.hpp"

namespace jissoku::numerics {
namespace {

constexpr Conversion kIeee = {Rounding::nearest_even, false, 0};

}  // namespace

std::uint16_t to_f16(float value) {
  return static_cast<std::uint16_t>(encode_float<kF16>(value, kIeee));
}

float from_f16(std::uint16_t bits) {
  return decode_float<kF16>(bits);
}

std::uint16_t to_bf16(float value) {
  return static_cast<std::uint16_t>(encode_float<kBf16>(value, kIeee));
}

float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

float to_tf32(float value) {
  return std::bit_cast<float>(encode_float<kTf32>(value, kIeee) << kTf32Shift);
}

}  // namespace jissoku::numerics
