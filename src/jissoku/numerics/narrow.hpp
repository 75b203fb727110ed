// The 16-bit formats and TF32, as bits and as values: IEEE 754-2019 binary16 (5 exponent bits, 10 fraction
// bits), bfloat16 (the upper half of binary32) and TF32 (binary32 with 10 fraction bits). Round to nearest,
// ties to even; subnormals kept; NaN stays NaN.
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
