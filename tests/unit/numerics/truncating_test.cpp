// Tensor cores cut off where other hardware rounds: the bound for them must let such sums pass, and still
// see a wrong element.
#include <cmath>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "jissoku/numerics/random.hpp"
#include "jissoku/numerics/verification.hpp"

namespace jissoku::numerics {
namespace {

/// A sum that is cut off after every addition, as tensor cores do, instead of rounded.
float cut_off_sum(const float* left, const float* right, std::size_t count, std::size_t stride) {
  float sum = 0;
  for (std::size_t l = 0; l < count; ++l) {
    const double exact =
        static_cast<double>(sum) + static_cast<double>(left[l]) * static_cast<double>(right[l * stride]);
    float rounded = static_cast<float>(exact);
    sum = static_cast<double>(rounded) > exact ? std::nextafter(rounded, 0.0F) : rounded;
  }
  return sum;
}

TEST(Verification, AllowsForHardwareThatCutsOff) {
  constexpr std::int64_t m = 8, n = 8, k = 8192;
  std::vector<float> a(m * k), b(k * n), c(m * n);
  fill_values(Data::uniform, 1, 0, 1, std::span<float>(a));
  fill_values(Data::uniform, 2, 0, 1, std::span<float>(b));
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      c[i * n + j] = cut_off_sum(a.data() + i * k, b.data() + j, k, n);
    }
  }
  GemmCheck check;
  check.a = {a.data(), DataType::f32, m, k, k};
  check.b = {b.data(), DataType::f32, k, n, n};
  check.c = {c.data(), DataType::f32, m, n, n};
  EXPECT_FALSE(verify_gemm(check).passed) << "such errors are too large for sums that are rounded";
  check.truncating = true;
  const Verification verdict = verify_gemm(check);
  EXPECT_TRUE(verdict.passed);
  EXPECT_TRUE(verdict.self_test);
  c[5] += static_cast<float>(2.5 * verdict.detection_limit);
  EXPECT_FALSE(verify_gemm(check).passed);
}

}  // namespace
}  // namespace jissoku::numerics
