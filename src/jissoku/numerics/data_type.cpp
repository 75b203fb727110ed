#include "jissoku/numerics/data_type.hpp"

#include <array>
#include <cassert>
#include <cstdint>
#include <string>

namespace jissoku::numerics {
namespace {

struct Format {
  DataType type;
  std::string_view name;
  std::string_view display_name;
  int storage_bits;
  int significand_bits;  ///< with the hidden one; 0 = no floating-point format
};

/// In the order of the enumeration. Widths: IEEE 754-2019 for f64, f32, f16; OCP 8-bit Floating Point
/// Specification 1.0 and Microscaling Formats 1.0 for those of 8 bits and less.
constexpr std::array<Format, 13> kFormats = {{
    {DataType::f64, "f64", "FP64", 64, 53},
    {DataType::f32, "f32", "FP32", 32, 24},
    {DataType::tf32, "tf32", "TF32", 32, 11},
    {DataType::f16, "f16", "FP16", 16, 11},
    {DataType::bf16, "bf16", "BF16", 16, 8},
    {DataType::e4m3, "e4m3", "FP8 E4M3", 8, 4},
    {DataType::e5m2, "e5m2", "FP8 E5M2", 8, 3},
    {DataType::e3m2, "e3m2", "FP6 E3M2", 6, 3},
    {DataType::e2m3, "e2m3", "FP6 E2M3", 6, 4},
    {DataType::e2m1, "e2m1", "FP4 E2M1", 4, 2},
    {DataType::i8, "i8", "INT8", 8, 0},
    {DataType::i32, "i32", "INT32", 32, 0},
    {DataType::e8m0, "e8m0", "E8M0", 8, 1},
}};

const Format& format_of(DataType type) {
  const Format& format = kFormats[static_cast<std::size_t>(type)];
  assert(format.type == type);
  return format;
}

}  // namespace

std::string_view to_string(DataType type) {
  return format_of(type).name;
}

std::string_view display_name(DataType type) {
  return format_of(type).display_name;
}

core::Result<DataType> parse_data_type(std::string_view text, std::string_view option) {
  std::string choices;
  for (const Format& format : kFormats) {
    if (format.name == text) {
      return format.type;
    }
    choices += (choices.empty() ? "" : ", ") + std::string(format.name);
  }
  return core::make_error(
      core::ExitCode::usage,
      "core.not_one_of",
      {{"option", std::string(option)}, {"text", std::string(text)}, {"choices", choices}});
}

int storage_bits(DataType type) {
  return format_of(type).storage_bits;
}

double unit_roundoff(DataType type) {
  const int bits = format_of(type).significand_bits;
  return bits == 0 ? 0 : 1 / static_cast<double>(std::uint64_t{1} << static_cast<unsigned>(bits));
}

}  // namespace jissoku::numerics
