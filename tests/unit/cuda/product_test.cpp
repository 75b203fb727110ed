#include "jissoku/backends/cuda/rules/product.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "jissoku/backends/cuda/rules/algorithm.hpp"

namespace jissoku::backends::cuda {
namespace {

using device::Gemm;
using device::TensorView;
using numerics::DataType;

TensorView view(std::int64_t rows, std::int64_t columns, std::int64_t padding, std::int64_t batch) {
  TensorView out;
  out.type = DataType::f64;
  out.rows = rows;
  out.columns = columns;
  out.leading_dimension = columns + padding;
  out.batch = batch;
  out.batch_stride = rows * out.leading_dimension + 1;
  return out;
}

struct Case {
  std::int64_t m, n, k, padding, batch;
  bool transpose_a, transpose_b;
  double alpha, beta;
};

Gemm gemm_of(const Case& one) {
  Gemm gemm;
  gemm.a = one.transpose_a ? view(one.k, one.m, one.padding, one.batch)
                           : view(one.m, one.k, one.padding, one.batch);
  gemm.b = one.transpose_b ? view(one.n, one.k, one.padding, one.batch)
                           : view(one.k, one.n, one.padding, one.batch);
  gemm.c = view(one.m, one.n, one.padding, one.batch);
  gemm.transpose_a = one.transpose_a;
  gemm.transpose_b = one.transpose_b;
  gemm.alpha = one.alpha;
  gemm.beta = one.beta;
  return gemm;
}

std::vector<double> numbers(const TensorView& of, double first) {
  std::vector<double> values(static_cast<std::size_t>(of.batch * of.batch_stride));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(static_cast<int>(i * 7 % 11)) - first;
  }
  return values;
}

double at(const std::vector<double>& values, std::int64_t index) {
  return values[static_cast<std::size_t>(index)];
}

/// What the operation means: matrices by rows.
std::vector<double> by_rows(const Gemm& gemm,
                            const std::vector<double>& a,
                            const std::vector<double>& b,
                            std::vector<double> c) {
  const std::int64_t depth = gemm.transpose_a ? gemm.a.rows : gemm.a.columns;
  for (std::int64_t batch = 0; batch < gemm.c.batch; ++batch) {
    for (std::int64_t i = 0; i < gemm.c.rows; ++i) {
      for (std::int64_t j = 0; j < gemm.c.columns; ++j) {
        double sum = 0;
        for (std::int64_t p = 0; p < depth; ++p) {
          const std::int64_t in_a =
              gemm.transpose_a ? p * gemm.a.leading_dimension + i : i * gemm.a.leading_dimension + p;
          const std::int64_t in_b =
              gemm.transpose_b ? j * gemm.b.leading_dimension + p : p * gemm.b.leading_dimension + j;
          sum += at(a, batch * gemm.a.batch_stride + in_a) * at(b, batch * gemm.b.batch_stride + in_b);
        }
        double& out =
            c[static_cast<std::size_t>(batch * gemm.c.batch_stride + i * gemm.c.leading_dimension + j)];
        out = gemm.alpha * sum + (gemm.beta == 0 ? 0 : gemm.beta * out);
      }
    }
  }
  return c;
}

/// What cublasLtMatmul does with the descriptors: matrices by columns. Checks that they fit together.
std::vector<double> by_columns(const Product& product,
                               double alpha,
                               double beta,
                               const std::vector<double>& first,
                               const std::vector<double>& second,
                               std::vector<double> result) {
  const auto op_rows = [](const Layout& layout, bool transposed) {
    return transposed ? layout.columns : layout.rows;
  };
  const std::int64_t m = op_rows(product.first, product.transpose_first);
  const std::int64_t k = op_rows(product.first, !product.transpose_first);
  const std::int64_t n = op_rows(product.second, !product.transpose_second);
  EXPECT_EQ(op_rows(product.second, product.transpose_second), k);
  EXPECT_EQ(product.result.rows, m);
  EXPECT_EQ(product.result.columns, n);
  const auto element = [](const Layout& layout, bool transposed, std::int64_t i, std::int64_t j) {
    EXPECT_GE(layout.leading_dimension, layout.rows);
    return transposed ? i * layout.leading_dimension + j : j * layout.leading_dimension + i;
  };
  for (std::int64_t batch = 0; batch < product.batch; ++batch) {
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < m; ++i) {
        double sum = 0;
        for (std::int64_t p = 0; p < k; ++p) {
          sum +=
              at(first,
                 batch * product.first.batch_stride + element(product.first, product.transpose_first, i, p)) *
              at(second,
                 batch * product.second.batch_stride +
                     element(product.second, product.transpose_second, p, j));
        }
        double& out = result[static_cast<std::size_t>(batch * product.result.batch_stride +
                                                      element(product.result, false, i, j))];
        out = alpha * sum + (product.adds ? beta * out : 0);
      }
    }
  }
  return result;
}

TEST(Product, MeansTheSameByColumnsAsTheOperationByRows) {
  for (unsigned bits = 0; bits < 64; ++bits) {
    const auto has = [bits](unsigned bit) { return ((bits >> bit) & 1U) != 0; };
    const Case one{has(0) ? 1 : 3,
                   has(1) ? 1 : 5,
                   has(2) ? 1 : 4,
                   has(3) ? 2 : 0,
                   has(3) ? 3 : 1,
                   has(4),
                   has(5),
                   has(0) ? 1.0 : -0.5,
                   has(1) ? 0.0 : 2.0};
    const Gemm gemm = gemm_of(one);
    const std::vector<double> a = numbers(gemm.a, 4), b = numbers(gemm.b, 5), c = numbers(gemm.c, 6);
    EXPECT_EQ(by_columns(product_of(gemm), one.alpha, one.beta, b, a, c), by_rows(gemm, a, b, c)) << bits;
  }
}

