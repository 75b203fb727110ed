#include "jissoku/core/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include <fmt/format.h>

namespace jissoku::core {
namespace {

/// What is printed for a number that is none; nobody should have to read "nan".
constexpr const char* kUnknown = "?";

constexpr int kMostDigits = 17;  // a double has no more

/// Decimal exponent after rounding to `digits` significant digits: 9.996 has 1 with three.
int rounded_exponent(double magnitude, int digits) {
  const std::string text = fmt::format("{:.{}e}", magnitude, digits - 1);
  int exponent = 0;
  const std::size_t start = text.find('e') + (text[text.find('e') + 1] == '+' ? 2 : 1);
  std::from_chars(text.data() + start, text.data() + text.size(), exponent);
  return exponent;
}

/// `magnitude` >= 0, rounded to `digits` significant digits but never within its integer part.
std::string significant(double magnitude, int digits) {
  constexpr int kLongestInteger = 15;
  if (magnitude == 0) {
    return "0";
  }
  digits = std::clamp(digits, 1, kMostDigits);
  const int exponent = rounded_exponent(magnitude, digits);
  if (exponent >= kLongestInteger || exponent < -kLongestInteger) {
    return fmt::format("{:.{}e}", magnitude, digits - 1);
  }
  return fmt::format("{:.{}f}", magnitude, std::max(0, digits - 1 - exponent));
}

/// In the first of `units`, each 1000 times the one before, that keeps the printed number below 1000:
/// 999.96 ms is "1.00 s", not "1000 ms".
std::string scaled(double value, int digits, std::span<const char* const> units) {
  if (!std::isfinite(value)) {
    return kUnknown;
  }
  double magnitude = std::abs(value);
  std::size_t unit = 0;
  std::string text = significant(magnitude, digits);
  while (unit + 1 < units.size() && (magnitude >= 1000 || text.substr(0, text.find('.')).size() > 3)) {
    magnitude /= 1000;
    ++unit;
    text = significant(magnitude, digits);
  }
  return (value < 0 ? "-" : "") + text + " " + units[unit];
}

/// Below 1000 there are only whole bytes, so "512 B" at any number of digits.
int digits_for_bytes(double bytes, int digits) {
  return bytes == std::trunc(bytes) && std::abs(bytes) < 1000 ? 1 : digits;
}

Error size_error(const char* id, std::string_view text, std::string_view option, std::int64_t maximum) {
  return make_error(ExitCode::usage,
                    id,
                    {{"option", std::string(option)},
                     {"text", std::string(text)},
                     {"least", std::int64_t{1}},
                     {"most", maximum}});
}

/// Digits at the start of `text`, which are cut off; nullopt for a number beyond 64 bits.
std::optional<std::int64_t> take_digits(std::string_view& text) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  std::optional<std::int64_t> value = 0;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    const int digit = text.front() - '0';
    value = !value || *value > (kLargest - digit) / 10 ? std::nullopt : std::optional(*value * 10 + digit);
    text.remove_prefix(1);
  }
  return value;
}

/// value * factor^times; nullopt beyond 64 bits.
std::optional<std::int64_t> multiplied(std::optional<std::int64_t> value,
                                       std::int64_t factor,
                                       std::optional<std::int64_t> times) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMostFactors = 64;  // more are beyond 64 bits, whatever the factor
  if (value == 0) {
    return value;
  }
  for (std::int64_t i = std::min(times.value_or(kMostFactors), kMostFactors); i > 0 && value; --i) {
    value = *value > kLargest / factor ? std::nullopt : std::optional(*value * factor);
  }
  return value;
}

bool starts_with_digit(std::string_view text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

}  // namespace

std::string format_time_ns(double time_ns, int digits) {
  static constexpr std::array kUnits = {"ns", "us", "ms", "s"};
  return scaled(time_ns, digits, kUnits);
}

std::string format_rate_flops(double flops_per_second, int digits) {
  static constexpr std::array kUnits = {"FLOPS", "kFLOPS", "MFLOPS", "GFLOPS", "TFLOPS", "PFLOPS", "EFLOPS"};
  return scaled(flops_per_second, digits, kUnits);
}

std::string format_bytes(double bytes, int digits) {
  static constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  return scaled(bytes, digits_for_bytes(bytes, digits), kUnits);
}

