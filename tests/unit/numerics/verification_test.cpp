#include "jissoku/numerics/verification.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "jissoku/numerics/verification_checks.hpp"
#include "jissoku/numerics/verification_passes.hpp"
#include "support/gemm_case.hpp"

namespace jissoku::numerics {
namespace {

using tests::Fill;
using tests::GemmCase;
using tests::random_case;

/// 2x2 by hand: [1 2; 3 4] [5 6; 7 8] = [19 22; 43 50].
struct ByHand {
  std::vector<float> a = {1, 2, 3, 4};
  std::vector<float> b = {5, 6, 7, 8};
  std::vector<float> c = {19, 22, 43, 50};
  std::vector<float> before = {1, 1, 1, 1};

  GemmCheck check(bool integers) const {
    GemmCheck out;
    out.a = {a.data(), DataType::f32, 2, 2, 2};
    out.b = {b.data(), DataType::f32, 2, 2, 2};
    out.c = {c.data(), DataType::f32, 2, 2, 2};
    out.integer_operands = integers;
    return out;
  }
};

std::int64_t integer_argument(const core::Message& message, const std::string& name) {
  const core::Value* value = message.find(name);
  const auto* integer = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  return integer == nullptr ? -1 : *integer;
}

std::string text_argument(const core::Message& message, const std::string& name) {
  const core::Value* value = message.find(name);
  const auto* text = value == nullptr ? nullptr : std::get_if<std::string>(value);
  return text == nullptr ? "" : *text;
}

detail::Sizes randomised() {
  detail::Sizes sizes;
  sizes.full_products = 0;
  sizes.sampled_lines = 0;
  return sizes;
}

template <typename T>
GemmCase<T> case_of(tests::Shape shape, Fill fill, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  return random_case<T>(shape, fill, random);
}

TEST(Verification, ProductByHandIsExact) {
  const ByHand it;
  const Verification v = verify_gemm(it.check(true));
  EXPECT_TRUE(v.done);
  EXPECT_TRUE(v.passed);
  EXPECT_TRUE(v.self_test);
  EXPECT_TRUE(v.finding.empty());
  EXPECT_EQ(v.method, "exact");
  EXPECT_EQ(v.detection_limit, 1);
  EXPECT_EQ(v.elements, 4);
  EXPECT_EQ(v.elements_compared, 4);
  EXPECT_EQ(v.largest_error, 0);
  EXPECT_DOUBLE_EQ(v.typical_value, std::sqrt((19.0 * 19 + 22 * 22 + 43 * 43 + 50 * 50) / 4));
  EXPECT_GT(v.cost_ns, 0);
}

TEST(Verification, WrongElementIsNamed) {
  ByHand it;
  it.c[2] = 44;
  const Verification v = verify_gemm(it.check(true));
  EXPECT_FALSE(v.passed);
  EXPECT_EQ(v.finding.id, "verify.wrong_element");
  EXPECT_EQ(integer_argument(v.finding, "row"), 1);
  EXPECT_EQ(integer_argument(v.finding, "column"), 0);
  EXPECT_EQ(text_argument(v.finding, "found"), "44");
  EXPECT_EQ(text_argument(v.finding, "expected"), "43");
  EXPECT_EQ(v.largest_error, 1);
}

TEST(Verification, ScalarsAreApplied) {
  ByHand it;
  it.c = {2 * 19 - 3, 2 * 22 - 3, 2 * 43 - 3, 2 * 50 - 3};
  GemmCheck check = it.check(true);
  check.alpha = 2;
  check.beta = -3;
  check.c_before = it.before.data();
  EXPECT_TRUE(verify_gemm(check).passed);
  EXPECT_TRUE(detail::verify_gemm(check, randomised()).passed);
  check.beta = 3;
  EXPECT_FALSE(verify_gemm(check).passed);
  EXPECT_FALSE(detail::verify_gemm(check, randomised()).passed);
}

TEST(Verification, ScalarsOfFp32KernelsAreFp32) {
  ByHand it;
  it.a = {1, 0, 0, 1};
  it.b = {1000003, 0, 0, 1};
  const float tenth = 0.1F;
  it.c = {tenth * 1000003, 0, 0, tenth};
  GemmCheck check = it.check(false);
  check.alpha = 0.1;
  const Verification v = verify_gemm(check);
  EXPECT_TRUE(v.passed);
  EXPECT_LT(v.largest_error_in_bounds, 0.25);
}

TEST(Verification, AlphaOfZeroLeavesScaledC) {
  ByHand it;
  it.c = {2, 2, 2, 2};
  GemmCheck check = it.check(true);
  check.alpha = 0;
  check.beta = 2;
  check.c_before = it.before.data();
  EXPECT_TRUE(verify_gemm(check).passed);
  EXPECT_TRUE(detail::verify_gemm(check, randomised()).passed);
}

TEST(Verification, BetaOfZeroDoesNotReadC0) {
  ByHand it;
  it.before.assign(4, std::numeric_limits<float>::quiet_NaN());
  GemmCheck check = it.check(false);
  check.c_before = it.before.data();
  EXPECT_TRUE(verify_gemm(check).passed);
  EXPECT_TRUE(detail::verify_gemm(check, randomised()).passed);
  check.c_before = nullptr;
  EXPECT_TRUE(verify_gemm(check).passed);
}

TEST(Verification, ProductsOverNothingAreScaledC) {  // k = 0
  ByHand it;
  it.c = {1, 1, 1, 1};
  GemmCheck check = it.check(true);
  check.a = {nullptr, DataType::f32, 2, 0, 0};
  check.b = {nullptr, DataType::f32, 0, 2, 2};
  check.beta = 1;
  check.c_before = it.before.data();
  EXPECT_TRUE(verify_gemm(check).passed);
  EXPECT_TRUE(detail::verify_gemm(check, randomised()).passed);
  it.c[3] = 2;
  EXPECT_FALSE(verify_gemm(check).passed);
  EXPECT_FALSE(detail::verify_gemm(check, randomised()).passed);
}

TEST(Verification, FractionAmongIntegersIsAFailure) {
  ByHand it;
  it.c[1] = 22.5F;
  EXPECT_FALSE(verify_gemm(it.check(true)).passed);
  const Verification v = detail::verify_gemm(it.check(true), randomised());
  EXPECT_EQ(v.finding.id, "verify.not_integer");
  EXPECT_EQ(integer_argument(v.finding, "column"), 1);
}

TEST(Verification, HugeValueInPlaceOfZeroIsAFailure) {  // beyond what the checksums can hold
  ByHand it;
  it.a = {0, 0, 0, 1};
  it.c = {1e30F, 0, 7, 8};
  EXPECT_FALSE(verify_gemm(it.check(true)).passed);
  EXPECT_EQ(detail::verify_gemm(it.check(true), randomised()).finding.id, "verify.not_integer");
}

TEST(Verification, UnwrittenElementsAreCounted) {
  for (const bool integers : {true, false}) {
    for (const detail::Sizes& sizes : {detail::Sizes{}, randomised()}) {
      ByHand it;
      it.c[1] = poison_f32();
      it.c[2] = poison_f32();
      it.c[3] = std::numeric_limits<float>::quiet_NaN();
      const Verification v = detail::verify_gemm(it.check(integers), sizes);
      EXPECT_FALSE(v.passed);
      EXPECT_EQ(v.finding.id, "verify.unwritten");
      EXPECT_EQ(integer_argument(v.finding, "count"), 2);
      EXPECT_EQ(integer_argument(v.finding, "row"), 0);
      EXPECT_EQ(integer_argument(v.finding, "column"), 1);
    }
  }
}

TEST(Verification, NanAndInfinityAreCounted) {
  for (const detail::Sizes& sizes : {detail::Sizes{}, randomised()}) {
    ByHand it;
    it.c[2] = -std::numeric_limits<float>::infinity();
    it.c[3] = std::numeric_limits<float>::quiet_NaN();
    const Verification v = detail::verify_gemm(it.check(false), sizes);
    EXPECT_FALSE(v.passed);
    EXPECT_EQ(v.finding.id, "verify.not_finite");
    EXPECT_EQ(integer_argument(v.finding, "count"), 2);
    EXPECT_EQ(integer_argument(v.finding, "row"), 1);
    EXPECT_EQ(text_argument(v.finding, "value"), "-inf");
  }
}

TEST(Verification, MatricesThatDoNotFitAreMalformed) {
  const ByHand it;
  GemmCheck wrong_shape = it.check(true);
  wrong_shape.b.rows = 1;
  GemmCheck no_data = it.check(true);
  no_data.c.data = nullptr;
  GemmCheck short_rows = it.check(true);
  short_rows.a.leading_dimension = 1;
  GemmCheck wrong_type = it.check(true);
  wrong_type.c.type = DataType::e8m0;
  GemmCheck no_before = it.check(true);
  no_before.beta = 1;
  GemmCheck empty = it.check(true);
  empty.a.rows = empty.c.rows = 0;
  for (const GemmCheck& check : {wrong_shape, no_data, short_rows, wrong_type, no_before, empty}) {
    const Verification v = verify_gemm(check);
    EXPECT_FALSE(v.done);
    EXPECT_FALSE(v.passed);
    EXPECT_EQ(v.finding.id, "verify.malformed");
  }
}

TEST(Verification, ZerosPassByThePlantedErrorAlone) {
  const std::vector<float> zeros(40 * 40);
  for (const bool integers : {true, false}) {
    for (const detail::Sizes& sizes : {detail::Sizes{}, randomised()}) {
      std::vector<float> c(zeros);
      const MatrixView view = {zeros.data(), DataType::f32, 40, 40, 40};
      GemmCheck check;
      check.a = check.b = check.c = view;
      check.c.data = c.data();
      check.integer_operands = integers;
      EXPECT_TRUE(detail::verify_gemm(check, sizes).passed);
      c[1234] = 1e-30F;
      EXPECT_FALSE(detail::verify_gemm(check, sizes).passed);
    }
  }
}

TEST(Verification, IntegersThatAreNoneAreCheckedWithBounds) {
  ByHand it;
  it.a[0] = 1.5F;
  it.c = {21.5F, 25, 43, 50};
  const Verification v = verify_gemm(it.check(true));
  EXPECT_TRUE(v.passed);
  EXPECT_EQ(v.method, "bounded");
}

TEST(Verification, IntegersWithInexactSumsAreCheckedWithBounds) {
  ByHand it;
  it.a = {4097, 0, 0, 1};
  it.b = {4097, 0, 0, 1};
  it.c = {4097.0F * 4097.0F, 0, 0, 1};  // 16785409 rounds to 16785408
  const Verification v = verify_gemm(it.check(true));
  EXPECT_TRUE(v.passed);
  EXPECT_EQ(v.method, "bounded");
  EXPECT_EQ(v.largest_error, 1);
}

TEST(Verification, ValuesWhoseSquaresOverflowAreNotProved) {
  const std::vector<double> a(9, 1e200);
  const std::vector<double> b(9, 1e-200);
  const std::vector<double> c(9, 3.0);
  GemmCheck check;
  check.a = {a.data(), DataType::f64, 3, 3, 3};
  check.b = {b.data(), DataType::f64, 3, 3, 3};
  check.c = {c.data(), DataType::f64, 3, 3, 3};
  check.accumulator = DataType::f64;
  EXPECT_TRUE(verify_gemm(check).passed);
  const Verification v = detail::verify_gemm(check, randomised());
  EXPECT_FALSE(v.passed);
  EXPECT_EQ(v.finding.id, "verify.unproven");
}

/// The exact check must see one unit at any place of a product too large to compare in full.
TEST(Verification, ExactChecksumsSeeOneUnitAnywhere) {
  GemmCase<float> it = case_of<float>({67, 129, 50}, Fill::integers, 3);
  ASSERT_TRUE(detail::verify_gemm(it.check(), randomised()).passed);
  for (std::int64_t place = 0; place < 67 * 129; place += 61) {
    const std::int64_t i = place / 129;
    const std::int64_t j = place % 129;
    it.at(i, j) += place % 2 == 0 ? 1.0F : -1.0F;
    const Verification v = detail::verify_gemm(it.check(static_cast<std::uint64_t>(place)), randomised());
    ASSERT_FALSE(v.passed);
    ASSERT_EQ(v.finding.id, "verify.wrong_element");
    ASSERT_EQ(integer_argument(v.finding, "row"), i);
    ASSERT_EQ(integer_argument(v.finding, "column"), j);
    it.at(i, j) -= place % 2 == 0 ? 1.0F : -1.0F;
  }
}

TEST(Verification, ExactChecksumsSeeErrorsThatCancelInARow) {
  GemmCase<float> it = case_of<float>({40, 50, 30}, Fill::integers, 4);
  it.at(7, 10) += 5;
  it.at(7, 20) -= 5;
  const Verification v = detail::verify_gemm(it.check(), randomised());
  EXPECT_FALSE(v.passed);
  EXPECT_EQ(integer_argument(v.finding, "row"), 7);
}

/// Rows and columns are the caller's, also when the check works on the transposed product.
TEST(Verification, BoundedChecksumsNameTheElement) {
  for (const tests::Shape& shape : {tests::Shape{90, 60, 40}, tests::Shape{60, 90, 40}}) {
    GemmCase<float> it = case_of<float>(shape, Fill::normal, 5);
    const Verification right = detail::verify_gemm(it.check(), randomised());
    ASSERT_TRUE(right.passed);
    it.at(17, 42) += static_cast<float>(2 * right.detection_limit);
    const Verification v = detail::verify_gemm(it.check(), randomised());
    EXPECT_EQ(v.finding.id, "verify.wrong_element");
    EXPECT_EQ(integer_argument(v.finding, "row"), 17);
    EXPECT_EQ(integer_argument(v.finding, "column"), 42);
  }
}

/// Where no row can be recomputed, each must hold its tolerance, and the limit says so.
TEST(Verification, ToleranceDecidesWhereNothingIsRecomputed) {
  GemmCase<float> it = case_of<float>({90, 60, 40}, Fill::normal, 5);
  detail::Sizes sizes = randomised();
  const double usual = detail::verify_gemm(it.check(), sizes).detection_limit;
  sizes.recomputed_lines = 0;
  const Verification right = detail::verify_gemm(it.check(), sizes);
  ASSERT_TRUE(right.passed);
  EXPECT_GT(right.detection_limit, usual);
  it.at(17, 42) += static_cast<float>(2 * right.detection_limit);
  const Verification v = detail::verify_gemm(it.check(), sizes);
  EXPECT_EQ(v.finding.id, "verify.wrong_row");
  EXPECT_EQ(integer_argument(v.finding, "row"), 17);
  EXPECT_EQ(v.elements_compared, 0);
}

TEST(Verification, LimitIsSmallBesideTheValues) {
  GemmCase<float> it = case_of<float>({300, 280, 52}, Fill::normal, 6);
  const Verification v = verify_gemm(it.check());
  ASSERT_TRUE(v.passed);
  EXPECT_EQ(v.method, "bounded_freivalds");
  EXPECT_LT(v.detection_limit, 3e-4 * v.typical_value);
  GemmCase<double> wide = case_of<double>({300, 280, 52}, Fill::normal, 6);
  const Verification w = verify_gemm(wide.check());
  ASSERT_TRUE(w.passed);
  EXPECT_LT(w.detection_limit, 1e-12 * w.typical_value);
}

/// A result of half the significand in every element: nothing stands out, the tolerance must see it.
TEST(Verification, LowPrecisionThroughoutIsSeen) {
  GemmCase<float> it = case_of<float>({300, 280, 64}, Fill::normal, 7);
  for (float& value : it.c) {  // truncated to BF16
    value = std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xFFFF0000U);
  }
  detail::Sizes sizes;
  sizes.full_products = 0;
  EXPECT_FALSE(detail::verify_gemm(it.check(), sizes).passed);
}

TEST(Verification, ThreadsDoNotChangeTheVerdict) {
  for (const Fill fill : {Fill::normal, Fill::integers}) {
    GemmCase<float> it = case_of<float>({300, 300, 220}, fill, 8);
    GemmCheck check = it.check();
    const Verification one = detail::verify_gemm(check, randomised());
    check.threads = 7;
    const Verification seven = detail::verify_gemm(check, randomised());
    EXPECT_TRUE(one.passed);
    EXPECT_TRUE(seven.passed);
    EXPECT_EQ(one.detection_limit, seven.detection_limit);
    EXPECT_EQ(one.largest_error_in_bounds, seven.largest_error_in_bounds);
  }
}

TEST(Verification, RowsThatAreUnlikeTheOthersAreRecomputed) {
  // One row of positive values beside random signs: rounding errors differ by much more than the norms.
  GemmCase<float> it = case_of<float>({64, 64, 2048}, Fill::uniform, 9);
  it.transpose_a = it.transpose_b = false;
  it.alpha = 1;
  it.beta = 0;
  it.order = tests::Order::forward;
  std::mt19937_64 random(9);
  it.lda = 2048;
  it.a = tests::gemm::matrix<float>(Fill::normal, 64, 2048, 2048, random);
  for (std::size_t l = 0; l < 2048; ++l) {
    it.a[5 * 2048 + l] = 0.5F + 0.5F * std::abs(it.a[5 * 2048 + l]);
  }
  it.ldb = 64;
  it.b = tests::gemm::matrix<float>(Fill::uniform, 2048, 64, 64, random);
  tests::compute(it, false);
  const Verification v = detail::verify_gemm(it.check(), randomised());
  EXPECT_TRUE(v.passed);
  EXPECT_EQ(v.elements_compared, 64) << "row 5 alone should have been recomputed";
}

TEST(VerificationSums, PassesMatchTheDefinitionInBothLayouts) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> data = {1, -2, 3, nan, 4, 5, -6, nan};  // 2 x 3, leading dimension 4
  const detail::Matrix matrix{{data.data(), DataType::f32, 2, 3, 4}, false};
  const std::vector<double> x = {1, 10, 100};
  const detail::LineSums rows = detail::line_sums(matrix, x, 1);
  EXPECT_EQ(rows.sum, (std::vector<double>{281, -546}));
  EXPECT_EQ(rows.squares, (std::vector<double>{14, 77}));
  EXPECT_EQ(rows.max_abs(), 6);
  const std::vector<double> y = {1, 10};
  const detail::LineSums columns = detail::line_sums(matrix.transpose(), y, 1);
  EXPECT_EQ(columns.sum, (std::vector<double>{41, 48, -57}));
  EXPECT_EQ(columns.squares, (std::vector<double>{17, 29, 45}));
  const std::vector<std::uint64_t> weights = {1, 10, static_cast<std::uint64_t>(-100)};
  const detail::IntegerLineSums integers = detail::integer_line_sums(matrix, weights, 1);
  EXPECT_TRUE(integers.integers);
  EXPECT_EQ(integers.sum, (std::vector<std::uint64_t>{static_cast<std::uint64_t>(-319), 654}));
}

