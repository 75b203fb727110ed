// verify_gemm on operands in every format, with and without block scales.
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "jissoku/numerics/codes.hpp"
#include "jissoku/numerics/random.hpp"
#include "jissoku/numerics/verification.hpp"

namespace jissoku::numerics {
namespace {

constexpr DataType kFormats[] = {DataType::tf32,
                                 DataType::f16,
                                 DataType::bf16,
                                 DataType::e4m3,
                                 DataType::e5m2,
                                 DataType::e3m2,
                                 DataType::e2m3,
                                 DataType::e2m1,
                                 DataType::i8};

/// c = a b^T; both operands rows x depth codes, each row on a byte.
struct Case {
  static constexpr std::int64_t kRows = 40, kDepth = 96;
  DataType type;
  std::int64_t block = 0;
  std::vector<std::byte> a, b, a_scales, b_scales;
  std::vector<float> c;

  Case(DataType type_, bool integers, std::int64_t block_) : type(type_), block(block_) {
    fill(1, integers, a, a_scales);
    fill(2, integers, b, b_scales);
    c.resize(kRows * kRows);
    for (std::int64_t i = 0; i < kRows; ++i) {
      for (std::int64_t j = 0; j < kRows; ++j) {
        float sum = 0;
        for (std::int64_t p = 0; p < kDepth; ++p) {
          sum += value(a, a_scales, i, p) * value(b, b_scales, j, p);
        }
        c[static_cast<std::size_t>(i * kRows + j)] = sum;
      }
    }
  }

  void fill(std::uint64_t seed,
            bool integers,
            std::vector<std::byte>& codes,
            std::vector<std::byte>& scales) {
    std::vector<float> values(kRows * kDepth);
    fill_values(integers ? Data::ints : Data::normal, seed, 0, 3, std::span<float>(values));
    codes.resize(packed_bytes(type, kRows * kDepth));
    encode(type, values.data(), kRows * kDepth, codes.data());
    for (std::int64_t i = 0; block != 0 && i < kRows * kDepth / block; ++i) {
      scales.push_back(static_cast<std::byte>(127 + i % 3));
    }
  }

  float value(const std::vector<std::byte>& codes,
              const std::vector<std::byte>& scales,
              std::int64_t row,
              std::int64_t column) const {
    float decoded = 0;
    decode(type, codes.data(), row * kDepth + column, 1, &decoded);
    if (block == 0) {
      return decoded;
    }
    const auto scale = static_cast<std::size_t>(row * (kDepth / block) + column / block);
    return decoded * decode(DataType::e8m0, std::to_integer<std::uint32_t>(scales[scale]));
  }

  GemmCheck check(bool integers) const {
    GemmCheck out;
    out.a = {
        a.data(), type, kRows, kDepth, kDepth, block == 0 ? nullptr : a_scales.data(), DataType::e8m0, block};
    out.b = {
        b.data(), type, kRows, kDepth, kDepth, block == 0 ? nullptr : b_scales.data(), DataType::e8m0, block};
    out.transpose_b = true;
    out.c = {c.data(), DataType::f32, kRows, kRows, kRows};
    out.integer_operands = integers;
    return out;
  }
};

TEST(VerificationFormats, PassesARightProductAndFindsOneWrongElement) {
  for (const DataType type : kFormats) {
    for (const std::int64_t block : {0, 32}) {
      for (const bool integers : {true, false}) {
        Case it(type, integers, block);
        const Verification right = verify_gemm(it.check(integers));
        EXPECT_TRUE(right.passed) << to_string(type) << " " << block << " " << right.finding.id;
        EXPECT_TRUE(right.self_test);
        EXPECT_EQ(right.method, integers ? "exact" : "bounded");
        it.c[77] += static_cast<float>(2 * right.detection_limit);
        EXPECT_FALSE(verify_gemm(it.check(integers)).passed) << to_string(type) << " " << block;
      }
    }
  }
}

TEST(VerificationFormats, FindsTheScaleOfOneBlockWrong) {
  Case it(DataType::e4m3, false, 32);
  it.a_scales[5] = std::byte{130};
  EXPECT_FALSE(verify_gemm(it.check(false)).passed);
}

/// 127^2 k + 1 needs more digits than FP32 has.
TEST(VerificationFormats, ComparesIntegersOf32BitsExactly) {
  constexpr std::int64_t kDeep = 2000;
  const std::vector<std::int8_t> a(kDeep, 127);
  std::vector<std::int8_t> b(kDeep, 127);
  b.back() = 126;
  std::vector<std::int32_t> c = {127 * 127 * (kDeep - 1) + 127 * 126};
  GemmCheck check;
  check.a = {a.data(), DataType::i8, 1, kDeep, kDeep};
  check.b = {b.data(), DataType::i8, kDeep, 1, 1};
  check.c = {c.data(), DataType::i32, 1, 1, 1};
  check.accumulator = DataType::i32;
  check.integer_operands = true;
  EXPECT_TRUE(verify_gemm(check).passed) << verify_gemm(check).finding.id;
  c[0] += 1;
  EXPECT_FALSE(verify_gemm(check).passed);
}

TEST(VerificationFormats, RefusesScalesAsOperandsAndScalesThatAreMissing) {
  const Case it(DataType::e4m3, true, 32);
  GemmCheck check = it.check(true);
  check.a.scales = nullptr;
  EXPECT_EQ(verify_gemm(check).finding.id, "verify.malformed");
  check = it.check(true);
  check.b.type = DataType::e8m0;
  EXPECT_EQ(verify_gemm(check).finding.id, "verify.malformed");
}

}  // namespace
}  // namespace jissoku::numerics
