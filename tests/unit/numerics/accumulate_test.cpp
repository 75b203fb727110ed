#include "jissoku/numerics/accumulate.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "jissoku/numerics/codes.hpp"
#include "jissoku/numerics/random.hpp"

namespace jissoku::numerics {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

AccumulatorModel model(std::string_view name) {
  return find_accumulator(name).value_or(AccumulatorModel{});
}

std::vector<float> rounded(DataType type, Data data, std::uint64_t seed, std::size_t count) {
  std::vector<float> values(count);
  fill_values(data, seed, 0, 1, std::span<float>(values));
  for (float& value : values) {
    value = decode(type, encode(type, value));
  }
  return values;
}

/// 1 + 2^-n, the smallest that a model sees beside 1, and half of it, which it cuts off.
TEST(Accumulate, KeepsTheBitsThatTheModelHas) {
  for (const AccumulatorModel& m : accumulator_models()) {
    const float last = std::ldexp(1.0F, -m.fraction), half = last / 2;
    const std::vector<float> ones = {1, 1, 1};
    EXPECT_EQ(fused_step(std::vector<float>{1, last, -1}, ones, 0, m), last) << m.name;
    EXPECT_EQ(fused_step(std::vector<float>{1, half, -1}, ones, 0, m), 0) << m.name;
    // Two halves would make one bit, but each is cut off by itself.
    EXPECT_EQ(fused_step(std::vector<float>{1, half, half}, ones, 0, m), 1) << m.name;
  }
}

/// By hand: 1.5 * 1.5 = 2.25 has the exponent 0 of its operands, not its own: n bits below 2^0 remain.
TEST(Accumulate, TakesTheExponentOfTheOperands) {
  const float last = std::ldexp(1.0F, -23);
  EXPECT_EQ(
      fused_step(std::vector<float>{1.5F, last, -1.5F}, std::vector<float>{1.5F, 1, 1.5F}, 0, model("volta")),
      last);
}

TEST(Accumulate, CutsOffTowardZero) {
  const float last = std::ldexp(1.0F, -24);  // half a unit of 1 + ...
  EXPECT_EQ(fused_step(std::vector<float>{last}, std::vector<float>{1}, 1.0F, model("hopper")), 1.0F);
  EXPECT_EQ(fused_step(std::vector<float>{-last}, std::vector<float>{1}, -1.0F, model("hopper")), -1.0F);
  EXPECT_EQ(fused_step(std::vector<float>{-last}, std::vector<float>{1}, 1.0F, model("hopper")), 1.0F - last);
}

TEST(Accumulate, Fp8SumsKeepThirteenBits) {
  const float last = std::ldexp(1.0F, -13);
  EXPECT_EQ(fused_step(std::vector<float>{last}, std::vector<float>{1}, 1.0F, model("hopper_fp8")), 1 + last);
  EXPECT_EQ(fused_step(std::vector<float>{last}, std::vector<float>{1}, 2.0F, model("hopper_fp8")), 2.0F);
  // 1 + 1 + 2^-13 has 14 fraction bits: the last one goes in the result.
  EXPECT_EQ(fused_step(std::vector<float>{1, last}, std::vector<float>{1, 1}, 1.0F, model("hopper_fp8")),
            2.0F);
}

TEST(Accumulate, SpecialValues) {
  const std::vector<float> one = {1};
  const AccumulatorModel m = model("ampere");
  const auto nan = [](float value) { return std::bit_cast<std::uint32_t>(value) == 0x7FFFFFFFU; };
  EXPECT_TRUE(nan(fused_step(std::vector<float>{std::nanf("")}, one, 0, m)));
  EXPECT_TRUE(nan(fused_step(std::vector<float>{kInfinity}, std::vector<float>{0}, 0, m)));
  EXPECT_TRUE(nan(fused_step(std::vector<float>{kInfinity}, one, -kInfinity, m)));
  EXPECT_EQ(fused_step(std::vector<float>{-kInfinity}, one, 5, m), -kInfinity);
  EXPECT_EQ(fused_step(std::vector<float>{65504, 65504}, std::vector<float>{0x1p127F, 0x1p127F}, 0, m),
            kInfinity);
  EXPECT_EQ(fused_step(std::vector<float>{0}, one, 0, m), 0);
  EXPECT_EQ(fused_step(std::vector<float>{0x1p-14F}, std::vector<float>{0x1p-130F}, 0x1p-149F, m),
            0x1p-144F + 0x1p-149F);
}

/// 2^12 + 2^-12 - 2^12 and the like: what FP64 loses comes back; ties are decided by the last small part.
TEST(Accumulate, ExactDotRoundsOnce) {
  const std::vector<float> ones(4, 1.0F);
  EXPECT_EQ(exact_dot(std::vector<float>{0x1p60F, 0x1p-20F, -0x1p60F, 0}, ones), 0x1p-20F);
  EXPECT_EQ(exact_dot(std::vector<float>{1, 0x1p-24F, 0, 0}, ones), 1.0F);  // a tie: to even
  EXPECT_EQ(exact_dot(std::vector<float>{1, 0x1p-24F, 0x1p-90F, 0}, ones), 1 + 0x1p-23F);
  EXPECT_EQ(exact_dot(std::vector<float>{1, 0x1p-24F, -0x1p-90F, 0}, ones), 1.0F);
  EXPECT_EQ(exact_dot({}, {}), 0.0F);
}

/// Norm-wise error of accumulation over 64 dot products.
double error(DataType type, Data data, std::size_t k, std::string_view name, int promote) {
  double wrong = 0, whole = 0;
  for (std::uint64_t i = 0; i < 64; ++i) {
    const std::vector<float> a = rounded(type, data, 2 * i + 1, k), b = rounded(type, data, 2 * i + 2, k);
    double exact = 0;
    for (std::size_t p = 0; p < k; ++p) {
      exact += static_cast<double>(a[p]) * static_cast<double>(b[p]);
    }
    const double found = static_cast<double>(dot(a, b, model(name), promote));
    wrong += (found - exact) * (found - exact);
    whole += exact * exact;
  }
  return std::sqrt(wrong / whole);
}

/// E4M3, K = 4096: 1.2e-3 plain, 1.4e-4 promoted every 128, 5e-8 on Blackwell on normal data; 6.6e-2, 5.0e-4
/// and 4.9e-7 on uniform data. BF16 on Ampere, uniform: 2.7e-5. Within half and twice: 64 samples scatter.
TEST(Accumulate, ErrorsAreThoseOfTheModels) {
  struct Expected {
    DataType type;
    Data data;
    const char* name;
    int promote;
    double error;
  };
  const Expected all[] = {{DataType::e4m3, Data::normal, "hopper_fp8", 0, 1.2e-3},
                          {DataType::e4m3, Data::normal, "hopper_fp8", 128, 1.4e-4},
                          {DataType::e4m3, Data::normal, "blackwell", 0, 5e-8},
                          {DataType::e4m3, Data::uniform, "hopper_fp8", 0, 6.6e-2},
                          {DataType::e4m3, Data::uniform, "hopper_fp8", 128, 5.0e-4},
                          {DataType::bf16, Data::uniform, "ampere", 0, 2.7e-5}};
  for (const Expected& expected : all) {
    const double found = error(expected.type, expected.data, 4096, expected.name, expected.promote);
    EXPECT_GT(found, expected.error / 2) << expected.name << " " << expected.promote;
    EXPECT_LT(found, expected.error * 2) << expected.name << " " << expected.promote;
  }
}

}  // namespace
}  // namespace jissoku::numerics
