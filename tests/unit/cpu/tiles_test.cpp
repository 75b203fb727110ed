#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "jissoku/backends/cpu/gemm/generated_tiles.hpp"
#include "jissoku/backends/cpu/gemm/portable_tiles.hpp"

namespace jissoku::backends::cpu::gemm {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

/// Small integers, so that every sum is exact, with a gap after each row.
template <typename T>
struct Operands {
  std::int64_t rows, columns, depth, lda, ldb, ldc;
  std::vector<T> a, b, c;
  T beta;

  Operands(std::int64_t rows_, std::int64_t columns_, std::int64_t depth_, T beta_)
      : rows(rows_),
        columns(columns_),
        depth(depth_),
        lda(depth + 3),
        ldb(columns + 5),
        ldc(columns + 2),
        a(at(rows * lda)),
        b(at(depth * ldb)),
        c(at(rows * ldc), beta_ == T(0) ? std::numeric_limits<T>::quiet_NaN() : T(3)),
        beta(beta_) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<T>(static_cast<int>(i % 7) - 3);
    }
    for (std::size_t i = 0; i < b.size(); ++i) {
      b[i] = static_cast<T>(static_cast<int>(i % 5) - 2);
    }
  }

  TileCall<T> call(T alpha) {
    constexpr std::int64_t kBytes = sizeof(T);
    TileCall<T> call;
    call.depth = depth;
    call.a = a.data();
    call.a_row = lda * kBytes;
    call.a_step = kBytes;
    call.b = b.data();
    call.b_step = ldb * kBytes;
    call.c = c.data();
    call.c_row = ldc * kBytes;
    call.alpha = alpha;
    call.beta = beta;
    return call;
  }

  /// "" or the first element of c that is wrong, the gaps among them.
  std::string difference(T alpha) const {
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < ldc; ++j) {
        T sum = 0;
        for (std::int64_t p = 0; j < columns && p < depth; ++p) {
          sum += a[at(i * lda + p)] * b[at(p * ldb + j)];
        }
        const T old = beta == T(0) ? T(0) : T(3);
        const T wanted = j < columns ? alpha * sum + beta * old
                                     : (beta == T(0) ? std::numeric_limits<T>::quiet_NaN() : old);
        const T got = c[at(i * ldc + j)];
        if (got != wanted && !(std::isnan(got) && std::isnan(wanted))) {
          return "element " + std::to_string(i) + ", " + std::to_string(j) + " is " + std::to_string(got) +
                 ", not " + std::to_string(wanted);
        }
      }
    }
    return {};
  }
};

template <typename T>
void expect_copied(const Operands<T>& operands, const std::vector<T>& copy, std::int64_t width) {
  for (std::int64_t p = 0; p < operands.depth; ++p) {
    for (std::int64_t j = 0; j < width; ++j) {
      const T wanted = j < operands.columns ? operands.b[at(p * operands.ldb + j)] : T(0);
      ASSERT_EQ(copy[at(p * width + j)], wanted) << p << ", " << j;
    }
  }
  ASSERT_EQ(copy.back(), T(77)) << "beyond the copy";
}

template <typename T>
void expect_exact(
    TileSource<T>& source, const TileForm& form, std::int64_t lanes, std::int64_t depth, T beta) {
  const std::int64_t width = std::int64_t{form.vectors} * source.lanes();
  for (const T alpha : {T(1), T(-2)}) {
    Operands<T> operands(form.rows, width - source.lanes() + lanes, depth, beta);
    std::vector<T> copy(at(depth * width + 1), T(77));
    TileCall<T> call = operands.call(alpha);
    call.last_lanes = form.partial ? lanes : 0;
    call.b_copy = form.copies ? copy.data() : nullptr;
    const Tile<T> tile = source.tile(form);
    ASSERT_NE(tile, nullptr);
    tile(call);
    ASSERT_EQ(operands.difference(alpha), "")
        << form.rows << " x " << width - source.lanes() + lanes << " x " << depth << ", beta " << beta;
    if (form.copies) {
      expect_copied(operands, copy, width);
    }
  }
}

template <typename T>
void expect_all_forms_exact(TileSource<T>& source) {
  for (int vectors = 1; vectors <= source.max_vectors(); ++vectors) {
    for (int rows = 1; rows <= source.max_rows(vectors); ++rows) {
      for (const bool copies : {false, true}) {
        if (copies && rows > source.max_copying_rows()) {
          continue;
        }
        for (int lanes = 1; lanes <= source.lanes(); ++lanes) {
          for (const std::int64_t depth : {1, 3, 4, 7, 29}) {  // of the loops: none, some and all
            expect_exact(source, {rows, vectors, lanes < source.lanes(), copies}, lanes, depth, T(0));
          }
          expect_exact(source, {rows, vectors, lanes < source.lanes(), copies}, lanes, 5, T(1));
          expect_exact(source, {rows, vectors, lanes < source.lanes(), copies}, lanes, 64, T(-1.5));
        }
      }
    }
  }
}

class TilesTest : public testing::TestWithParam<const Kernels*> {};

TEST_P(TilesTest, PortableTilesAreExactInAllForms) {
  expect_all_forms_exact(*make_portable_tiles(GetParam()->tiles_f32));
  expect_all_forms_exact(*make_portable_tiles(GetParam()->tiles_f64));
}

TEST_P(TilesTest, GeneratedTilesAreExactInAllForms) {
  auto f32 = make_generated_tiles<float>({.isa = GetParam()->isa});
  auto f64 = make_generated_tiles<double>({.isa = GetParam()->isa});
  if (GetParam()->isa == Isa::baseline) {
    EXPECT_EQ(f32, nullptr);
    EXPECT_EQ(f64, nullptr);
    return;
  }
  ASSERT_NE(f32, nullptr);
  ASSERT_NE(f64, nullptr);
  expect_all_forms_exact(*f32);
  expect_all_forms_exact(*f64);
}

TEST_P(TilesTest, NotANumberAndInfinityGoTheirWay) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  auto source = make_portable_tiles(GetParam()->tiles_f32);
  auto generated = make_generated_tiles<float>({.isa = GetParam()->isa});
  for (TileSource<float>* tiles : {source.get(), generated.get()}) {
    if (tiles == nullptr) {
      continue;
    }
    Operands<float> operands(2, tiles->lanes(), 2, 0);
    operands.a = {0, 1, 9, 9, 9, 2, 1, 9, 9, 9};  // rows (0, 1) and (2, 1)
    operands.b.assign(operands.b.size(), 1);
    operands.b[0] = kInfinity;
    operands.b[1] = std::numeric_limits<float>::quiet_NaN();
    tiles->tile({2, 1, false, false})(operands.call(1));
    EXPECT_TRUE(std::isnan(operands.c[0])) << "0 x infinity";
    EXPECT_TRUE(std::isnan(operands.c[1]));
    EXPECT_EQ(operands.c[2], 1);
    EXPECT_EQ(operands.c[at(operands.ldc)], kInfinity);
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, TilesTest, testing::ValuesIn(usable_kernels()), [](const auto& tested) {
  return std::string(tested.param->name);
});

}  // namespace
}  // namespace jissoku::backends::cpu::gemm
