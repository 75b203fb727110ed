// What must hold for any number: what is printed reads back, and rounding never leaves its form.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "jissoku/core/units.hpp"

namespace jissoku::core {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr int kTries = 20000;

/// Positive integers of all lengths.
class Integers {
 public:
  std::int64_t operator()() {
    const auto bits = static_cast<std::int64_t>(engine_() >> 1U);
    return std::max<std::int64_t>(1, bits >> (engine_() % 63));
  }

 private:
  std::mt19937_64 engine_{20260101};
};

TEST(ParseSizeProperty, ReadsBackEveryWayOfWriting) {
  Integers integers;
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t value = integers();
    EXPECT_EQ(*parse_size(std::to_string(value), "--n", kLargest), value);
    EXPECT_EQ(*parse_size(format_number(static_cast<double>(value % 1000000 + 1)), "--n", kLargest),
              value % 1000000 + 1);
    std::int64_t factor = 1;
    for (const char* suffix : {"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}) {
      factor *= 1024;
      const auto size = parse_size(std::to_string(value) + suffix, "--n", kLargest);
      ASSERT_EQ(size.ok(), value <= kLargest / factor) << value << suffix;
      EXPECT_TRUE(!size.ok() || *size == value * factor) << value << suffix;
    }
  }
}

TEST(ParseSizeProperty, TheMaximumIsExact) {
  Integers integers;
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t value = integers();
    EXPECT_TRUE(parse_size(std::to_string(value), "--n", value).ok());
    EXPECT_FALSE(parse_size(std::to_string(value), "--n", value - 1).ok());
  }
}

TEST(ParseSizeProperty, NoTextBreaksIt) {
  std::mt19937 engine(7);
  const std::string letters = "0123456789eEKMGTiBx.-+ ,\xC2\xB1";
  for (int i = 0; i < kTries; ++i) {
    std::string text;
    for (auto length = engine() % 24; length > 0; --length) {
      text += letters[engine() % letters.size()];
    }
    const auto size = parse_size(text, "--n", 65536);
    EXPECT_TRUE(!size.ok() || (*size >= 1 && *size <= 65536)) << text;
    const auto shape = parse_shape(text, "--shape", 65536);
    EXPECT_TRUE(shape.ok() || shape.error().exit_code == ExitCode::usage) << text;
  }
}

TEST(FormatProperty, IntegersReadBackWithoutTheirCommas) {
  Integers integers;
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t value = i % 2 == 0 ? integers() : -integers();
    std::string text = format_integer(value);
    std::erase(text, ',');
    EXPECT_EQ(text, std::to_string(value));
  }
}

/// "123.4 us" -> ns, by the words people know.
double time_ns_of(const std::string& text) {
  const std::string unit = text.substr(text.find(' ') + 1);
  const double factor = unit == "ns" ? 1 : unit == "us" ? 1e3 : unit == "ms" ? 1e6 : 1e9;
  return std::strtod(text.c_str(), nullptr) * factor;
}

TEST(FormatProperty, TimesKeepTheirDigitsAndStayBelowAThousand) {
  std::mt19937_64 engine(11);
  std::uniform_real_distribution<double> exponent(-1, 11.9);
  for (int i = 0; i < kTries; ++i) {
    const double value = std::pow(10.0, exponent(engine));
    for (const int digits : {2, 3, 4, 6}) {
      const std::string text = format_time_ns(value, digits);
      EXPECT_NEAR(time_ns_of(text) / value, 1, 0.501 * std::pow(10.0, 1 - digits)) << text;
      EXPECT_LT(std::strtod(text.c_str(), nullptr), 1000) << text;
    }
  }
}

TEST(FormatProperty, ALargerValueNeverPrintsAsASmallerOne) {
  double last = 0;
  for (double value = 0.5; value < 5e11; value *= 1.0009) {
    const double shown = time_ns_of(format_time_ns(value));
    EXPECT_GE(shown, last) << value;
    last = shown;
  }
}

TEST(FormatProperty, NumbersReadBackToTheLastBit) {
  std::mt19937_64 engine(13);
  for (int i = 0; i < kTries; ++i) {
    const double value = std::ldexp(static_cast<double>(engine()), static_cast<int>(engine() % 1800) - 950);
    EXPECT_EQ(std::strtod(format_number(value).c_str(), nullptr), value);
  }
}

}  // namespace
}  // namespace jissoku::core
