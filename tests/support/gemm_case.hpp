// A random matrix product, its result computed in one of the orders a library might use, and the
// ways in which a result can be wrong.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "jissoku/numerics/verification.hpp"

namespace jissoku::tests {

/// In which order the k products of an element are summed. All are legitimate.
enum class Order { forward, backward, fused, lanes, blocks, pairwise, ascending, descending, count };

/// What the operands hold.
enum class Fill { normal, uniform, heavy_tailed, integers, count };

struct Shape {
  std::int64_t m = 1, n = 1, k = 1;
};

template <typename T>
struct GemmCase {
  Shape shape;
  bool transpose_a = false, transpose_b = false;
  T alpha = 1, beta = 0;
  Fill fill = Fill::normal;
  Order order = Order::forward;
  std::int64_t lda = 0, ldb = 0, ldc = 0;
  std::vector<T> a, b, c_before, c;

  T& at(std::int64_t i, std::int64_t j) { return c[static_cast<std::size_t>(i * ldc + j)]; }

  numerics::GemmCheck check(std::uint64_t seed = 1) const {
    const auto type = std::is_same_v<T, float> ? numerics::DataType::f32 : numerics::DataType::f64;
    const auto view =
        [&](const std::vector<T>& data, std::int64_t rows, std::int64_t columns, std::int64_t ld) {
          return numerics::MatrixView{data.data(), type, rows, columns, ld};
        };
    numerics::GemmCheck out;
    out.a = transpose_a ? view(a, shape.k, shape.m, lda) : view(a, shape.m, shape.k, lda);
    out.b = transpose_b ? view(b, shape.n, shape.k, ldb) : view(b, shape.k, shape.n, ldb);
    out.c = view(c, shape.m, shape.n, ldc);
    out.c_before = c_before.data();
    out.transpose_a = transpose_a;
    out.transpose_b = transpose_b;
    out.alpha = static_cast<double>(alpha);
    out.beta = static_cast<double>(beta);
    out.accumulator = type;
    out.integer_operands = fill == Fill::integers;
    out.seed = seed;
    return out;
  }
};

namespace gemm {

template <typename T>
T pairwise_sum(const T* values, std::size_t count) {
  if (count <= 2) {
    return count == 0 ? T{0} : count == 1 ? values[0] : values[0] + values[1];
  }
  return pairwise_sum(values, count / 2) + pairwise_sum(values + count / 2, count - count / 2);
}

template <typename T>
T sum_in_lanes(const std::vector<T>& products) {
  T lanes[8] = {};
  for (std::size_t l = 0; l < products.size(); ++l) {
    lanes[l % 8] += products[l];
  }
  return pairwise_sum(lanes, 8);
}

template <typename T>
T sum_in_blocks(const std::vector<T>& products) {
  T sum = 0;
  for (std::size_t first = 0; first < products.size(); first += 32) {
    T block = 0;
    for (std::size_t l = first; l < std::min(first + 32, products.size()); ++l) {
      block += products[l];
    }
    sum += block;
  }
  return sum;
}

template <typename T>
T sum_forward(const std::vector<T>& products) {
  T sum = 0;
  for (const T product : products) {
    sum += product;
  }
  return sum;
}

template <typename T>
T dot(const std::vector<T>& left, const std::vector<T>& right, Order order) {
  if (order == Order::fused) {
    T sum = 0;
    for (std::size_t l = 0; l < left.size(); ++l) {
      sum = std::fma(left[l], right[l], sum);
    }
    return sum;
  }
  std::vector<T> products(left.size());
  std::transform(left.begin(), left.end(), right.begin(), products.begin(), std::multiplies<T>());
  switch (order) {
    case Order::backward:
      std::reverse(products.begin(), products.end());
      return sum_forward(products);
    case Order::lanes:
      return sum_in_lanes(products);
    case Order::blocks:
      return sum_in_blocks(products);
    case Order::pairwise:
      return pairwise_sum(products.data(), products.size());
    case Order::ascending:
      std::sort(products.begin(), products.end());
      return sum_forward(products);
    case Order::descending:  // large ones first, small ones are absorbed
      std::sort(products.begin(), products.end(), [](T x, T y) { return std::abs(x) > std::abs(y); });
      return sum_forward(products);
    default:
      return sum_forward(products);
  }
}

template <typename T>
T draw(Fill fill, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  switch (fill) {
    case Fill::uniform:
      return static_cast<T>(std::uniform_real_distribution<double>()(random));
    case Fill::heavy_tailed:
      return static_cast<T>(normal(random) * std::exp(2 * normal(random)));
    case Fill::integers:
      return static_cast<T>(std::uniform_int_distribution<int>(-9, 9)(random));
    default:
      return static_cast<T>(normal(random));
  }
}

/// rows x columns values, and NaN up to the leading dimension: whoever reads it notices.
template <typename T>
std::vector<T> matrix(
    Fill fill, std::int64_t rows, std::int64_t columns, std::int64_t ld, std::mt19937_64& random) {
  std::vector<T> out(static_cast<std::size_t>(rows * ld), std::numeric_limits<T>::quiet_NaN());
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      out[static_cast<std::size_t>(i * ld + j)] = draw<T>(fill, random);
    }
  }
  return out;
}

}  // namespace gemm

