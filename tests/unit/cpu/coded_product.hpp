// A product of operands in any format, by plain loops over what the codes say, laid out with gaps.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "jissoku/backends/cpu/engine.hpp"
#include "jissoku/numerics/codes.hpp"

namespace jissoku::tests {

using numerics::DataType;

/// A stored matrix of random codes of small integers (times scales that are powers of two), so that every sum
/// is exact.
struct CodedMatrix {
  DataType type = DataType::bf16, scale_type = DataType::e8m0;
  std::int64_t rows = 0, columns = 0, leading_dimension = 0, scale_block = 0;
  std::vector<std::byte> codes, scales;

  std::int64_t row_bytes() const { return leading_dimension * numerics::storage_bits(type) / 8; }
  std::int64_t row_scales() const { return scale_block == 0 ? 0 : (columns + scale_block - 1) / scale_block; }

  double value(std::int64_t row, std::int64_t column) const {
    float decoded = 0, scale = 1;
    numerics::decode(type, codes.data() + row * row_bytes(), column, 1, &decoded);
    if (scale_block != 0) {
      numerics::decode(scale_type, scales.data(), row * row_scales() + column / scale_block, 1, &scale);
    }
    return static_cast<double>(decoded) * static_cast<double>(scale);
  }
  backends::cpu::OperandFormat format() const {
    return {type, scale_block == 0 ? nullptr : scales.data(), scale_type, scale_block};
  }
};

/// `gap` elements between rows, in steps of eight so that rows start on a byte; `largest` of the integers.
inline CodedMatrix coded_matrix(DataType type,
                                std::int64_t rows,
                                std::int64_t columns,
                                std::int64_t gap,
                                int largest,
                                std::int64_t scale_block,
                                DataType scale_type,
                                std::mt19937_64& random) {
  CodedMatrix matrix{type, scale_type, rows, columns, (columns + 7) / 8 * 8 + gap * 8, scale_block, {}, {}};
  matrix.codes.resize(static_cast<std::size_t>((rows - 1) * matrix.row_bytes()) +
                      numerics::packed_bytes(type, columns));
  std::vector<float> line(static_cast<std::size_t>(columns));
  for (std::int64_t row = 0; row < rows; ++row) {
    for (float& value : line) {
      const auto range = static_cast<std::uint64_t>(2 * largest + 1);
      value = static_cast<float>(static_cast<int>(random() % range) - largest);
    }
    numerics::encode(type, line.data(), columns, matrix.codes.data() + row * matrix.row_bytes());
  }
  if (scale_block != 0) {
    std::vector<float> factors(static_cast<std::size_t>(rows * matrix.row_scales()));
    for (float& factor : factors) {
      factor = std::ldexp(1.0F, static_cast<int>(random() % 4) - 1);
    }
    const auto count = static_cast<std::int64_t>(factors.size());
    matrix.scales.resize(numerics::packed_bytes(scale_type, count));
    numerics::encode(scale_type, factors.data(), count, matrix.scales.data());
  }
  return matrix;
}

struct CodedProduct {
  CodedMatrix a, b;
  bool transpose_a = false, transpose_b = false;
  std::int64_t m = 0, n = 0, k = 0;
  double alpha = 1, beta = 0;

  backends::cpu::Product product(DataType type, void* c, std::int64_t ldc) const {
    backends::cpu::Product call;
    call.type = type;
    call.transpose_a = transpose_a;
    call.transpose_b = transpose_b;
    call.m = m;
    call.n = n;
    call.k = k;
    call.alpha = alpha;
    call.beta = beta;
    call.a = a.codes.data();
    call.lda = a.leading_dimension;
    call.b = b.codes.data();
    call.ldb = b.leading_dimension;
    call.c = c;
    call.ldc = ldc;
    call.a_format = a.format();
    call.b_format = b.format();
    return call;
  }

  /// op(a) op(b), row by row.
  std::vector<double> sums() const {
    const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
    std::vector<double> left(size(m * k)), right(size(k * n)), out(size(m * n));
    for (std::int64_t i = 0; i < m * k; ++i) {
      left[size(i)] = transpose_a ? a.value(i % k, i / k) : a.value(i / k, i % k);
    }
    for (std::int64_t i = 0; i < k * n; ++i) {
      right[size(i)] = transpose_b ? b.value(i % n, i / n) : b.value(i / n, i % n);
    }
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t p = 0; p < k; ++p) {
        for (std::int64_t j = 0; j < n; ++j) {
          out[size(i * n + j)] += left[size(i * k + p)] * right[size(p * n + j)];
        }
      }
    }
    return out;
  }

  std::string describe() const {
    return std::string(numerics::to_string(a.type)) + " " + std::to_string(m) + "x" + std::to_string(n) +
           "x" + std::to_string(k) + (transpose_a ? " T" : " N") + (transpose_b ? "T" : "N") + " scales " +
           std::to_string(a.scale_block);
  }

  /// "" or the first wrong element. T: float or int32.
  template <typename T>
  std::string check(backends::cpu::Engine& engine) const {
    const std::int64_t ldc = n + 3;
    const T before = beta == 0 ? T(1 << 20) : T(5), gap = T(77);
    std::vector<T> c(static_cast<std::size_t>(m * ldc), before);
    for (std::size_t i = 0; i < c.size(); ++i) {
      c[i] = static_cast<std::int64_t>(i) % ldc < n ? before : gap;
    }
    const auto type = sizeof(T) == 4 && T(0.5) == T(0) ? DataType::i32 : DataType::f32;
    const backends::cpu::Product call = product(type, c.data(), ldc);
    if (!engine.supports(call).ok) {
      return describe() + ": " + engine.supports(call).reason.id;
    }
    if (!engine.multiply(call)) {
      return describe() + ": failed";
    }
    const std::vector<double> exact = sums();
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < ldc; ++j) {
        const double old = beta == 0 ? 0 : beta * static_cast<double>(before);
        const double wanted =
            j < n ? alpha * exact[static_cast<std::size_t>(i * n + j)] + old : static_cast<double>(gap);
        const auto found = static_cast<double>(c[static_cast<std::size_t>(i * ldc + j)]);
        if (found != wanted) {
          return describe() + ": element " + std::to_string(i) + ", " + std::to_string(j) + " is " +
                 std::to_string(found) + ", not " + std::to_string(wanted);
        }
      }
    }
    return {};
  }
};

}  // namespace jissoku::tests
