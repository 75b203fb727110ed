// Products against an oracle of this test (integers, exact) and against the bounds of the
// verification (random operands).
#include <cmath>

#include "gemm_case.hpp"

namespace jissoku::tests {
namespace {

/// alpha * sum + beta * c by integer sums; halves of small integers are exact in double.
template <typename T>
double expected(Product<T>& product, std::int64_t row, std::int64_t column, std::int64_t which) {
  std::int64_t sum = 0;
  for (std::int64_t p = 0; p < product.what.k; ++p) {
    sum += static_cast<std::int64_t>(product.op_a(row, p, which)) *
           static_cast<std::int64_t>(product.op_b(p, column, which));
  }
  const double before = product.what.beta == 0 ? 0 : static_cast<double>(product.c.at(row, column, which));
  return product.what.alpha * static_cast<double>(sum) + product.what.beta * before;
}

/// The first wrong element, or "".
template <typename T>
std::string first_difference(Product<T>& product, Placed<T>& result) {
  std::string difference;
  result.fill([&](auto row, auto column, auto which) {
    const T got = result.at(row, column, which);
    const double wanted = expected(product, row, column, which);
    if (difference.empty() && !(static_cast<double>(got) == wanted)) {
      difference = "element " + std::to_string(row) + ", " + std::to_string(column) + " of " +
                   std::to_string(which) + " is " + std::to_string(got) + ", not " + std::to_string(wanted);
    }
    return got;
  });
  return difference;
}

class Gemm : public GemmTest {
 protected:
  template <typename T>
  void expect_exact(const Case& one) {
    Product<T> product(one);
    if (supported(product)) {
      product.fill_integers(7);
      Placed<T> result = run(product);
      EXPECT_EQ(first_difference(product, result), "") << one;
    }
  }
};

TEST_P(Gemm, IsExactOnIntegersInAnyShapeTransposeAndLayout) {
  for (const auto& shape : kShapes) {
    Case one;
    one.m = shape[0];
    one.n = shape[1];
    one.k = shape[2];
    for_each_form(one, [&](const Case& form) {
      for_each_type([&](auto zero) { expect_exact<decltype(zero)>(form); });
    });
  }
}

TEST_P(Gemm, IsExactOnIntegersForAnyAlphaAndBeta) {
  for (const auto& shape : {kShapes[0], kShapes[4], kShapes[8]}) {
    for (const auto& scalars : kScalars) {
      Case one;
      one.m = shape[0];
      one.n = shape[1];
      one.k = shape[2];
      one.alpha = scalars[0];
      one.beta = scalars[1];
      for_each_form(one, [&](const Case& form) {
        for_each_type([&](auto zero) { expect_exact<decltype(zero)>(form); });
      });
    }
  }
}

TEST_P(Gemm, DoesBatches) {
  Case one;
  one.m = 9;
  one.n = 14;
  one.k = 5;
  one.batch = 3;
  const Product<float> product(one);
  const device::Support support = device().supports(product.operation(GetParam().variant));
  if (!support.ok) {
    ASSERT_FALSE(support.reason.empty());
    GTEST_SKIP() << describe(support.reason);
  }
  for_each_form(
      one, [&](const Case& form) { for_each_type([&](auto zero) { expect_exact<decltype(zero)>(form); }); });
}

TEST_P(Gemm, StaysWithinTheBoundsOnRandomOperands) {
  const auto check = [&](auto zero, const Case& one) {
    using T = decltype(zero);
    Product<T> product(one);
    if (!supported(product)) {
      return;
    }
    product.fill_normal(11);
    Placed<T> result = run(product);
    const auto view = [](Placed<T>& matrix) {
      return numerics::MatrixView{
          &matrix.at(0, 0), kTypeOf<T>, matrix.rows, matrix.columns, matrix.leading_dimension};
    };
    numerics::GemmCheck verify;
    verify.a = view(product.a);
    verify.b = view(product.b);
    verify.c = view(result);
    verify.c_before = &product.c.at(0, 0);
    verify.transpose_a = one.transpose_a;
    verify.transpose_b = one.transpose_b;
    verify.alpha = one.alpha;
    verify.beta = one.beta;
    verify.accumulator = kTypeOf<T>;
    const numerics::Verification verdict = numerics::verify_gemm(verify);
    EXPECT_TRUE(verdict.passed) << one << ": " << describe(verdict.finding);
    EXPECT_TRUE(verdict.self_test) << one;
  };
  for (const auto& shape : {kShapes[2], kShapes[3], kShapes[4], kShapes[6], kShapes[10], kShapes[11]}) {
    for (const double beta : {0.0, 0.5}) {
      Case one;
      one.m = shape[0];
      one.n = shape[1];
      one.k = shape[2];
      one.alpha = -1;
      one.beta = beta;
      for_each_form(one, [&](const Case& form) { for_each_type([&](auto zero) { check(zero, form); }); });
    }
  }
}

TEST_P(Gemm, SpreadsANanOfAOverItsRowOnly) {
  for_each_type([&](auto zero) {
    using T = decltype(zero);
    Case one;
    one.m = 6;
    one.n = 9;
    one.k = 4;
    Product<T> product(one);
    if (!supported(product)) {
      return;
    }
    product.fill_integers(3);
    product.a.at(2, 1) = std::numeric_limits<T>::quiet_NaN();
    Placed<T> result = run(product);
    for (std::int64_t row = 0; row < one.m; ++row) {
      for (std::int64_t column = 0; column < one.n; ++column) {
        EXPECT_EQ(std::isnan(result.at(row, column)), row == 2) << row << ", " << column;
      }
    }
  });
}

TEST_P(Gemm, IsListedAmongTheVariantsOfItsDevice) {
  const std::vector<device::Variant> variants =
      device().variants(Product<float>(Case{}).operation(GetParam().variant));
  std::vector<std::string> names;
  for (const device::Variant& variant : variants) {
    names.push_back(variant.name);
    EXPECT_FALSE(variant.library.empty()) << variant.name;
  }
  if (GetParam().variant.empty()) {
    EXPECT_TRUE(names.empty()) << "Info::variant_names of " << GetParam().device << " lacks "
                               << names.front();
  } else {
    EXPECT_EQ(std::count(names.begin(), names.end(), GetParam().variant), 1);
  }
}

TEST_P(Gemm, RefusesWhatDoesNotFit) {
  Case one;
  one.m = 4;
  one.n = 5;
  one.k = 6;
  const Product<float> product(one);
  auto a = upload(product.a.values);
  auto b = upload(product.b.values);
  auto c = upload(product.c.values);
  device::Gemm good = product.operation(GetParam().variant);
  good.a.buffer = a.get();
  good.b.buffer = b.get();
  good.c.buffer = c.get();

  device::Gemm wrong_shape = good;
  wrong_shape.b.rows = 5;
  device::Gemm tight_rows = good;
  tight_rows.c.leading_dimension = 4;
  device::Gemm unknown_variant = good;
  unknown_variant.variant = "no_such_variant";
  for (const device::Gemm& bad : {wrong_shape, tight_rows, unknown_variant}) {
    const device::Support support = device().supports(bad);
    EXPECT_FALSE(support.ok);
    EXPECT_FALSE(support.reason.empty());
    EXPECT_FALSE(device().launch(stream(), bad).ok());
  }
  device::Gemm beyond_buffer = good;
  beyond_buffer.c.offset_elements = 1000;
  device::Gemm no_buffer = good;
  no_buffer.a.buffer = nullptr;
  EXPECT_TRUE(device().supports(no_buffer).ok);  // pointers are not looked at
  for (const device::Gemm& bad : {beyond_buffer, no_buffer}) {
    EXPECT_FALSE(device().launch(stream(), bad).ok());
  }
  EXPECT_TRUE(product.c.same_bits(download<float>(*c)));
  launch(good);
}

INSTANTIATE_TEST_SUITE_P(Device, Gemm, testing::ValuesIn(all_variants()), target_name);

}  // namespace
}  // namespace jissoku::tests
