// The 16-bit formats and TF32 as IEEE 754 converts: to nearest even, overflow to infinity. The codes of
// codes.hpp by the name of their format.
#pragma once

#include <cstdint>

namespace jissoku::numerics {

/// Overflows to infinity from 65520 on.
std::uint16_t to_f16(float value);
float from_f16(std::uint16_t bits);

std::uint16_t to_bf16(float value);
float from_bf16(std::uint16_t bits);

/// The nearest value with 10 fraction bits.
float to_tf32(float value);

}  // namespace jissoku::numerics
