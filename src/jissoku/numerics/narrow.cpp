#include "jissoku/numerics/narrow.hpp"

#include <bit>
#include <cmath>

namespace jissoku::numerics {
namespace {

/// `bits` without its lowest `count` bits, rounded to nearest even. Carries run into the exponent, as they
/// must: the next binade, or infinity.
std::uint32_t round_off(std::uint32_t bits, unsigned count) {
  const std::uint32_t half = std::uint32_t{1} << (count - 1);
  const std::uint32_t odd = (bits >> count) & 1U;
  return (bits + half - 1 + odd) & ~((std::uint32_t{1} << count) - 1);
}

}  // namespace

std::uint16_t to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>(sign | 0x7E00U | ((bits >> 13) & 0x3FFU));
  }
  const float magnitude = std::abs(value);
  if (magnitude >= 65520.0F) {
    return static_cast<std::uint16_t>(sign | 0x7C00U);
  }
  if (magnitude < 0x1p-14F) {
    // Subnormal: a multiple of 2^-24, which adding 0.5 leaves as the last bits of the significand.
    const float aligned = magnitude + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(aligned) - 0x3F000000U));
  }
  const std::uint32_t rounded = round_off(bits & 0x7FFFFFFFU, 13);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000U) >> 13));
}

float from_f16(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  const std::uint32_t magnitude = bits & 0x7FFFU;
  if (magnitude >= 0x7C00U) {
    return std::bit_cast<float>(sign | 0x7F800000U | ((magnitude & 0x3FFU) << 13));
  }
  if (magnitude < 0x400U) {
    const float value = static_cast<float>(magnitude) * 0x1p-24F;
    return sign != 0 ? -value : value;
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000U));
}

std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
  }
  return static_cast<std::uint16_t>(round_off(bits, 16) >> 16);
}

float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

float to_tf32(float value) {
  return std::isfinite(value) ? std::bit_cast<float>(round_off(std::bit_cast<std::uint32_t>(value), 13))
                              : value;
}

}  // namespace jissoku::numerics