TEST(VerificationSums, SharesCoverTheRangeOnce) {
  for (const int threads : {1, 2, 3, 16}) {
    std::vector<int> seen(1000);
    detail::parallel_ranges(1000, 64, threads, [&](std::int64_t begin, std::int64_t end) {
      EXPECT_EQ(begin % 64, 0);
      for (std::int64_t i = begin; i < end; ++i) {
        ++seen[static_cast<std::size_t>(i)];
      }
    });
    EXPECT_EQ(seen, std::vector<int>(1000, 1));
  }
}

TEST(VerificationBound, GrowsAsSpecified) {
  EXPECT_DOUBLE_EQ(detail::rounding_growth(1), 3);
  EXPECT_DOUBLE_EQ(detail::rounding_growth(9), 11);    // the two forms meet at lambda^2
  EXPECT_DOUBLE_EQ(detail::rounding_growth(100), 32);  // 3 sqrt(100) + 2
}

/// u = 2^-24, k = 99: 32 u x 5 + u x 2, by hand, and an allowance for underflow that does not show.
TEST(VerificationBound, OfAnElementByHand) {
  ByHand it;
  detail::Product product;
  const std::vector<float> a(99);
  product.a = {{a.data(), DataType::f32, 1, 99, 99}, false};
  product.unit = product.output_unit = 0x1p-24;
  product.smallest = 0x1p-149;
  EXPECT_DOUBLE_EQ(detail::element_bound(product, -2, 5), 162 * 0x1p-24);
}

