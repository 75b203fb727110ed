#include "jissoku/numerics/data_type.hpp"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "support/data_types.hpp"

namespace jissoku::numerics {
namespace {

TEST(DataType, NamesReadBack) {
  for (const DataType type : tests::kDataTypes) {
    const auto parsed = parse_data_type(to_string(type), "--dtype");
    ASSERT_TRUE(parsed.ok()) << to_string(type);
    EXPECT_EQ(*parsed, type);
  }
}

TEST(DataType, PeopleReadOtherNames) {
  EXPECT_EQ(display_name(DataType::f64), "FP64");
  EXPECT_EQ(display_name(DataType::f32), "FP32");
  EXPECT_EQ(display_name(DataType::bf16), "BF16");
  EXPECT_EQ(display_name(DataType::e4m3), "FP8 E4M3");
  EXPECT_EQ(display_name(DataType::i8), "INT8");
}

TEST(DataType, UnknownNamesAreRefusedWithTheList) {
  for (const char* text : {"", "F32", "fp32", "f32 ", "float"}) {
    const auto parsed = parse_data_type(text, "--dtype");
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().exit_code, core::ExitCode::usage);
    EXPECT_EQ(*parsed.error().message.find("text"), core::Value(std::string(text)));
    EXPECT_EQ(*parsed.error().message.find("option"), core::Value(std::string("--dtype")));
    EXPECT_EQ(
        *parsed.error().message.find("choices"),
        core::Value(std::string("f64, f32, tf32, f16, bf16, e4m3, e5m2, e3m2, e2m3, e2m1, i8, i32, e8m0")));
  }
}

TEST(DataType, WidthsAreThoseOfTheFormats) {
  EXPECT_EQ(storage_bits(DataType::f64), 64);
  EXPECT_EQ(storage_bits(DataType::tf32), 32);
  EXPECT_EQ(storage_bits(DataType::bf16), 16);
  EXPECT_EQ(storage_bits(DataType::e5m2), 8);
  EXPECT_EQ(storage_bits(DataType::e2m3), 6);
  EXPECT_EQ(storage_bits(DataType::e2m1), 4);
  EXPECT_EQ(storage_bits(DataType::i32), 32);
}

TEST(DataType, RoundoffIsHalfTheGapAboveOne) {
  EXPECT_EQ(unit_roundoff(DataType::f64), std::numeric_limits<double>::epsilon() / 2);
  EXPECT_EQ(unit_roundoff(DataType::f32), static_cast<double>(std::numeric_limits<float>::epsilon()) / 2);
  EXPECT_EQ(unit_roundoff(DataType::f16), 0x1p-11);
  EXPECT_EQ(unit_roundoff(DataType::tf32), 0x1p-11);
  EXPECT_EQ(unit_roundoff(DataType::bf16), 0x1p-8);
  EXPECT_EQ(unit_roundoff(DataType::e4m3), 0x1p-4);
  EXPECT_EQ(unit_roundoff(DataType::e5m2), 0x1p-3);
  EXPECT_EQ(unit_roundoff(DataType::e2m1), 0x1p-2);
  EXPECT_EQ(unit_roundoff(DataType::i8), 0);
  EXPECT_EQ(unit_roundoff(DataType::i32), 0);
}

/// The digit after "m" in a name is the number of stored significand bits.
TEST(DataType, NamesOfNarrowFormatsAgreeWithTheirFields) {
  for (const DataType type : tests::kDataTypes) {
    const std::string name(to_string(type));
    if (name[0] != 'e' || type == DataType::e8m0) {
      continue;
    }
    const int exponent_bits = name[1] - '0';
    const int stored = name[3] - '0';
    EXPECT_EQ(storage_bits(type), 1 + exponent_bits + stored) << name;
    EXPECT_EQ(unit_roundoff(type), 0.5 / (1 << stored)) << name;
  }
}

}  // namespace
}  // namespace jissoku::numerics
