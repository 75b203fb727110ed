// A product of small integers with known result, laid out with gaps that must stay untouched.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "jissoku/backends/cpu/engine.hpp"

namespace jissoku::tests {

template <typename T>
struct PlainProduct {
  std::int64_t m, n, k;
  bool transpose_a, transpose_b;
  double alpha, beta;
  std::int64_t gap;  ///< elements between the rows of each matrix
  std::vector<T> a, b, c;

  static constexpr T kGap = T(1e6);

  PlainProduct(std::int64_t m_,
               std::int64_t n_,
               std::int64_t k_,
               int form,
               double alpha_,
               double beta_,
               std::int64_t gap_)
      : m(m_),
        n(n_),
        k(k_),
        transpose_a((form & 1) != 0),
        transpose_b((form & 2) != 0),
        alpha(alpha_),
        beta(beta_),
        gap(gap_) {
    a = matrix(transpose_a ? k : m, lda() - gap, 1);
    b = matrix(transpose_b ? n : k, ldb() - gap, 2);
    c = matrix(m, n, 3);
    if (beta == 0) {
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          c[index(i * ldc() + j)] = std::numeric_limits<T>::quiet_NaN();
        }
      }
    }
  }

  std::int64_t lda() const { return (transpose_a ? m : k) + gap; }
  std::int64_t ldb() const { return (transpose_b ? k : n) + gap; }
  std::int64_t ldc() const { return n + gap; }

  backends::cpu::Product product(T* out) const {
    backends::cpu::Product call;
    call.type = sizeof(T) == 4 ? numerics::DataType::f32 : numerics::DataType::f64;
    call.a_format.type = call.b_format.type = call.type;
    call.transpose_a = transpose_a;
    call.transpose_b = transpose_b;
    call.m = m;
    call.n = n;
    call.k = k;
    call.alpha = alpha;
    call.beta = beta;
    call.a = a.data();
    call.lda = lda();
    call.b = b.data();
    call.ldb = ldb();
    call.c = out;
    call.ldc = ldc();
    return call;
  }

  /// "" or what is wrong first: an element, or a gap that was written.
  std::string difference(const std::vector<T>& out) const {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < ldc(); ++j) {
        const T wanted = j < n ? element(i, j) : kGap;
        const T got = out[index(i * ldc() + j)];
        if (!(got == wanted)) {
          return describe() + ": element " + std::to_string(i) + ", " + std::to_string(j) + " is " +
                 std::to_string(got) + ", not " + std::to_string(wanted);
        }
      }
    }
    return {};
  }

  /// Multiplies and compares; "" if the engine is right or does not do the type.
  std::string check(backends::cpu::Engine& engine) const {
    std::vector<T> out = c;
    const backends::cpu::Product call = product(out.data());
    if (!engine.supports(call).ok) {
      return {};
    }
    return engine.multiply(call) ? difference(out) : describe() + ": failed";
  }

 private:
  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

  std::vector<T> matrix(std::int64_t rows, std::int64_t columns, std::int64_t seed) const {
    std::vector<T> values(index(rows * (columns + gap)), kGap);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        values[index(i * (columns + gap) + j)] = static_cast<T>((i * 31 + j * 17 + seed * 7) % 9 - 4);
      }
    }
    return values;
  }

  T element(std::int64_t i, std::int64_t j) const {
    T sum = 0;
    for (std::int64_t p = 0; p < k; ++p) {
      sum += a[index(transpose_a ? p * lda() + i : i * lda() + p)] *
             b[index(transpose_b ? j * ldb() + p : p * ldb() + j)];
    }
    const T old = beta == 0 ? T(0) : static_cast<T>(beta) * c[index(i * ldc() + j)];
    return static_cast<T>(alpha) * sum + old;
  }

  std::string describe() const {
    return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) +
           (transpose_a ? " T" : " N") + (transpose_b ? "T" : "N") + " alpha " + std::to_string(alpha) +
           " beta " + std::to_string(beta) + " gap " + std::to_string(gap) +
           (sizeof(T) == 4 ? " f32" : " f64");
  }
};

}  // namespace jissoku::tests
