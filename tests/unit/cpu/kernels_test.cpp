#include "jissoku/backends/cpu/kernels.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "jissoku/backends/cpu/team_operations.hpp"

namespace jissoku::backends::cpu {
namespace {

class KernelsTest : public testing::TestWithParam<const Kernels*> {};

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
