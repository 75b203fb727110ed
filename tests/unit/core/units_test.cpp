#include "jissoku/core/units.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>

#include <gtest/gtest.h>

namespace jissoku::core {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Units, Time) {
  EXPECT_EQ(format_time_ns(970e6), "970 ms");
  EXPECT_EQ(format_time_ns(1.04e9), "1.04 s");
  EXPECT_EQ(format_time_ns(23100), "23.1 us");
  EXPECT_EQ(format_time_ns(340), "340 ns");
  EXPECT_EQ(format_time_ns(0), "0 ns");
  EXPECT_EQ(format_time_ns(0.25), "0.250 ns");
  EXPECT_EQ(format_time_ns(4.5e12), "4500 s");
  EXPECT_EQ(format_time_ns(-1.5e6), "-1.50 ms");
  EXPECT_EQ(format_time_ns(1.23456e6, 5), "1.2346 ms");
}

TEST(Units, RoundingUpGoesToTheNextUnit) {
  EXPECT_EQ(format_time_ns(999.96e6), "1.00 s");
  EXPECT_EQ(format_time_ns(999.4e6), "999 ms");
  EXPECT_EQ(format_time_ns(999.96e6, 4), "1.000 s");
  EXPECT_EQ(format_time_ns(999.94e6, 4), "999.9 ms");
  EXPECT_EQ(format_time_ns(999.5), "1.00 us");
  EXPECT_EQ(format_time_ns(9.996e6), "10.0 ms");
  EXPECT_EQ(format_time_ns(99.96e6), "100 ms");
  EXPECT_EQ(format_rate_flops(999.96e9), "1.000 TFLOPS");
  EXPECT_EQ(format_bytes(999.6), "1.00 kB");
}

TEST(Units, TheIntegerPartIsNeverRounded) {
  EXPECT_EQ(format_time_ns(996e6, 2), "996 ms");
  EXPECT_EQ(format_time_ns(123e6, 1), "123 ms");
}

TEST(Units, Rates) {
  EXPECT_EQ(format_rate_flops(141.7e9), "141.7 GFLOPS");
  EXPECT_EQ(format_rate_flops(1.82e12, 3), "1.82 TFLOPS");
  EXPECT_EQ(format_rate_flops(5), "5.000 FLOPS");
  EXPECT_EQ(format_bandwidth(17.9e9), "17.9 GB/s");
}

TEST(Units, Bytes) {
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(5), "5 B");
  EXPECT_EQ(format_bytes(67108864), "67.1 MB");
  EXPECT_EQ(format_bytes(1000), "1.00 kB");
}

TEST(Units, Percent) {
  EXPECT_EQ(format_percent(0.794), "79 %");
  EXPECT_EQ(format_percent(0.008), "0.8 %");
  EXPECT_EQ(format_percent(0.079), "7.9 %");
  EXPECT_EQ(format_percent(0.0994), "9.9 %");
  EXPECT_EQ(format_percent(0.0996), "10 %");
  EXPECT_EQ(format_percent(0.0096), "1.0 %");
  EXPECT_EQ(format_percent(0.00042), "0.04 %");
  EXPECT_EQ(format_percent(0), "0 %");
  EXPECT_EQ(format_percent(1.004), "100 %");
  EXPECT_EQ(format_percent(-0.05), "-5.0 %");
}

TEST(Units, Ratio) {
  EXPECT_EQ(format_ratio(1.519), "1.52x");
  EXPECT_EQ(format_ratio(1), "1.00x");
  EXPECT_EQ(format_ratio(0.934), "0.93x");
  EXPECT_EQ(format_ratio(0.996), "1.00x");
  EXPECT_EQ(format_ratio(0.0123), "0.012x");
  EXPECT_EQ(format_ratio(12.34), "12.3x");
  EXPECT_EQ(format_ratio(1234), "1234x");
}

