// Correct results never fail the check, wrong ones always do: over thousands of random shapes, layouts,
// scalars, fills and summation orders, through the methods for small and for large products.
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "jissoku/numerics/verification.hpp"
#include "jissoku/numerics/verification_checks.hpp"
#include "support/gemm_case.hpp"

namespace jissoku::numerics {
namespace {

using tests::Fill;
using tests::GemmCase;
using tests::random_case;
using tests::Shape;

/// Sizes that send every product through the randomised checks, without the help of a sample.
detail::Sizes randomised() {
  detail::Sizes sizes;
  sizes.full_products = 0;
  sizes.sampled_lines = 0;
  return sizes;
}

Shape random_shape(double largest, std::mt19937_64& random) {
  std::uniform_real_distribution<double> exponent(0, std::log(largest + 1));
  const auto side = [&] { return static_cast<std::int64_t>(std::exp(exponent(random))); };
  return {side(), side(), side()};
}

Fill random_fill(std::mt19937_64& random) {
  return static_cast<Fill>(std::uniform_int_distribution<int>(0, static_cast<int>(Fill::count) - 1)(random));
}

template <typename T>
std::string describe(const GemmCase<T>& it, const Verification& v) {
  return std::to_string(it.shape.m) + "x" + std::to_string(it.shape.n) + "x" + std::to_string(it.shape.k) +
         " ta " + std::to_string(it.transpose_a) + " tb " + std::to_string(it.transpose_b) + " alpha " +
         std::to_string(it.alpha) + " beta " + std::to_string(it.beta) + " fill " +
         std::to_string(static_cast<int>(it.fill)) + " order " + std::to_string(static_cast<int>(it.order)) +
         " " + v.method + " " + v.finding.id + " in bounds " + std::to_string(v.largest_error_in_bounds) +
         " limit " + std::to_string(v.detection_limit);
}

/// Sets one element, expects a failure, and puts the element back.
template <typename T>
void expect_seen(
    GemmCase<T>& it, std::int64_t i, std::int64_t j, T value, const detail::Sizes& sizes, const char* what) {
  const T original = it.at(i, j);
  it.at(i, j) = value;
  const Verification v = detail::verify_gemm(it.check(), sizes);
  EXPECT_FALSE(v.passed) << what << ": " << describe(it, v);
  EXPECT_FALSE(v.finding.empty());
  it.at(i, j) = original;
}

template <typename T>
void expect_single_errors_seen(GemmCase<T>& it,
                               const Verification& v,
                               const detail::Sizes& sizes,
                               std::mt19937_64& random) {
  const auto pick = [&](std::int64_t count) {
    return std::uniform_int_distribution<std::int64_t>(0, count - 1)(random);
  };
  const std::int64_t i = pick(it.shape.m);
  const std::int64_t j = pick(it.shape.n);
  const T sign = pick(2) == 0 ? T{1} : T{-1};
  const T off = it.at(i, j) + sign * static_cast<T>(2 * v.detection_limit);
  expect_seen(it, i, j, off, sizes, "planted");
  expect_seen(it, i, j, std::numeric_limits<T>::quiet_NaN(), sizes, "NaN");
  expect_seen(it, i, j, -std::numeric_limits<T>::infinity(), sizes, "infinite");
  const T poison = std::is_same_v<T, float> ? static_cast<T>(poison_f32()) : static_cast<T>(poison_f64());
  expect_seen(it, i, j, poison, sizes, "unwritten");
}

/// Replaces all of C by `wrong(i, j)`, and expects a failure if that makes a visible difference.
template <typename T, typename Wrong>
void expect_output_seen(const GemmCase<T>& right,
                        const Verification& v,
                        const detail::Sizes& sizes,
                        const char* what,
                        const Wrong& wrong) {
  GemmCase<T> it = right;
  double difference = 0;
  for (std::int64_t i = 0; i < it.shape.m; ++i) {
    for (std::int64_t j = 0; j < it.shape.n; ++j) {
      it.at(i, j) = wrong(i, j);
      const T original = right.c[static_cast<std::size_t>(i * it.ldc + j)];
      difference =
          std::max(difference, std::abs(static_cast<double>(it.at(i, j)) - static_cast<double>(original)));
    }
  }
  if (difference >= 2 * v.detection_limit) {
    const Verification found = detail::verify_gemm(it.check(), sizes);
    EXPECT_FALSE(found.passed) << what << ": " << describe(it, found);
  }
}

template <typename T>
void expect_wrong_outputs_seen(const GemmCase<T>& right, const Verification& v, const detail::Sizes& sizes) {
  const auto at = [&](std::int64_t i, std::int64_t j) {
    return right.c[static_cast<std::size_t>(i * right.ldc + j)];
  };
  expect_output_seen(right, v, sizes, "zeroed", [](std::int64_t, std::int64_t) { return T{0}; });
  expect_output_seen(right, v, sizes, "negated", [&](std::int64_t i, std::int64_t j) { return -at(i, j); });
  expect_output_seen(right, v, sizes, "shifted by a column", [&](std::int64_t i, std::int64_t j) {
    return at(i, (j + 1) % right.shape.n);
  });
  expect_output_seen(right, v, sizes, "shifted by a row", [&](std::int64_t i, std::int64_t j) {
    return at((i + 1) % right.shape.m, j);
  });
  if (right.shape.m == right.shape.n) {
    expect_output_seen(
        right, v, sizes, "transposed", [&](std::int64_t i, std::int64_t j) { return at(j, i); });
  }
}

template <typename T>
class VerificationProperty : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(VerificationProperty, Types);

TYPED_TEST(VerificationProperty, SmallProductsInFull) {
  std::mt19937_64 random(20261201);
  double largest = 0;
  for (int round = 0; round < 6000; ++round) {
    GemmCase<TypeParam> it =
        random_case<TypeParam>(random_shape(round % 20 == 0 ? 64 : 24, random), random_fill(random), random);
    const Verification v = detail::verify_gemm(it.check(), {});
    ASSERT_TRUE(v.passed) << describe(it, v);
    ASSERT_TRUE(v.self_test);
    ASSERT_EQ(v.method, it.fill == Fill::integers ? "exact" : "bounded");
    ASSERT_EQ(v.elements_compared, it.shape.m * it.shape.n);
    largest = std::max(largest, v.largest_error_in_bounds);
    expect_single_errors_seen(it, v, {}, random);
    expect_wrong_outputs_seen(it, v, {});
  }
  this->RecordProperty("largest_error_in_bounds", std::to_string(largest));
  EXPECT_LT(largest, 0.75) << "the bound has lost its margin";
}

TYPED_TEST(VerificationProperty, SmallProductsByChecksums) {
  std::mt19937_64 random(77);
  for (int round = 0; round < 4000; ++round) {
    Shape shape = random_shape(24, random);
    GemmCase<TypeParam> it = random_case<TypeParam>(shape, random_fill(random), random);
    detail::Sizes sizes = randomised();
    sizes.sampled_lines = 32;  // a row of few elements can hide a zeroed output by chance
    const Verification v = detail::verify_gemm(it.check(), sizes);
    ASSERT_TRUE(v.passed) << describe(it, v);
    ASSERT_EQ(v.method, it.fill == Fill::integers ? "exact_freivalds" : "bounded_freivalds");
    expect_wrong_outputs_seen(it, v, sizes);
    sizes.sampled_lines = 0;
    expect_single_errors_seen(it, v, sizes, random);
  }
}

TYPED_TEST(VerificationProperty, LargerProductsByChecksumsAlone) {
  std::mt19937_64 random(4242);
  std::uniform_int_distribution<std::int64_t> side(20, 160);
  for (int round = 0; round < 40; ++round) {
    Shape shape{side(random), side(random), side(random)};
    if (round % 8 == 0) {
      shape.k = 600;
    } else if (round % 8 == 4) {
      shape = {600 - shape.m, 600 - shape.n, 30};
    }
    GemmCase<TypeParam> it = random_case<TypeParam>(shape, random_fill(random), random);
    const Verification v = detail::verify_gemm(it.check(), randomised());
    ASSERT_TRUE(v.passed) << describe(it, v);
    ASSERT_EQ(v.elements_compared % std::min(shape.m, shape.n), 0);
    for (int error = 0; error < 4; ++error) {
      expect_single_errors_seen(it, v, randomised(), random);
    }
    expect_wrong_outputs_seen(it, v, randomised());
  }
}

}  // namespace
}  // namespace jissoku::numerics
