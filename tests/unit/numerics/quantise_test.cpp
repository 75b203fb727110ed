#include "jissoku/numerics/quantise.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "jissoku/numerics/random.hpp"

namespace jissoku::numerics {
namespace {

struct Made {
  Quantised matrix;
  QuantiseCounts counts;
};

Made made(const std::vector<float>& values, std::int64_t rows, const QuantiseOptions& options) {
  const auto columns = static_cast<std::int64_t>(values.size()) / rows;
  const MatrixView view = {values.data(), rows, columns, columns};
  Made out = {prepare_quantised(view, options, finite_amax(view, 0, rows)), {}};
  out.counts = quantise_rows(view, options, 0, rows, out.matrix);
  return out;
}

// pytorch/ao torchao/testing/_mxfp8_test_utils.py.
TEST(Quantise, Mxfp8BlocksHaveThePublishedCodes) {
  const float most = std::numeric_limits<float>::max();
  struct Case {
    float value;
    ScaleRule rule;
    int scale, code;
  };
  for (const Case& c : {Case{448, ScaleRule::floor, 127, 0x7E},
                        {448, ScaleRule::rceil, 127, 0x7E},
                        {480, ScaleRule::floor, 127, 0x7E},
                        {480, ScaleRule::rceil, 128, 0x77},
                        {most, ScaleRule::floor, 246, 0x7E},
                        {most, ScaleRule::rceil, 247, 0x78},
                        {0x1p-126F, ScaleRule::floor, 0, 0x40},
                        {0x1p-126F, ScaleRule::rceil, 0, 0x40},
                        {std::bit_cast<float>(0x40600001U), ScaleRule::rceil, 121, 0x76},
                        {3.5F, ScaleRule::rceil, 120, 0x7E},
                        {std::bit_cast<float>(0x43FFFFFFU), ScaleRule::floor, 127, 0x7E},
                        {std::bit_cast<float>(0x43FFFFFFU), ScaleRule::rceil, 128, 0x78},
                        {0, ScaleRule::floor, 0, 0}}) {
    const Made got = made(std::vector<float>(32, c.value), 1, {Recipe::mxfp8_e4m3, c.rule});
    EXPECT_EQ(std::to_integer<int>(got.matrix.scale_codes.at(0)), c.scale) << c.value;
    EXPECT_EQ(std::to_integer<int>(got.matrix.codes.at(5)), c.code) << c.value;
  }
  EXPECT_EQ(made(std::vector<float>(32, 480), 1, {Recipe::mxfp8_e4m3, ScaleRule::floor}).counts.saturated,
            32);
}

// pytorch/ao test/prototype/mx_formats/test_mx_tensor.py, test_to_mx_rceil: the first half of its block.
TEST(Quantise, RceilBlocksHaveThePublishedCodes) {
  std::vector<float> values;
  for (const std::uint32_t bits : {1037408064U,
                                   1058534842U,
                                   1053630662U,
                                   1063310394U,
                                   994704128U,
                                   1057245441U,
                                   1060663708U,
                                   1058053571U,
                                   1052395648U,
                                   1064831570U,
                                   1038427336U,
                                   1064777688U,
                                   1059248393U,
                                   1060959028U,
                                   1062878286U,
                                   1057799482U}) {
    values.push_back(std::bit_cast<float>(bits));
  }
  const Made got = made(values, 1, {Recipe::mxfp8_e4m3, ScaleRule::rceil});
  EXPECT_EQ(std::to_integer<int>(got.matrix.scale_codes.at(0)), 119);
  const int want[] = {93, 113, 109, 118, 53, 112, 116, 113, 108, 120, 94, 119, 114, 116, 118, 113};
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(std::to_integer<int>(got.matrix.codes[i]), want[i]) << i;
  }
}

TEST(Quantise, NonFiniteElementsAreCountedAndTakeTheirMxBlock) {
  std::vector<float> values(64, 1.0F);
  values[3] = std::numeric_limits<float>::quiet_NaN();
  const Made got = made(values, 1, {Recipe::mxfp4, ScaleRule::floor});
  EXPECT_EQ(got.counts.non_finite, 1);
  EXPECT_EQ(got.counts.flushed, 0);
  EXPECT_EQ(got.matrix.scale_codes.at(0), std::byte{0xFF});
  std::vector<float> back(64);
  dequantise_row(got.matrix, 0, back.data());
  EXPECT_TRUE(std::isnan(back[0]));
  EXPECT_EQ(back[32], 1.0F);
}

double error_of(const QuantiseOptions& options) {
  constexpr std::int64_t kRows = 8;
  std::vector<float> values(kRows * 333);
  fill_values(Data::normal, 11, 0, 1, values);
  const Made got = made(values, kRows, options);
  std::vector<float> back(333);
  double wrong = 0;
  double all = 0;
  for (std::size_t row = 0; row < kRows; ++row) {
    dequantise_row(got.matrix, static_cast<std::int64_t>(row), back.data());
    for (std::size_t i = 0; i < back.size(); ++i) {
      const auto value = static_cast<double>(values[row * 333 + i]);
      wrong += std::pow(static_cast<double>(back[i]) - value, 2);
      all += value * value;
    }
  }
  return std::sqrt(wrong / all);
}

TEST(Quantise, RoundTripsLoseWhatTheFormatsBitsSay) {
  // Between a quarter and all of a unit roundoff, or of half a step where the steps are equal.
  for (const auto& [recipe, low, high] : {std::tuple{Recipe::mxfp8_e4m3, 0.015, 0.0625},
                                          {Recipe::mxfp8_e5m2, 0.03, 0.125},
                                          {Recipe::mxfp6_e2m3, 0.015, 0.0625},
                                          {Recipe::mxfp6_e3m2, 0.03, 0.125},
                                          {Recipe::mxfp4, 0.06, 0.25},
                                          {Recipe::nvfp4, 0.06, 0.25},
                                          {Recipe::mxint8, 0.002, 0.02},
                                          {Recipe::int8_tensor, 0.004, 0.02},
                                          {Recipe::int8_row, 0.004, 0.02},
                                          {Recipe::e4m3_tensor, 0.015, 0.0625},
                                          {Recipe::e5m2_tensor, 0.03, 0.125}}) {
    for (const ScaleRule rule : {ScaleRule::floor, ScaleRule::rceil}) {
      const double error = error_of({recipe, rule});
      EXPECT_GT(error, low) << static_cast<int>(recipe);
      EXPECT_LT(error, high) << static_cast<int>(recipe);
    }
  }
}

TEST(Quantise, Nvfp4FollowsTheRecipe) {
  std::vector<float> values(48);
  fill_values(Data::normal, 3, 0, 1, values);
  const Made got = made(values, 1, {Recipe::nvfp4});
  float amax = 0;
  for (const float value : values) {
    amax = std::max(amax, std::abs(value));
  }
  const float encode_scale = 448.0F * 6.0F / amax;
  for (std::size_t block = 0; block < 3; ++block) {
    float largest = 0;
    for (std::size_t i = 0; i < 16; ++i) {
      largest = std::max(largest, std::abs(values[block * 16 + i]));
    }
    const std::uint32_t scale = encode(DataType::e4m3, largest * (encode_scale * (1.0F / 6.0F)));
    EXPECT_EQ(std::to_integer<std::uint32_t>(got.matrix.scale_codes.at(block)), scale);
    const float m = 1.0F / (decode(DataType::e4m3, scale) * (1.0F / encode_scale));
    for (std::size_t i = block * 16; i < block * 16 + 16; ++i) {
      const auto byte = std::to_integer<std::uint32_t>(got.matrix.codes.at(i / 2));
      EXPECT_EQ(byte >> 4 * (i % 2) & 0xFU, encode(DataType::e2m1, values[i] * m)) << i;
    }
  }
}

}  // namespace
}  // namespace jissoku::numerics
