// Test data by counter: element i of a fill is a function of (seed, i) alone, so that any device
// and any number of threads produce the same matrix.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "jissoku/core/result.hpp"

namespace jissoku::numerics {

/// What a matrix is filled with.
enum class Data {
  normal,   ///< normal(0,1), the default: what trained weights and activations look like
  uniform,  ///< uniform in [0,1)
  ints,     ///< small integers whose products sum exactly in the accumulator
  zeros,
};
std::string_view to_string(Data data);
core::Result<Data> parse_data(std::string_view text, std::string_view option);

/// 64 random bits for (seed, index) (splitmix64 finaliser over both).
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index);

/// Element values [first, first + out.size()) of the fill. For `ints`: uniform on
/// [-magnitude, magnitude] (magnitude >= 1; ignored otherwise).
void fill_values(Data data, std::uint64_t seed, std::uint64_t first, int magnitude, std::span<float> out);
void fill_values(Data data, std::uint64_t seed, std::uint64_t first, int magnitude, std::span<double> out);

}  // namespace jissoku::numerics
