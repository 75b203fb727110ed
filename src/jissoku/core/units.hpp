// Numbers for people and from people. Units are decimal (10^9) unless the name says binary.
// All functions are locale-independent.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "jissoku/core/result.hpp"

namespace jissoku::core {

/// "970 ms", "1.04 s", "23.1 us", "340 ns". `digits` significant digits (at least those of the
/// integer part).
std::string format_time_ns(double time_ns, int digits = 3);
/// FLOP/s: "141.7 GFLOPS", "1.82 TFLOPS".
std::string format_rate_flops(double flops_per_second, int digits = 4);
/// Bytes, decimal: "512 B", "67.1 MB".
std::string format_bytes(double bytes, int digits = 3);
/// Bytes per second: "17.9 GB/s".
std::string format_bandwidth(double bytes_per_second, int digits = 3);
/// A share: 0.794 -> "79 %", 0.008 -> "0.8 %".
std::string format_percent(double share);
/// "1.52x".
std::string format_ratio(double ratio, int digits = 3);
/// "16,777,216".
std::string format_integer(std::int64_t value);
/// Significant digits that an interval warrants: a half width of 0.8 % of the value gives 3.
int digits_for_relative_half_width(double relative_half_width);

/// A number without unit, locale-independent, shortest that reads back.
std::string format_number(double value);

/// "4096", "4Ki", "256MiB", "1e6" -> a positive integer that fits `maximum`.
/// Errors (usage): empty, signs, fractions, trailing text ("4096x"), zero, too large; the message
/// carries the text, the option name and the allowed range.
Result<std::int64_t> parse_size(std::string_view text, std::string_view option, std::int64_t maximum);

struct Shape {
  std::int64_t m = 0, n = 0, k = 0;
};
/// "MxNxK" with each part as in parse_size.
Result<Shape> parse_shape(std::string_view text, std::string_view option, std::int64_t maximum);

}  // namespace jissoku::core
