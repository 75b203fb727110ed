#include "jissoku/numerics/narrow.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "jissoku/numerics/random.hpp"

namespace jissoku::numerics {
namespace {

// Every binary16 and bfloat16 value survives the way to FP32 and back, bit for bit (NaN stays NaN).
TEST(Narrow, EveryValueComesBack) {
  for (std::uint32_t word = 0; word <= 0xFFFF; ++word) {
    const auto bits = static_cast<std::uint16_t>(word);
    if (std::isnan(from_f16(bits))) {
      EXPECT_TRUE(std::isnan(from_f16(to_f16(from_f16(bits)))));
    } else {
      ASSERT_EQ(to_f16(from_f16(bits)), bits);
    }
    if (std::isnan(from_bf16(bits))) {
      EXPECT_TRUE(std::isnan(from_bf16(to_bf16(from_bf16(bits)))));
    } else {
      ASSERT_EQ(to_bf16(from_bf16(bits)), bits);
    }
  }
}

TEST(Narrow, KnownValuesOfBinary16) {
  EXPECT_EQ(to_f16(1.0F), 0x3C00);
  EXPECT_EQ(to_f16(-2.0F), 0xC000);
  EXPECT_EQ(to_f16(65504.0F), 0x7BFF);
  EXPECT_EQ(to_f16(65519.996F), 0x7BFF);
  EXPECT_EQ(to_f16(65520.0F), 0x7C00);
  EXPECT_EQ(to_f16(0x1p-24F), 0x0001);
  EXPECT_EQ(to_f16(0x1p-25F), 0x0000) << "a tie goes to even";
  EXPECT_EQ(to_f16(std::nextafter(0x1p-25F, 1.0F)), 0x0001);
  EXPECT_EQ(to_f16(0x1.ff8p-15F), 0x03FF) << "largest subnormal";
  EXPECT_EQ(to_f16(-0.0F), 0x8000);
  EXPECT_EQ(to_f16(0.1F), 0x2E66);
}

TEST(Narrow, KnownValuesOfBfloat16AndTf32) {
  EXPECT_EQ(to_bf16(1.0F), 0x3F80);
  EXPECT_EQ(to_bf16(std::bit_cast<float>(0x3F808000U)), 0x3F80) << "a tie goes to even";
  EXPECT_EQ(to_bf16(std::bit_cast<float>(0x3F818000U)), 0x3F82);
  EXPECT_EQ(to_bf16(std::numeric_limits<float>::max()), 0x7F80) << "rounds to infinity";
  EXPECT_EQ(to_tf32(1.0F + 0x1p-11F), 1.0F) << "a tie goes to even";
  EXPECT_EQ(to_tf32(1.0F + 0x1.8p-10F), 1.0F + 0x1p-9F);
  EXPECT_EQ(to_tf32(1.0F + 0x1p-10F), 1.0F + 0x1p-10F);
}

// Neighbours in the format: whatever lies between rounds to the nearer one, as computed in double.
TEST(Narrow, RoundsToTheNearest) {
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random_bits(7, i)) & 0x7FFFFFFFU);
    if (!(value < 65504.0F)) {
      continue;
    }
    const std::uint16_t got = to_f16(value);
    const double error = std::abs(static_cast<double>(from_f16(got)) - static_cast<double>(value));
    for (const int step : {-1, 1}) {
      const int near = got + step;
      if (near >= 0 && near < 0x7C00) {
        const double other = static_cast<double>(from_f16(static_cast<std::uint16_t>(near)));
        EXPECT_LE(error, std::abs(other - static_cast<double>(value)));
      }
    }
  }
}

}  // namespace
}  // namespace jissoku::numerics