std::string format_bandwidth(double bytes_per_second, int digits) {
  static constexpr std::array kUnits = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s", "EB/s"};
  return scaled(bytes_per_second, digits_for_bytes(bytes_per_second, digits), kUnits);
}

std::string format_percent(double share) {
  if (!std::isfinite(share * 100)) {
    return kUnknown;
  }
  const double percent = std::abs(share * 100);
  std::string text;
  if (percent == 0) {
    text = "0";
  } else if (percent < 0.95) {
    text = significant(percent, 1);
  } else {
    text = fmt::format("{:.{}f}", percent, percent < 9.95 ? 1 : 0);
  }
  return (share < 0 && percent != 0 ? "-" : "") + text + " %";
}

std::string format_ratio(double ratio, int digits) {
  if (!std::isfinite(ratio)) {
    return kUnknown;
  }
  digits = std::clamp(digits, 1, kMostDigits);
  const double magnitude = std::abs(ratio);
  // Below 1 the leading zero takes a digit's place, so that columns of ratios align: 0.93x, 1.04x.
  std::string text;
  if (magnitude >= 0.1 && magnitude < 1) {
    text = fmt::format("{:.{}f}", magnitude, digits - 1);
  } else {
    text = significant(magnitude, magnitude < 1 ? digits - 1 : digits);
  }
  return (ratio < 0 ? "-" : "") + text + "x";
}

std::string format_integer(std::int64_t value) {
  std::string text = fmt::format("{}", value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t position = text.size(); position > first + 3;) {
    position -= 3;
    text.insert(position, 1, ',');
  }
  return text;
}

int digits_for_relative_half_width(double relative_half_width) {
  // As many digits as keep the last one no finer than a tenth of the half width.
  constexpr int kFewest = 2;
  constexpr std::array kBounds = {1e-2, 1e-3, 1e-4};
  int digits = kFewest;
  for (const double bound : kBounds) {
    digits += relative_half_width < bound ? 1 : 0;
  }
  return digits;
}

std::string format_number(double value) {
  if (!std::isfinite(value)) {
    return kUnknown;
  }
  std::array<char, 32> buffer{};
  const auto [end, failure] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value + 0.0);
  return {buffer.data(), failure == std::errc() ? end : buffer.data()};
}

Result<std::int64_t> parse_size(std::string_view text, std::string_view option, std::int64_t maximum) {
  constexpr std::string_view kBinaryPrefixes = "KMGTPE";
  std::string_view rest = text;
  const bool has_digits = starts_with_digit(rest);
  std::optional<std::int64_t> value = take_digits(rest);
  if (rest.size() >= 2 && (rest[0] == 'e' || rest[0] == 'E') && starts_with_digit(rest.substr(1))) {
    rest.remove_prefix(1);
    value = multiplied(value, 10, take_digits(rest));
  } else if (rest.size() >= 2 && rest[1] == 'i' && kBinaryPrefixes.find(rest[0]) != std::string_view::npos) {
    value = multiplied(value, 1024, static_cast<std::int64_t>(kBinaryPrefixes.find(rest[0])) + 1);
    rest.remove_prefix(rest.size() > 2 && rest[2] == 'B' ? 3 : 2);
  }
  if (!has_digits || !rest.empty()) {
    return size_error("core.not_a_size", text, option, maximum);
  }
  if (!value || *value < 1 || *value > maximum) {
    return size_error("core.size_out_of_range", text, option, maximum);
  }
  return *value;
}

Result<Shape> parse_shape(std::string_view text, std::string_view option, std::int64_t maximum) {
  constexpr std::size_t kParts = 3;
  std::array<std::int64_t, kParts> sizes{};
  std::string_view rest = text;
  if (static_cast<std::size_t>(std::count(text.begin(), text.end(), 'x')) != kParts - 1) {
    return size_error("core.not_a_shape", text, option, maximum);
  }
  for (std::int64_t& size : sizes) {
    const std::size_t end = std::min(rest.find('x'), rest.size());
    const auto parsed = parse_size(rest.substr(0, end), option, maximum);
    if (!parsed) {
      const bool in_form = parsed.error().message.id == "core.size_out_of_range";
      return in_form ? parsed.error() : size_error("core.not_a_shape", text, option, maximum);
    }
    size = *parsed;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return Shape{sizes[0], sizes[1], sizes[2]};
}

}  // namespace jissoku::core
