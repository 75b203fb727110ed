// Number formats by name. Their arithmetic comes with the precision lab; this is identity and size.
#pragma once

#include <string_view>

#include "jissoku/core/result.hpp"

namespace jissoku::numerics {

enum class DataType { f64, f32, tf32, f16, bf16, e4m3, e5m2, e3m2, e2m3, e2m1, i8, i32, e8m0 };

/// "f32"; the name used on the command line and in documents.
std::string_view to_string(DataType type);
/// "FP32"; the name people read.
std::string_view display_name(DataType type);
/// Error (usage) names the text and lists the types.
core::Result<DataType> parse_data_type(std::string_view text, std::string_view option);
/// Storage bits of one element (TF32 is stored in 32).
int storage_bits(DataType type);
/// Unit roundoff under round-to-nearest, 2^-(significand bits incl. hidden); 0 for integers.
double unit_roundoff(DataType type);

}  // namespace jissoku::numerics
