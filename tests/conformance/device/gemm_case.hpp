// One matrix product on a device: operands placed, launched, and fetched back.
#pragma once

#include <ostream>

#include "harness.hpp"

namespace jissoku::tests {

struct Case {
  std::int64_t m = 1, n = 1, k = 1;
  bool transpose_a = false, transpose_b = false;
  double alpha = 1, beta = 0;
  Layout layout;
  std::int64_t batch = 1;
};
inline std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.m << "x" << one.n << "x" << one.k << (one.transpose_a ? " t" : " n")
             << (one.transpose_b ? "t" : "n") << " alpha " << one.alpha << " beta " << one.beta << " offset "
             << one.layout.offset << " padding " << one.layout.padding << " batch " << one.batch;
}

/// Primes, ones, and sizes around the blocks of kernels.
inline constexpr std::int64_t kShapes[][3] = {{1, 1, 1},
                                              {1, 1, 7},
                                              {1, 13, 1},
                                              {17, 1, 1},
                                              {1, 127, 31},
                                              {101, 1, 53},
                                              {29, 37, 1},
                                              {7, 11, 13},
                                              {31, 29, 37},
                                              {64, 64, 64},
                                              {33, 130, 17},
                                              {127, 65, 300}};
inline constexpr double kScalars[][2] = {{1, 0}, {1, 1}, {-1, 0}, {0.5, -1}, {0, 0.5}, {0, 0}, {-1, 0.5}};

/// visit(Case) for the four transposes in both layouts.
template <typename Visit>
void for_each_form(Case one, Visit visit) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      for (const Layout& layout : kLayouts) {
        one.transpose_a = transpose_a;
        one.transpose_b = transpose_b;
        one.layout = layout;
        visit(one);
      }
    }
  }
}

/// Operands and result in host memory.
template <typename T>
struct Product {
  explicit Product(const Case& one)
      : what(one),
        a(one.transpose_a ? one.k : one.m, one.transpose_a ? one.m : one.k, one.layout, one.batch),
        b(one.transpose_b ? one.n : one.k, one.transpose_b ? one.k : one.n, one.layout, one.batch),
        c(one.m, one.n, one.layout, one.batch) {}

  /// Element of op(A), op(B).
  T op_a(std::int64_t row, std::int64_t column, std::int64_t which = 0) {
    return what.transpose_a ? a.at(column, row, which) : a.at(row, column, which);
  }
  T op_b(std::int64_t row, std::int64_t column, std::int64_t which = 0) {
    return what.transpose_b ? b.at(column, row, which) : b.at(row, column, which);
  }

  /// Integers in [-8, 8]: every sum of up to 300 products, scaled by halves, is exact in FP32. C keeps its
  /// poison where it must not be read.
  void fill_integers(std::uint64_t seed) {
    std::uint64_t counter = 0;
    const auto next = [&](auto, auto, auto) {
      return static_cast<std::int64_t>(numerics::random_bits(seed, counter++) % 17) - 8;
    };
    a.fill(next);
    b.fill(next);
    if (what.beta != 0) {
      c.fill(next);
    }
  }
  void fill_normal(std::uint64_t seed) {
    for (Placed<T>* matrix : {&a, &b, &c}) {
      std::vector<T> values(static_cast<std::size_t>(matrix->batch * matrix->rows * matrix->columns));
      numerics::fill_values(numerics::Data::normal, seed++, 0, 1, values);
      std::size_t index = 0;
      if (matrix != &c || what.beta != 0) {
        matrix->fill([&](auto, auto, auto) { return values[index++]; });
      }
    }
  }

  device::Gemm operation(const std::string& variant) const {
    device::Gemm gemm;
    gemm.a = a.view(nullptr);
    gemm.b = b.view(nullptr);
    gemm.c = c.view(nullptr);
    gemm.transpose_a = what.transpose_a;
    gemm.transpose_b = what.transpose_b;
    gemm.alpha = what.alpha;
    gemm.beta = what.beta;
    gemm.accumulator = kTypeOf<T>;
    gemm.variant = variant;
    return gemm;
  }

  Case what;
  Placed<T> a, b, c;
};

class GemmTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    const device::Gemm gemm = Product<float>(Case{}).operation(GetParam().variant);
    if (const device::Support support = device().supports(gemm); !support.ok) {
      GTEST_SKIP() << describe(support.reason);
    }
  }

  template <typename T>
  bool supported(const Product<T>& product) {
    return device().supports(product.operation(GetParam().variant)).ok;
  }

  /// C after the product, which may have changed nothing but the elements of C.
  template <typename T>
  Placed<T> run(const Product<T>& product) {
    auto a = upload(product.a.values);
    auto b = upload(product.b.values);
    auto c = upload(product.c.values);
    device::Gemm gemm = product.operation(GetParam().variant);
    gemm.a.buffer = a.get();
    gemm.b.buffer = b.get();
    gemm.c.buffer = c.get();
    launch(gemm);
    EXPECT_TRUE(product.a.same_bits(download<T>(*a))) << "A was changed: " << product.what;
    EXPECT_TRUE(product.b.same_bits(download<T>(*b))) << "B was changed: " << product.what;
    Placed<T> result = product.c;
    result.values = download<T>(*c);
    EXPECT_TRUE(product.c.same_bits_around(result)) << "written outside of C: " << product.what;
    return result;
  }
};

/// visit(T{}) for each type the variant does.
template <typename Visit>
void for_each_type(Visit visit) {
  visit(float{});
  visit(double{});
}

}  // namespace jissoku::tests