TEST(Product, OneMatrixOfTheBatchMayServeAll) {
  Gemm gemm = gemm_of({3, 5, 4, 0, 3, false, false, 1, 0});
  gemm.b.batch_stride = 0;
  EXPECT_EQ(product_of(gemm).first.batch_stride, 0);
  EXPECT_EQ(product_of(gemm).second.batch_stride, gemm.a.batch_stride);
  const std::vector<double> a = numbers(gemm.a, 4), c = numbers(gemm.c, 6);
  const std::vector<double> b = numbers(view(4, 5, 0, 1), 5);
  EXPECT_EQ(by_columns(product_of(gemm), 1, 0, b, a, c), by_rows(gemm, a, b, c));
}

TEST(Product, ComputesInWhatTheOperandsAre) {
  const std::pair<DataType, Compute> expected[] = {{DataType::f64, Compute::f64},
                                                   {DataType::f32, Compute::f32},
                                                   {DataType::tf32, Compute::fast_tf32},
                                                   {DataType::f16, Compute::f32},
                                                   {DataType::bf16, Compute::f32}};
  for (const auto& [type, compute] : expected) {
    Gemm gemm = gemm_of({3, 5, 4, 0, 1, false, false, 1, 0});
    gemm.a.type = gemm.b.type = type;
    EXPECT_EQ(product_of(gemm).compute, compute);
    EXPECT_EQ(product_of(gemm).first.type, type);
  }
}

TEST(Product, AlignmentIsThatOfTheFirstElement) {
  Gemm gemm = gemm_of({3, 5, 4, 0, 1, false, false, 1, 0});
  gemm.a.type = DataType::f16;
  gemm.a.offset_elements = 3;
  gemm.b.type = DataType::f32;
  gemm.b.offset_elements = 4;
  const Product product = product_of(gemm);
  EXPECT_EQ(product.second.alignment_bytes, 2);
  EXPECT_EQ(product.first.alignment_bytes, 16);
  EXPECT_EQ(product.result.alignment_bytes, 256);
  EXPECT_EQ(alignment_of(0), 256);
  EXPECT_EQ(alignment_of(1024), 256);
  EXPECT_EQ(alignment_of(24), 8);
  EXPECT_NE(product, product_of(gemm_of({3, 5, 4, 0, 1, false, false, 1, 0})));
}

TEST(Product, SpanReachesToTheLastElement) {
  const Gemm gemm = gemm_of({3, 5, 4, 2, 3, false, false, 1, 0});
  const Product product = product_of(gemm);
  EXPECT_EQ(span_bytes(product.result, product.batch), (2 * 22 + 2 * 7 + 5) * 8);
}

TEST(Product, TrialsAreShortForLongProducts) {
  EXPECT_EQ(timed_launches(4e9), 1);
  EXPECT_EQ(timed_launches(5e6), 3);
  EXPECT_EQ(timed_launches(1e4), 10);
  EXPECT_EQ(workspace_bytes(9), 32 << 20);
  EXPECT_EQ(workspace_bytes(12), 32 << 20);
  EXPECT_EQ(workspace_bytes(8), 4 << 20);
}

TEST(Algorithm, IsDescribedByWhatItIsAndHowItWasChosen) {
  Algorithm algorithm{66, 20, 15, 2, 0x2 | 0x200 | 0x40000};
  EXPECT_EQ(kernel_text(algorithm, 6),
            "algo 66, tile 20, stages 15, split-k 2, HMMA TF32, sums FP32; fastest of 6");
  algorithm.implementation = 0;
  EXPECT_EQ(kernel_text(algorithm, 0), "algo 66, tile 20, stages 15, split-k 2; first suggestion");
}

TEST(Algorithm, OfPlainFp32MustNotRoundItsOperands) {
  Gemm gemm = gemm_of({3, 5, 4, 0, 1, false, false, 1, 0});
  gemm.a.type = gemm.b.type = DataType::f32;
  const Algorithm tf32{66, 20, 15, 1, 0x2 | 0x200 | 0x40000};
  const Algorithm bf16x9{66, 20, 15, 1, 0x2 | 0x200 | 0x20000};
  const Algorithm plain{66, 20, 15, 1, 0x1 | 0x200 | 0x80000};
  EXPECT_FALSE(keeps_precision(tf32, product_of(gemm)));
  EXPECT_FALSE(keeps_precision(bf16x9, product_of(gemm)));
  EXPECT_TRUE(keeps_precision(plain, product_of(gemm)));
  EXPECT_TRUE(keeps_precision({}, product_of(gemm)));  // not known
  gemm.a.type = gemm.b.type = DataType::tf32;
  EXPECT_TRUE(keeps_precision(tf32, product_of(gemm)));
  gemm.a.type = gemm.b.type = DataType::bf16;
  EXPECT_TRUE(keeps_precision(bf16x9, product_of(gemm)));
}

}  // namespace
}  // namespace jissoku::backends::cuda