/// Computes C. `scale_first`: alpha is applied to A's elements, and beta C0 starts the sum.
template <typename T>
void compute(GemmCase<T>& it, bool scale_first) {
  std::vector<T> left(static_cast<std::size_t>(it.shape.k));
  std::vector<T> right(left.size());
  for (std::int64_t i = 0; i < it.shape.m; ++i) {
    for (std::int64_t j = 0; j < it.shape.n; ++j) {
      for (std::int64_t l = 0; l < it.shape.k; ++l) {
        const auto at = static_cast<std::size_t>(l);
        const T a = it.a[static_cast<std::size_t>(it.transpose_a ? l * it.lda + i : i * it.lda + l)];
        left[at] = scale_first ? it.alpha * a : a;
        right[at] = it.b[static_cast<std::size_t>(it.transpose_b ? j * it.ldb + l : l * it.ldb + j)];
      }
      const T before = it.beta == 0 ? T{0} : it.beta * it.c_before[static_cast<std::size_t>(i * it.ldc + j)];
      if (scale_first) {
        left.push_back(before);
        right.push_back(1);
        it.at(i, j) = gemm::dot(left, right, it.order);
        left.pop_back();
        right.pop_back();
      } else {
        it.at(i, j) = it.alpha * gemm::dot(left, right, it.order) + before;
      }
    }
  }
}

/// Everything random but the shape and the fill. Integers get integer alpha and beta.
template <typename T>
GemmCase<T> random_case(Shape shape, Fill fill, std::mt19937_64& random) {
  const auto pick = [&](int choices) { return std::uniform_int_distribution<int>(0, choices - 1)(random); };
  GemmCase<T> it;
  it.shape = shape;
  it.fill = fill;
  it.transpose_a = pick(2) == 1;
  it.transpose_b = pick(2) == 1;
  it.order = static_cast<Order>(pick(static_cast<int>(Order::count)));
  const T whole[] = {1, 1, 1, -1, 2};
  const T real[] = {1, 1, static_cast<T>(-0.3), static_cast<T>(1.7), -1};
  it.alpha = fill == Fill::integers ? whole[pick(5)] : real[pick(5)];
  const T whole_beta[] = {0, 0, 1, -3};
  const T real_beta[] = {0, 0, 1, static_cast<T>(0.7)};
  it.beta = fill == Fill::integers ? whole_beta[pick(4)] : real_beta[pick(4)];
  it.lda = (it.transpose_a ? shape.m : shape.k) + pick(3);
  it.ldb = (it.transpose_b ? shape.k : shape.n) + pick(3);
  it.ldc = shape.n + pick(3);
  const auto [m, n, k] = shape;
  it.a = it.transpose_a ? gemm::matrix<T>(fill, k, m, it.lda, random)
                        : gemm::matrix<T>(fill, m, k, it.lda, random);
  it.b = it.transpose_b ? gemm::matrix<T>(fill, n, k, it.ldb, random)
                        : gemm::matrix<T>(fill, k, n, it.ldb, random);
  it.c_before = gemm::matrix<T>(fill, m, n, it.ldc, random);
  const T poison = std::is_same_v<T, float> ? static_cast<T>(numerics::poison_f32())
                                            : static_cast<T>(numerics::poison_f64());
  it.c.assign(it.c_before.size(), poison);
  if (it.beta == 0) {
    it.c_before = it.c;  // must not be read
  }
  compute(it, pick(2) == 1);
  return it;
}

}  // namespace jissoku::tests
