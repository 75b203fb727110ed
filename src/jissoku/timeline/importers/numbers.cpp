// Numbers and escapes of JSON texts, exactly: epoch microseconds with a fraction have 19 digits, more than
// a double holds.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "jissoku/timeline/importers/scanner.hpp"

namespace jissoku::timeline::importers {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Digits with a sign, a point and an exponent, as (digits of the integer, digits of the fraction, exponent).
struct Decimal {
  bool negative = false;
  std::string_view whole, fraction;
  int exponent = 0;
};

bool split(std::string_view text, Decimal& out) {
  std::size_t at = 0;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) {
    out.negative = text[at] == '-';
    ++at;
  }
  const auto digits = [&] {
    const std::size_t from = at;
    while (at < text.size() && is_digit(text[at])) {
      ++at;
    }
    return text.substr(from, at - from);
  };
  out.whole = digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    out.fraction = digits();
  }
  if (out.whole.empty() && out.fraction.empty()) {
    return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && text[at] == '+') {
      ++at;
    }
    const auto [end, failure] = std::from_chars(text.data() + at, text.data() + text.size(), out.exponent);
    if (failure != std::errc()) {
      return false;
    }
    at = static_cast<std::size_t>(end - text.data());
    out.exponent = std::clamp(out.exponent, -400, 400);
  }
  return at == text.size();
}

/// The digits of the number times 10^shift, rounded half up; saturates at kMostNs.
std::int64_t scaled(const Decimal& decimal, int shift) {
  const int point = static_cast<int>(decimal.whole.size()) + decimal.exponent + shift;
  const int count = static_cast<int>(decimal.whole.size() + decimal.fraction.size());
  const auto digit = [&](int index) {
    const auto whole = static_cast<int>(decimal.whole.size());
    return (index < whole ? decimal.whole[static_cast<std::size_t>(index)]
                          : decimal.fraction[static_cast<std::size_t>(index - whole)]) -
           '0';
  };
  std::int64_t value = 0;
  for (int index = 0; index < point; ++index) {
    value = value * 10 + (index < count ? digit(index) : 0);
    if (value > kMostNs / 10) {
      value = kMostNs;
      break;
    }
  }
  if (point >= 0 && point < count && digit(point) >= 5) {
    ++value;
  }
  value = std::min(value, kMostNs);
  return decimal.negative ? -value : value;
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0U | (code >> 6U));
    out += static_cast<char>(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0U | (code >> 12U));
    out += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
    out += static_cast<char>(0x80U | (code & 0x3FU));
  } else {
    out += static_cast<char>(0xF0U | (code >> 18U));
    out += static_cast<char>(0x80U | ((code >> 12U) & 0x3FU));
    out += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
    out += static_cast<char>(0x80U | (code & 0x3FU));
  }
}

bool hex4(std::string_view text, std::uint32_t& code) {
  if (text.size() < 4) {
    return false;
  }
  const auto [end, failure] = std::from_chars(text.data(), text.data() + 4, code, 16);
  return failure == std::errc() && end == text.data() + 4;
}

/// What `\uXXXX` at `at` stands for, a surrogate pair taken together; the bytes it takes, 0 if it is none.
std::size_t unicode_escape(std::string_view bytes, std::size_t at, std::string& out) {
  std::uint32_t code = 0;
  if (!hex4(bytes.substr(at + 2), code)) {
    return 0;
  }
  std::uint32_t low = 0;
  const bool pair = code >= 0xD800 && code < 0xDC00 && bytes.substr(at + 6).starts_with("\\u") &&
                    hex4(bytes.substr(at + 8), low) && low >= 0xDC00 && low < 0xE000;
  append_utf8(out, pair ? 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00) : code);
  return pair ? 12 : 6;
}

}  // namespace

bool parse_thousandths(std::string_view text, std::int64_t& value) {
  // The usual forms, 1623142623460111 and 1234.567, without the general way.
  std::int64_t whole = 0;
  std::size_t at = 0;
  while (at < text.size() && is_digit(text[at])) {
    whole = whole * 10 + (text[at] - '0');
    if (++at > 15) {
      break;
    }
  }
  while (at > 15 && at < 17 && at < text.size() && is_digit(text[at])) {
    whole = whole * 10 + (text[at++] - '0');
  }
  if (at > 0 && whole < kMostNs / 1000) {
    if (at == text.size()) {
      value = whole * 1000;
      return true;
    }
    if (text[at] == '.' && text.size() == at + 4 && is_digit(text[at + 1]) && is_digit(text[at + 2]) &&
        is_digit(text[at + 3])) {
      value = whole * 1000 + (text[at + 1] - '0') * 100 + (text[at + 2] - '0') * 10 + (text[at + 3] - '0');
      return true;
    }
  }
  Decimal decimal;
  if (!split(text, decimal)) {
    return false;
  }
  value = scaled(decimal, 3);
  return true;
}

bool parse_integer(std::string_view text, std::int64_t& value) {
  Decimal decimal;
  if (!split(text, decimal)) {
    return false;
  }
  if (decimal.exponent != 0) {
    value = scaled(decimal, 0);
    return true;
  }
  std::uint64_t wrapped = 0;
  for (const char c : decimal.whole) {
    wrapped = wrapped * 10 + static_cast<std::uint64_t>(c - '0');
  }
  value = static_cast<std::int64_t>(decimal.negative ? 0 - wrapped : wrapped);
  return true;
}

std::string unescape(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    if (bytes[at] != '\\' || at + 1 == bytes.size()) {
      out += bytes[at++];
      continue;
    }
    constexpr std::string_view kFrom = "\"\\/bfnrt";
    constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
    const std::size_t which = kFrom.find(bytes[at + 1]);
    if (which != std::string_view::npos) {
      out += kTo[which];
      at += 2;
      continue;
    }
    const std::size_t taken = bytes[at + 1] == 'u' ? unicode_escape(bytes, at, out) : 0;
    if (taken == 0) {
      out += bytes[at++];
    }
    at += taken;
  }
  return out;
}

}  // namespace jissoku::timeline::importers
