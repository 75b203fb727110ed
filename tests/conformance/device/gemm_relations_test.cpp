// Relations that products obey whatever the operands are: they need no oracle.
#include <cmath>
#include <functional>

#include "gemm_case.hpp"

namespace jissoku::tests {
namespace {

class GemmRelations : public GemmTest {
 protected:
  /// Twice the worst-case error of a sum of k products of magnitude |A||B|: two results may differ
  /// by it (Higham, Accuracy and Stability of Numerical Algorithms, 3.5).
  template <typename T>
  double allowed(Product<T>& product, std::int64_t row, std::int64_t column) {
    double magnitude = 0;
    for (std::int64_t p = 0; p < product.what.k; ++p) {
      magnitude +=
          std::abs(static_cast<double>(product.op_a(row, p)) * static_cast<double>(product.op_b(p, column)));
    }
    return 2 * static_cast<double>(product.what.k + 4) * numerics::unit_roundoff(kTypeOf<T>) *
           (magnitude + 1);
  }

  /// relation(row, column) is a result to be compared with `result`'s element.
  template <typename T>
  void expect_near(Product<T>& product,
                   Placed<T>& result,
                   double scale,
                   const std::function<double(std::int64_t, std::int64_t)>& relation) {
    for (std::int64_t row = 0; row < product.what.m; ++row) {
      for (std::int64_t column = 0; column < product.what.n; ++column) {
        ASSERT_NEAR(static_cast<double>(result.at(row, column)),
                    relation(row, column),
                    scale * allowed(product, row, column))
            << product.what << " at " << row << ", " << column;
      }
    }
  }

  /// test(T{}, form) for each type and form of a product of a middling shape.
  template <typename Test>
  void for_each_product(Test test) {
    Case one;
    one.m = 47;
    one.n = 33;
    one.k = 61;
    for_each_form(one, [&](const Case& form) {
      for_each_type([&](auto zero) {
        if (supported(Product<decltype(zero)>(form))) {
          test(zero, form);
        }
      });
    });
  }
};

TEST_P(GemmRelations, TransposedProductIsTheProductOfTheTransposed) {
  for_each_product([&](auto zero, const Case& one) {
    using T = decltype(zero);
    Product<T> product(one);
    product.fill_normal(1);
    Case swapped = one;
    std::swap(swapped.m, swapped.n);
    swapped.transpose_a = !one.transpose_b;
    swapped.transpose_b = !one.transpose_a;
    Product<T> transposed(swapped);
    transposed.a = product.b;
    transposed.b = product.a;
    Placed<T> result = run(product);
    Placed<T> other = run(transposed);
    expect_near<T>(product, result, 1, [&](auto row, auto column) {
      return static_cast<double>(other.at(column, row));
    });
  });
}

TEST_P(GemmRelations, IsLinearInAlpha) {
  for_each_product([&](auto zero, const Case& one) {
    using T = decltype(zero);
    Product<T> product(one);
    product.fill_normal(2);
    Placed<T> once = run(product);
    product.what.alpha = -3;
    Placed<T> scaled = run(product);
    expect_near<T>(product, scaled, 3, [&](auto row, auto column) {
      return -3 * static_cast<double>(once.at(row, column));
    });
  });
}

TEST_P(GemmRelations, BetaAddsWhatWasThere) {
  for_each_product([&](auto zero, const Case& one) {
    using T = decltype(zero);
    Case with_beta = one;
    with_beta.beta = 0.5;
    Product<T> product(with_beta);
    product.fill_normal(3);
    Placed<T> sum = run(product);
    Product<T> alone = product;
    alone.what.beta = 0;
    Placed<T> result = run(alone);
    expect_near<T>(product, sum, 4, [&](auto row, auto column) {
      return static_cast<double>(result.at(row, column)) +
             0.5 * static_cast<double>(product.c.at(row, column));
    });
  });
}

TEST_P(GemmRelations, TimesTheIdentityIsItself) {
  for_each_product([&](auto zero, Case one) {
    using T = decltype(zero);
    one.n = one.k;
    Product<T> product(one);
    product.fill_normal(4);
    product.b.fill([](auto row, auto column, auto) { return row == column ? 1 : 0; });
    Placed<T> result = run(product);
    for (std::int64_t row = 0; row < one.m; ++row) {
      for (std::int64_t column = 0; column < one.n; ++column) {
        ASSERT_EQ(result.at(row, column), product.op_a(row, column))
            << one << " at " << row << ", " << column;
      }
    }
  });
}

TEST_P(GemmRelations, PermutedRowsOfAPermuteRowsOfC) {
  for_each_product([&](auto zero, const Case& one) {
    using T = decltype(zero);
    Product<T> product(one);
    product.fill_normal(5);
    Product<T> turned = product;
    const auto moved = [&](std::int64_t row) { return (row * 10 + 3) % one.m; };  // m is prime
    for (std::int64_t row = 0; row < one.m; ++row) {
      for (std::int64_t p = 0; p < one.k; ++p) {
        (one.transpose_a ? turned.a.at(p, moved(row)) : turned.a.at(moved(row), p)) = product.op_a(row, p);
      }
    }
    Placed<T> result = run(product);
    Placed<T> other = run(turned);
    expect_near<T>(product, result, 1, [&](auto row, auto column) {
      return static_cast<double>(other.at(moved(row), column));
    });
  });
}

INSTANTIATE_TEST_SUITE_P(Device, GemmRelations, testing::ValuesIn(all_variants()), target_name);

}  // namespace
}  // namespace jissoku::tests