TEST(Units, Integers) {
  EXPECT_EQ(format_integer(0), "0");
  EXPECT_EQ(format_integer(999), "999");
  EXPECT_EQ(format_integer(1000), "1,000");
  EXPECT_EQ(format_integer(16777216), "16,777,216");
  EXPECT_EQ(format_integer(-123456), "-123,456");
  EXPECT_EQ(format_integer(-123), "-123");
  EXPECT_EQ(format_integer(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(Units, NumbersReadBack) {
  EXPECT_EQ(format_number(0.1), "0.1");
  EXPECT_EQ(format_number(1024), "1024");
  EXPECT_EQ(format_number(-0.0), "0");
  for (const double value : {1.0 / 3, 1e300, 5e-324, 123456789.123, -2.5}) {
    EXPECT_EQ(std::strtod(format_number(value).c_str(), nullptr), value);
  }
}

TEST(Units, DigitsFollowTheInterval) {
  EXPECT_EQ(digits_for_relative_half_width(0.008), 3);
  EXPECT_EQ(digits_for_relative_half_width(0.012), 2);
  EXPECT_EQ(digits_for_relative_half_width(0.3), 2);
  EXPECT_EQ(digits_for_relative_half_width(0.0005), 4);
  EXPECT_EQ(digits_for_relative_half_width(0), 5);
  EXPECT_EQ(digits_for_relative_half_width(kInfinity), 2);
  EXPECT_EQ(digits_for_relative_half_width(std::nan("")), 2);
}

TEST(Units, NeverPrintInfinityNanOrMinusZero) {
  for (const double value : {kInfinity, -kInfinity, std::nan("")}) {
    for (const std::string& text : {format_time_ns(value),
                                    format_rate_flops(value),
                                    format_bytes(value),
                                    format_bandwidth(value),
                                    format_percent(value),
                                    format_ratio(value),
                                    format_number(value)}) {
      EXPECT_EQ(text, "?");
    }
  }
  EXPECT_EQ(format_time_ns(-0.0), "0 ns");
  EXPECT_EQ(format_bytes(-0.0), "0 B");
  EXPECT_EQ(format_percent(-0.0), "0 %");
  EXPECT_EQ(format_ratio(-0.0), "0x");
}

TEST(Units, ExtremesStayShort) {
  for (const double value :
       {std::numeric_limits<double>::max(), std::numeric_limits<double>::denorm_min(), 1e-14, 1e17}) {
    EXPECT_LE(format_time_ns(value).size(), 24U) << value;
    EXPECT_LE(format_rate_flops(value).size(), 27U) << value;
    EXPECT_LE(format_ratio(value).size(), 24U) << value;
  }
}

TEST(ParseSize, ReadsEveryForm) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  const std::pair<const char*, std::int64_t> cases[] = {{"1", 1},
                                                        {"4096", 4096},
                                                        {"007", 7},
                                                        {"4Ki", 4096},
                                                        {"4KiB", 4096},
                                                        {"256MiB", 268435456},
                                                        {"2Gi", 2147483648},
                                                        {"1e6", 1000000},
                                                        {"12E3", 12000},
                                                        {"5e0", 5},
                                                        {"1Ti", kMost}};
  for (const auto& [text, value] : cases) {
    const auto size = parse_size(text, "--n", kMost);
    ASSERT_TRUE(size.ok()) << text;
    EXPECT_EQ(*size, value) << text;
  }
}

TEST(ParseSize, ReadsUpToTheMaximumExactly) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(*parse_size("9223372036854775807", "--n", kLargest), kLargest);
  EXPECT_EQ(*parse_size("65536", "--n", 65536), 65536);
  EXPECT_FALSE(parse_size("65537", "--n", 65536).ok());
  // What 64 bits do not hold is too large for the largest maximum, too.
  EXPECT_FALSE(parse_size("9223372036854775808", "--n", kLargest).ok());
  EXPECT_FALSE(parse_size("99560391Ti", "--n", kLargest).ok());
  EXPECT_FALSE(parse_size("1e19", "--n", kLargest).ok());
}

TEST(ParseSize, RefusesWithTextOptionAndRange) {
  const std::pair<const char*, const char*> cases[] = {{"", "core.not_a_size"},
                                                       {"-1", "core.not_a_size"},
                                                       {"+1", "core.not_a_size"},
                                                       {"1.5", "core.not_a_size"},
                                                       {"4096x", "core.not_a_size"},
                                                       {" 1", "core.not_a_size"},
                                                       {"1 ", "core.not_a_size"},
                                                       {"1e", "core.not_a_size"},
                                                       {"1e-3", "core.not_a_size"},
                                                       {"1e3Ki", "core.not_a_size"},
                                                       {"4K", "core.not_a_size"},
                                                       {"4KB", "core.not_a_size"},
                                                       {"Ki", "core.not_a_size"},
                                                       {"4KiBB", "core.not_a_size"},
                                                       {"0x10", "core.not_a_size"},
                                                       {"nan", "core.not_a_size"},
                                                       {"1,000", "core.not_a_size"},
                                                       {"0", "core.size_out_of_range"},
                                                       {"0e99", "core.size_out_of_range"},
                                                       {"1e99", "core.size_out_of_range"},
                                                       {"1e99999999999999999999", "core.size_out_of_range"},
                                                       {"99999999999", "core.size_out_of_range"},
                                                       {"99999999999999999999999", "core.size_out_of_range"},
                                                       {"9000000000000Ei", "core.size_out_of_range"}};
  for (const auto& [text, id] : cases) {
    const auto size = parse_size(text, "--n", 65536);
    ASSERT_FALSE(size.ok()) << text;
    EXPECT_EQ(size.error().exit_code, ExitCode::usage) << text;
    EXPECT_EQ(size.error().message,
              message(id,
                      {{"option", std::string("--n")},
                       {"text", std::string(text)},
                       {"least", std::int64_t{1}},
                       {"most", std::int64_t{65536}}}))
        << text;
  }
}

TEST(ParseShape, ReadsThreeSizes) {
  const auto shape = parse_shape("64x4Kix1e3", "--shape", 65536);
  ASSERT_TRUE(shape.ok());
  EXPECT_EQ(shape->m, 64);
  EXPECT_EQ(shape->n, 4096);
  EXPECT_EQ(shape->k, 1000);
}

TEST(ParseShape, RefusesOtherForms) {
  for (const char* text :
       {"", "3x3", "3x3x3x3", "axbxc", "3xx3", "x3x3", "3x3x", "3*3*3", "3x-3x3", "3X3X3"}) {
    const auto shape = parse_shape(text, "--shape", 65536);
    ASSERT_FALSE(shape.ok()) << text;
    EXPECT_EQ(shape.error().exit_code, ExitCode::usage) << text;
    EXPECT_EQ(shape.error().message.id, "core.not_a_shape") << text;
    EXPECT_EQ(*shape.error().message.find("text"), Value(std::string(text)));
  }
}

TEST(ParseShape, NamesThePartThatIsOutOfRange) {
  const auto shape = parse_shape("3x0x99999999", "--shape", 65536);
  ASSERT_FALSE(shape.ok());
  EXPECT_EQ(shape.error().message.id, "core.size_out_of_range");
  EXPECT_EQ(*shape.error().message.find("text"), Value(std::string("0")));
}

}  // namespace
}  // namespace jissoku::core
