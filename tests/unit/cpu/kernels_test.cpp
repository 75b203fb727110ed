#include "jissoku/backends/cpu/kernels.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "jissoku/backends/cpu/team_operations.hpp"

namespace jissoku::backends::cpu {
namespace {

/// Panels of small integers: every sum is exact.
template <typename T>
void expect_exact_tile(const TileKernel<T>& kernel, std::int64_t depth) {
  const auto at = [](auto index) { return static_cast<std::size_t>(index); };
  std::vector<T> a(at(depth * kernel.rows));
  std::vector<T> b(at(depth * kernel.columns));
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<T>(static_cast<int>(i % 7) - 3);
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] = static_cast<T>(static_cast<int>(i % 5) - 2);
  }
  std::vector<T> out(at(kernel.rows * kernel.columns), std::numeric_limits<T>::quiet_NaN());
  kernel.multiply(depth, a.data(), b.data(), out.data());
  for (int i = 0; i < kernel.rows; ++i) {
    for (int j = 0; j < kernel.columns; ++j) {
      T sum = 0;
      for (std::int64_t p = 0; p < depth; ++p) {
        sum += a[at(p * kernel.rows + i)] * b[at(p * kernel.columns + j)];
      }
      ASSERT_EQ(out[at(i * kernel.columns + j)], sum) << i << ", " << j << " of depth " << depth;
    }
  }
}

class KernelsTest : public testing::TestWithParam<const Kernels*> {};

TEST_P(KernelsTest, TilesAreExactOnIntegers) {
  for (const std::int64_t depth : {0, 1, 2, 3, 17, 256}) {
    expect_exact_tile(GetParam()->tile_f32, depth);
    expect_exact_tile(GetParam()->tile_f64, depth);
  }
}

/// Chain i starts at (i + 1) / 2 and each step halves its distance to 1: the sum over the chains and
/// lanes after `steps` is lanes * sum_i (1 + ((i + 1) / 2 - 1) / 2^steps). Few steps are exact.
void expect_all_steps_made(const PeakKernel& kernel, int lanes) {
  const double chains = kernel.flops_per_step / 2 / lanes;
  for (const int steps : {0, 1, 2, 5}) {
    double expected = 0;
    for (int i = 0; i < static_cast<int>(chains); ++i) {
      expected += lanes * (1 + ((i + 1) / 2.0 - 1) / std::exp2(steps));
    }
    EXPECT_EQ(kernel.run(steps), expected) << steps << " steps";
  }
  EXPECT_GE(chains, 12);
}

TEST_P(KernelsTest, PeakMakesTheStepsItIsAskedFor) {
  const int bytes = GetParam()->isa == Isa::avx512 ? 64 : GetParam()->isa == Isa::avx2 ? 32 : 16;
  expect_all_steps_made(GetParam()->peak_f32, bytes / 4);
  expect_all_steps_made(GetParam()->peak_f64, bytes / 8);
}

TEST_P(KernelsTest, PeakRoundsUpByLessThanAMillionth) {
  for (const double flops : {1e9, 1e9 + 1, 3.3e9 + 7, 1e12}) {
    for (const numerics::DataType type : {numerics::DataType::f32, numerics::DataType::f64}) {
      const double done = fma_peak_flops(*GetParam(), {type, flops, {}});
      EXPECT_GE(done, flops);
      EXPECT_LT(done - flops, 1e-6 * flops);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, KernelsTest, testing::ValuesIn(usable_kernels()), [](const auto& tested) {
  return std::string(tested.param->name);
});

}  // namespace
}  // namespace jissoku::backends::cpu