TEST(VerificationSample, HasTheCornersAndNoDoubles) {
  const auto lines = detail::sample_lines(1000, 10, 32, 1);
  EXPECT_EQ(lines.front(), 0);
  EXPECT_EQ(lines.back(), 999);
  EXPECT_GT(lines.size(), 25U);
  EXPECT_TRUE(std::is_sorted(lines.begin(), lines.end(), std::less_equal<>()));
  EXPECT_EQ(detail::sample_lines(3, 10, 32, 1), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(detail::sample_lines(1000, 1 << 30, 32, 1).size(), 2U);
}

TEST(ExactIntegerMagnitude, KeepsEverySumExact) {
  EXPECT_EQ(exact_integer_magnitude(DataType::f32, 1), 4096);   // 4096^2 = 2^24
  EXPECT_EQ(exact_integer_magnitude(DataType::f32, 4096), 64);  // 4096 x 64^2 = 2^24
  EXPECT_EQ(exact_integer_magnitude(DataType::f32, 4097), 63);
  EXPECT_EQ(exact_integer_magnitude(DataType::f32, 1 << 24), 1);
  EXPECT_EQ(exact_integer_magnitude(DataType::f32, (1 << 24) + 1), 0);
  EXPECT_EQ(exact_integer_magnitude(DataType::f64, 1),
            94906265);  // its square is below 2^53, the next is not
  EXPECT_EQ(exact_integer_magnitude(DataType::f16, 512), 2);
  EXPECT_EQ(exact_integer_magnitude(DataType::bf16, 256), 1);
  EXPECT_EQ(exact_integer_magnitude(DataType::i32, 131072), 127);  // 131072 x 128^2 = 2^31 does not fit
  EXPECT_EQ(exact_integer_magnitude(DataType::e2m3, 1), 2);
  EXPECT_EQ(exact_integer_magnitude(DataType::e8m0, 1), 0);
}

TEST(Poison, IsAQuietNanWithItsOwnBits) {
  const float single = poison_f32();
  const double wide = poison_f64();
  EXPECT_TRUE(std::isnan(single));
  EXPECT_TRUE(std::isnan(wide));
  EXPECT_NE(std::bit_cast<std::uint32_t>(single) & 0x00400000U, 0U);
  EXPECT_NE(std::bit_cast<std::uint64_t>(wide) & 0x0008000000000000U, 0U);
  const float plain = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(std::memcmp(&single, &plain, sizeof plain), 0);
}

}  // namespace
}  // namespace jissoku::numerics
