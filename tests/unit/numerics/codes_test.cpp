#include "jissoku/numerics/codes.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "jissoku/numerics/code_kernels.hpp"
#include "jissoku/numerics/random.hpp"
#include "support/data_types.hpp"
#include "support/slow_codes.hpp"

namespace jissoku::numerics {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr Conversion kSat = {};
constexpr Conversion kNoSat = {Rounding::nearest_even, false, 0};
constexpr Rounding kDeterministic[] = {Rounding::nearest_even, Rounding::toward_zero, Rounding::half_away};
/// All but FP64, which codes.hpp does not hold.
const std::span<const DataType> kTypes = std::span(tests::kDataTypes).subspan(1);

struct Fp8Vector {
  float value;
  unsigned e4m3, e4m3_sat, e5m2, e5m2_sat;
};

// What CUDA 13.0's host conversions (cuda_fp8.h) give.
TEST(Codes, Fp8HasCudasValues) {
  for (const Fp8Vector& v : {Fp8Vector{0.0F, 0, 0, 0, 0},
                             {-0.0F, 0x80, 0x80, 0x80, 0x80},
                             {1.0F, 0x38, 0x38, 0x3C, 0x3C},
                             {240.0F, 0x77, 0x77, 0x5C, 0x5C},
                             {448.0F, 0x7E, 0x7E, 0x5F, 0x5F},
                             {480.0F, 0x7F, 0x7E, 0x60, 0x60},
                             {57344.0F, 0x7F, 0x7E, 0x7B, 0x7B},
                             {61439.0F, 0x7F, 0x7E, 0x7B, 0x7B},
                             {61440.0F, 0x7F, 0x7E, 0x7C, 0x7B},
                             {65536.0F, 0x7F, 0x7E, 0x7C, 0x7B},
                             {kInf, 0x7F, 0x7E, 0x7C, 0x7B},
                             {-kInf, 0xFF, 0xFE, 0xFC, 0xFB},
                             {kNan, 0x7F, 0x7F, 0x7F, 0x7F},
                             {-kNan, 0x7F, 0x7F, 0x7F, 0x7F}}) {
    EXPECT_EQ(encode(DataType::e4m3, v.value, kNoSat), v.e4m3) << v.value;
    EXPECT_EQ(encode(DataType::e4m3, v.value, kSat), v.e4m3_sat) << v.value;
    EXPECT_EQ(encode(DataType::e5m2, v.value, kNoSat), v.e5m2) << v.value;
    EXPECT_EQ(encode(DataType::e5m2, v.value, kSat), v.e5m2_sat) << v.value;
  }
}

struct Vector {
  DataType type;
  float value;
  unsigned code;
};

TEST(Codes, SmallFormatsHaveThePublishedValues) {
  const float above_tie = std::nextafter(0x1p-10F, 1.0F);
  for (const Vector& v : {Vector{DataType::e4m3, 464.0F, 0x7E},
                          {DataType::e4m3, 464.00003F, 0x7F},
                          {DataType::e4m3, 0x1p-6F, 0x08},
                          {DataType::e4m3, 0.013671875F, 0x07},
                          {DataType::e4m3, 0x1p-9F, 0x01},
                          {DataType::e4m3, 0x1p-10F, 0x00},
                          {DataType::e4m3, above_tie, 0x01},
                          {DataType::e4m3, 0.0029296875F, 0x02},
                          {DataType::e4m3, 17.0F, 0x58},
                          {DataType::e4m3, 19.0F, 0x5A},
                          {DataType::e4m3, 400.0F, 0x7C},
                          {DataType::e2m1, .25F, 0},
                          {DataType::e2m1, .26F, 1},
                          {DataType::e2m1, .5F, 1},
                          {DataType::e2m1, .75F, 2},
                          {DataType::e2m1, 1.25F, 2},
                          {DataType::e2m1, 1.75F, 4},
                          {DataType::e2m1, 2.5F, 4},
                          {DataType::e2m1, 3.5F, 6},
                          {DataType::e2m1, 5.0F, 6},
                          {DataType::e2m1, 5.01F, 7},
                          {DataType::e2m1, 100.0F, 7},
                          {DataType::e2m1, kInf, 7},
                          {DataType::e2m1, kNan, 7},
                          {DataType::e2m1, -kInf, 0xF},
                          {DataType::e2m1, -0.0F, 8},
                          {DataType::e2m1, -0.2F, 8},
                          {DataType::e2m3, .25F, 0x02},
                          {DataType::e2m3, 1.25F, 0x0A},
                          {DataType::e2m3, 1.75F, 0x0E},
                          {DataType::e2m3, 5.0F, 0x1A},
                          {DataType::e2m3, 6.0F, 0x1C},
                          {DataType::e2m3, 7.0F, 0x1E},
                          {DataType::e2m3, 100.0F, 0x1F},
                          {DataType::e2m3, kNan, 0x1F},
                          {DataType::e2m3, -kInf, 0x3F},
                          {DataType::e3m2, .25F, 0x04},
                          {DataType::e3m2, 1.25F, 0x0D},
                          {DataType::e3m2, 5.0F, 0x15},
                          {DataType::e3m2, 6.0F, 0x16},
                          {DataType::e3m2, 7.0F, 0x17},
                          {DataType::e3m2, 100.0F, 0x1F},
                          {DataType::e3m2, kInf, 0x1F},
                          {DataType::e3m2, kNan, 0x1F},
                          {DataType::e3m2, 29.0F, 0x1F},
                          {DataType::e3m2, 26.0F, 0x1E},
                          {DataType::e3m2, .1251F, 0x02},
                          {DataType::e3m2, .0314F, 0x01},
                          {DataType::e3m2, .03F, 0x00}}) {
    EXPECT_EQ(encode(v.type, v.value, kNoSat), v.code) << to_string(v.type) << " " << v.value;
  }
}

TEST(Codes, SixteenBitFormatsHaveThePublishedValues) {
  for (const Vector& v : {Vector{DataType::bf16, 1.00390625F, 0x3F80},
                          {DataType::bf16, 1.01171875F, 0x3F82},
                          {DataType::bf16, 3.14159265F, 0x4049},
                          {DataType::bf16, 3.39615e38F, 0x7F7F},
                          {DataType::bf16, 3.4e38F, 0x7F80},
                          {DataType::bf16, 1e-40F, 0x0001},
                          {DataType::bf16, kNan, 0x7FFF},
                          {DataType::f16, 3.14159265F, 0x4248},
                          {DataType::f16, 65504.0F, 0x7BFF},
                          {DataType::f16, 65519.0F, 0x7BFF},
                          {DataType::f16, 65520.0F, 0x7C00},
                          {DataType::f16, 0x1p-24F, 0x0001},
                          {DataType::f16, 0x1p-25F, 0x0000},
                          {DataType::f16, 1.0001F * 0x1p-25F, 0x0001},
                          {DataType::f16, kNan, 0x7FFF}}) {
    EXPECT_EQ(encode(v.type, v.value, kNoSat), v.code) << to_string(v.type) << " " << v.value;
  }
  EXPECT_EQ(encode(DataType::f16, 65520.0F, kSat), 0x7BFFU);
  EXPECT_EQ(encode(DataType::bf16, -kInf, kSat), 0xFF7FU);
}

TEST(Codes, RoundingsOfPublicSuites) {
  const Conversion cut = {Rounding::toward_zero, false, 0};
  const Conversion away = {Rounding::half_away, true, 0};
  const float small = decode(DataType::e5m2, 0x1F);
  EXPECT_EQ(encode(DataType::e4m3, small, kNoSat), 0x04U);
  EXPECT_EQ(encode(DataType::e4m3, small, cut), 0x03U);
  const float half = decode(DataType::f16, 0x3FFF);
  EXPECT_EQ(encode(DataType::e5m2, half, kNoSat), 0x40U);
  EXPECT_EQ(encode(DataType::e5m2, half, cut), 0x3FU);
  EXPECT_EQ(decode(DataType::e4m3, encode(DataType::e4m3, 400.0F, away)), 416.0F);
  EXPECT_EQ(decode(DataType::e4m3, encode(DataType::e4m3, -450.0F, away)), -448.0F);
  EXPECT_EQ(encode(DataType::e4m3, 1000.0F, cut), 0x7EU) << "never leaves the finite values";
  EXPECT_EQ(encode(DataType::e5m2, kInf, cut), 0x7CU);
  // FP32 -> FP16 -> FP8 is not FP32 -> FP8 (ml_dtypes' Float8Test.DoubleRound).
  EXPECT_EQ(encode(DataType::e4m3, 1.0F + 0x1p-4F + 0x1p-11F), 0x39U);
}

TEST(Codes, E8m0HasCudasValues) {
  const Conversion cut = {Rounding::toward_zero, false, 0};
  const Conversion cut_sat = {Rounding::toward_zero, true, 0};
  for (const auto& [value, code, saturated] : {std::tuple{0.0F, 0x00U, 0x00U},
                                               {0x1p-127F, 0x00U, 0x00U},
                                               {0x1.8p-127F, 0x00U, 0x00U},
                                               {0x1p-126F, 0x01U, 0x01U},
                                               {0.5F, 0x7EU, 0x7EU},
                                               {1.0F, 0x7FU, 0x7FU},
                                               {1.0001F, 0x7FU, 0x7FU},
                                               {3.0F, 0x80U, 0x80U},
                                               {0x1p127F, 0xFEU, 0xFEU},
                                               {0x1.8p127F, 0xFEU, 0xFEU},
                                               {kInf, 0xFFU, 0xFEU},
                                               {kNan, 0xFFU, 0xFFU},
                                               {-1.0F, 0x7FU, 0x7FU}}) {
    EXPECT_EQ(encode(DataType::e8m0, value, cut), code) << value;
    EXPECT_EQ(encode(DataType::e8m0, value, cut_sat), saturated) << value;
  }
  EXPECT_EQ(encode(DataType::e8m0, 3.0F), 0x80U) << "a tie goes to the even code";
  EXPECT_EQ(encode(DataType::e8m0, 1.5F), 0x80U) << "a tie goes to the even code";
  for (std::uint32_t code = 0; code < 0xFF; ++code) {
    EXPECT_EQ(decode(DataType::e8m0, code), std::ldexp(1.0F, static_cast<int>(code) - 127));
    EXPECT_EQ(encode(DataType::e8m0, decode(DataType::e8m0, code), cut), code);
  }
  EXPECT_TRUE(std::isnan(decode(DataType::e8m0, 0xFF)));
}

TEST(Codes, IntegersRoundAndSaturate) {
  for (const auto& [value, code] : {std::pair{0.5F, 0},
                                    {1.5F, 2},
                                    {-2.5F, -2},
                                    {127.49F, 127},
                                    {127.5F, 127},
                                    {1e9F, 127},
                                    {-127.5F, -128},
                                    {-1e9F, -128},
                                    {kNan, 0},
                                    {-kInf, -128}}) {
    EXPECT_EQ(static_cast<std::int8_t>(encode(DataType::i8, value)), code) << value;
  }
  for (int i = -128; i < 128; ++i) {
    EXPECT_EQ(decode(DataType::i8, encode(DataType::i8, static_cast<float>(i))), static_cast<float>(i));
  }
  EXPECT_EQ(encode(DataType::i32, 0x1p31F), 0x7FFFFFFFU);
  EXPECT_EQ(encode(DataType::i32, -0x1p31F), 0x80000000U);
  EXPECT_EQ(encode(DataType::i32, -3.0F), static_cast<std::uint32_t>(-3));
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

TEST(Codes, EveryCodeHasItsValueAndComesBack) {
  for (const test::SlowFormat& format : test::kSlowFormats) {
    if (format.type == DataType::tf32) {
      continue;
    }
    for (std::uint32_t code = 0; code < 1U << static_cast<unsigned>(storage_bits(format.type)); ++code) {
      const float value = decode(format.type, code);
      ASSERT_TRUE(same(static_cast<double>(value), test::slow_value(format, code)))
          << to_string(format.type) << " " << code;
      if (!std::isnan(value)) {
        ASSERT_EQ(encode(format.type, value, kNoSat), code) << to_string(format.type);
      }
    }
  }
}

void expect_slow(const test::SlowFormat& format, float value) {
  for (const Rounding rounding : kDeterministic) {
    for (const bool saturate : {false, true}) {
      const Conversion conversion = {rounding, saturate, 0};
      const auto got = static_cast<double>(decode(format.type, encode(format.type, value, conversion)));
      ASSERT_TRUE(same(got, test::slow_round(format, value, conversion)))
          << to_string(format.type) << " of " << value << " is " << got;
    }
  }
}

TEST(Codes, MidpointsAndTheirNeighboursRound) {
  for (const test::SlowFormat& format : test::kSlowFormats) {
    if (format.type == DataType::tf32) {
      continue;
    }
    const std::uint32_t sign = 1U << static_cast<unsigned>(storage_bits(format.type) - 1);
    for (std::uint32_t code = 0; code + 1 < sign; ++code) {
      const double low = test::slow_value(format, code);
      double high = test::slow_value(format, code + 1);
      if (!std::isfinite(low)) {
        break;
      }
      if (!std::isfinite(high)) {
        high = low + (low - test::slow_value(format, code - 1));  // where the next value would be
      }
      const auto middle = static_cast<float>((low + high) / 2);
      for (const float value : {middle, std::nextafter(middle, 0.0F), std::nextafter(middle, kInf)}) {
        expect_slow(format, value);
        expect_slow(format, -value);
      }
    }
  }
}

TEST(Codes, StochasticRoundingGoesUpAsOftenAsTheFractionSays) {
  const Conversion conversion = {Rounding::stochastic, true, 7};
  const std::vector<float> values(20000, 1.0F + 0.3F * 0.125F);
  std::vector<std::byte> codes(values.size());
  encode(DataType::e4m3, values.data(), static_cast<std::int64_t>(values.size()), codes.data(), conversion);
  int up = 0;
  for (const std::byte code : codes) {
    ASSERT_TRUE(code == std::byte{0x38} || code == std::byte{0x39});
    up += code == std::byte{0x39} ? 1 : 0;
  }
  EXPECT_NEAR(up / 20000.0, 0.3, 0.02);  // 6 standard deviations
  EXPECT_EQ(encode(DataType::e4m3, 1.0F, conversion, ~0U), 0x38U) << "exact values stay";
}

/// Every exponent and sign, edges and random fractions; NaNs too.
std::vector<float> many_values() {
  std::vector<float> values;
  for (std::uint32_t high = 0; high < 512; ++high) {
    for (std::uint32_t i = 0; i < 24; ++i) {
      const std::uint32_t edge = 1U << i;
      const auto noise = static_cast<std::uint32_t>(random_bits(high, i)) & 0x7FFFFFU;
      for (const std::uint32_t fraction :
           {edge & 0x7FFFFFU, edge - 1, noise, noise & ~(edge - 1), 0x7FFFFFU - edge / 2}) {
        values.push_back(std::bit_cast<float>(high << 23U | fraction));
      }
    }
  }
  return values;
}

std::uint32_t code_at(const std::vector<std::byte>& packed, int bits, std::size_t index) {
  std::uint32_t code = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(bits); ++i) {
    const std::size_t at = index * static_cast<std::size_t>(bits) + i;
    code |= (std::to_integer<std::uint32_t>(packed[at / 8]) >> at % 8 & 1U) << i;
  }
  return code;
}

TEST(CodeKernels, EncodeAsTheScalarCodeDoes) {
  const std::vector<float> values = many_values();
  const auto count = static_cast<std::int64_t>(values.size());
  for (const CodeKernels* kernels : code_kernels()) {
    for (const DataType type : kTypes) {
      for (const Rounding rounding :
           {Rounding::nearest_even, Rounding::toward_zero, Rounding::half_away, Rounding::stochastic}) {
        for (const bool saturate : {false, true}) {
          const Conversion conversion = {rounding, saturate, 3};
          std::vector<std::byte> packed(packed_bytes(type, count));
          encode_row(*kernels, type, values.data(), count, packed.data(), conversion);
          for (std::size_t i = 0; i < values.size(); ++i) {
            const auto random = static_cast<std::uint32_t>(random_bits(3, i) >> 32U);
            ASSERT_EQ(code_at(packed, storage_bits(type), i), encode(type, values[i], conversion, random))
                << kernels->name << " " << to_string(type) << " of " << values[i] << " rounding "
                << static_cast<int>(rounding);
          }
        }
      }
    }
  }
}

TEST(CodeKernels, DecodeAsTheScalarCodeDoes) {
  for (const CodeKernels* kernels : code_kernels()) {
    for (const DataType type : kTypes) {
      std::vector<std::byte> packed(packed_bytes(type, 65536));
      for (std::size_t i = 0; i < packed.size(); ++i) {
        const std::size_t of_two_bytes = i % 2 == 0 ? i / 2 : i / 512;
        packed[i] = static_cast<std::byte>(storage_bits(type) == 16 ? of_two_bytes : random_bits(9, i));
      }
      std::vector<float> out(65536);
      decode_row(*kernels, type, packed.data(), 0, 65536, out.data());
      for (std::size_t i = 0; i < out.size(); ++i) {
        const std::uint32_t code = code_at(packed, storage_bits(type), i);
        ASSERT_EQ(std::bit_cast<std::uint32_t>(out[i]), std::bit_cast<std::uint32_t>(decode(type, code)))
            << kernels->name << " " << to_string(type) << " code " << code;
      }
    }
  }
}

TEST(CodeKernels, PiecesOfRowsAreTheRow) {
  std::vector<float> values(1100);
  fill_values(Data::normal, 5, 0, 1, values);
  for (const CodeKernels* kernels : code_kernels()) {
    for (const DataType type : kTypes) {
      for (const std::int64_t count : {0, 1, 2, 3, 5, 63, 64, 65, 511, 512, 513, 1100}) {
        // Exactly sized memory, so that the sanitizer sees any byte beyond.
        const std::vector<float> in(values.begin(), values.begin() + count);
        std::vector<std::byte> packed(packed_bytes(type, count));
        encode_row(*kernels, type, in.data(), count, packed.data(), {});
        for (const std::int64_t first : {0, 1, 2, 3, 7, 64, 513}) {
          if (first > count) {
            continue;
          }
          std::vector<float> out(static_cast<std::size_t>(count - first));
          decode_row(*kernels, type, packed.data(), first, count - first, out.data());
          for (std::size_t i = 0; i < out.size(); ++i) {
            const float value = in[i + static_cast<std::size_t>(first)];
            ASSERT_EQ(out[i], decode(type, encode(type, value)))
                << kernels->name << " " << to_string(type) << " " << count << " from " << first << " at "
                << i;
          }
        }
      }
    }
  }
}

void expect_slow_range(std::uint64_t begin, std::uint64_t end) {
  std::vector<float> values(1U << 16U);
  std::vector<float> back(values.size());
  std::vector<std::byte> packed(values.size() * 4);
  const auto count = static_cast<std::int64_t>(values.size());
  for (std::uint64_t base = begin; base < end; base += values.size()) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = std::bit_cast<float>(static_cast<std::uint32_t>(base + i));
    }
    for (const test::SlowFormat& format : test::kSlowFormats) {
      encode(format.type, values.data(), count, packed.data(), kNoSat);
      decode(format.type, packed.data(), 0, count, back.data());
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_TRUE(same(static_cast<double>(back[i]), test::slow_round(format, values[i], kNoSat)))
            << to_string(format.type) << " of " << values[i];
      }
    }
  }
}

TEST(Codes, SlowAllFp32ValuesRoundAsFp64ArithmeticDoes) {
  const std::uint64_t half = std::uint64_t{1} << 31U;
  std::thread positive(expect_slow_range, 0, half);
  expect_slow_range(half, 2 * half);
  positive.join();
}

}  // namespace
}  // namespace jissoku::numerics
