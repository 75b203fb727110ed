// Times in closed form, computed by hand.
#include "jissoku/backends/model/timing.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "jissoku/backends/model/table.hpp"

namespace jissoku::backends::model {
namespace {

using numerics::DataType;

device::TensorView view_of(DataType type, std::int64_t rows, std::int64_t columns) {
  device::TensorView view;
  view.type = type;
  view.rows = rows;
  view.columns = view.leading_dimension = columns;
  return view;
}

device::Gemm gemm_of(DataType type, std::int64_t m, std::int64_t n, std::int64_t k) {
  device::Gemm gemm;
  gemm.accumulator = type == DataType::f64 ? DataType::f64 : DataType::f32;
  gemm.a = view_of(type, m, k);
  gemm.b = view_of(type, k, n);
  gemm.c = view_of(gemm.accumulator, m, n);
  return gemm;
}

double time_of(const Parameters& parameters, const device::Operation& operation) {
  return expected_ns(parameters, kernel_of(parameters, operation));
}

TEST(ModelTiming, ABaselineProductIsItsArithmeticAndTheLaunch) {
  const Parameters baseline = baseline_model().parameters;
  // 2e9 operations at 100 and 50 GFLOPS, and 10 us.
  EXPECT_DOUBLE_EQ(time_of(baseline, gemm_of(DataType::f32, 1000, 1000, 1000)), 20'010'000);
  EXPECT_DOUBLE_EQ(time_of(baseline, gemm_of(DataType::f64, 1000, 1000, 1000)), 40'010'000);
}

TEST(ModelTiming, AProductWithLittleArithmeticIsItsTraffic) {
  const Parameters baseline = baseline_model().parameters;
  device::Gemm outer = gemm_of(DataType::f32, 1000, 1000, 1);
  // 2e6 operations take 20 us; 4,008,000 bytes at 20 GB/s take 200.4 us.
  EXPECT_DOUBLE_EQ(time_of(baseline, outer), 210'400);
  outer.beta = 1;  // C is read, too
  EXPECT_DOUBLE_EQ(time_of(baseline, outer), 410'400);
}

TEST(ModelTiming, OperandsInHostMemoryCrossTheLink) {
  const Parameters baseline = baseline_model().parameters;
  const device::Gemm outer = gemm_of(DataType::f32, 1000, 1000, 1);
  const Kernel kernel = kernel_of(baseline, outer, {false, false, true});
  EXPECT_DOUBLE_EQ(kernel.link_bytes, 4e6);
  EXPECT_DOUBLE_EQ(kernel.memory_bytes, 8000);
  EXPECT_DOUBLE_EQ(expected_ns(baseline, kernel), 410'000);  // 4 MB at 10 GB/s
}

TEST(ModelTiming, SharesSlowDownWhatTheyAreSharesOf) {
  Parameters parameters = baseline_model().parameters;
  parameters.rates[DataType::f32].reachable_share = 0.5;
  parameters.memory_reachable_share = 0.8;
  EXPECT_DOUBLE_EQ(time_of(parameters, gemm_of(DataType::f32, 1000, 1000, 1000)), 40'010'000);
  EXPECT_DOUBLE_EQ(time_of(parameters, gemm_of(DataType::f32, 1000, 1000, 1)), 260'500);
}

TEST(ModelTiming, ShapesArePaddedToTilesAndTilesRunInWaves) {
  Parameters parameters;
  EXPECT_DOUBLE_EQ(shape_efficiency(parameters, 129, 1, 7, 1), 1);
  parameters.tile = {128, 128, 32};
  EXPECT_DOUBLE_EQ(shape_efficiency(parameters, 128, 256, 64, 3), 1);
  EXPECT_DOUBLE_EQ(shape_efficiency(parameters, 129, 128, 32, 1), 129.0 / 256);
  EXPECT_DOUBLE_EQ(shape_efficiency(parameters, 64, 32, 8, 1), 0.5 * 0.25 * 0.25);
  parameters.compute_units = 40;
  EXPECT_DOUBLE_EQ(shape_efficiency(parameters, 128, 128, 32, 1), 1.0 / 40);
  EXPECT_DOUBLE_EQ(shape_efficiency(parameters, 128, 128, 32, 40), 1);
  EXPECT_DOUBLE_EQ(shape_efficiency(parameters, 128, 128, 32, 41), 41.0 / 80);
}

TEST(ModelTiming, ProbesAreAllOfThePeak) {
  Parameters parameters = baseline_model().parameters;
  parameters.rates[DataType::f32].reachable_share = 0.5;
  device::FmaPeak peak;
  peak.flops = 1e9;
  EXPECT_DOUBLE_EQ(time_of(parameters, peak), 10'010'000);
  const device::TensorView vector = view_of(DataType::f64, 1, 1'000'000);
  EXPECT_DOUBLE_EQ(time_of(parameters, device::MemoryTriad{vector, vector, vector}), 1'210'000);
}

TEST(ModelTiming, WhatIsReadAndWrittenCountsTwice) {
  const Parameters baseline = baseline_model().parameters;
  const device::TensorView matrix = view_of(DataType::f32, 1000, 1000);
  EXPECT_DOUBLE_EQ(time_of(baseline, device::Scale{matrix, 2}), 410'000);
  EXPECT_DOUBLE_EQ(time_of(baseline, device::Fill{matrix}), 210'000);
  EXPECT_DOUBLE_EQ(time_of(baseline, device::Cast{matrix, view_of(DataType::f16, 1000, 1000)}), 310'000);
}

TEST(ModelTiming, CopiesAreLatencyAndBytesByRoute) {
  const Parameters baseline = baseline_model().parameters;
  EXPECT_DOUBLE_EQ(expected_ns(baseline, Copy{Route::pinned, 1e6}), 110'000);
  EXPECT_DOUBLE_EQ(expected_ns(baseline, Copy{Route::pageable, 1e6}), 210'000);
  EXPECT_DOUBLE_EQ(expected_ns(baseline, Copy{Route::within_device, 1e6}), 110'000);
  EXPECT_DOUBLE_EQ(expected_ns(baseline, Copy{Route::pinned, 0}), 10'000);
}

TEST(ModelTiming, WithoutNoiseAllDrawsAreTheMean) {
  const Parameters baseline = baseline_model().parameters;
  for (std::uint64_t index = 0; index < 100; ++index) {
    EXPECT_EQ(duration_ns(baseline, Copy{Route::pinned, 1e6}, index), 110'000);
  }
}

TEST(ModelTiming, NoiseHasMeanOneAndTheSigmaAskedFor) {
  Parameters parameters = baseline_model().parameters;
  parameters.noise_sigma = 0.05;
  constexpr int kDraws = 20'000;
  const Work work = Copy{Route::pinned, 1e9};
  double sum = 0;
  double logs = 0;
  double squares = 0;
  for (std::uint64_t index = 0; index < kDraws; ++index) {
    const double ratio =
        static_cast<double>(duration_ns(parameters, work, index)) / expected_ns(parameters, work);
    sum += ratio;
    logs += std::log(ratio);
    squares += std::log(ratio) * std::log(ratio);
  }
  const double mean = logs / kDraws;
  EXPECT_NEAR(sum / kDraws, 1, 4 * 0.05 / std::sqrt(kDraws));
  EXPECT_NEAR(std::sqrt(squares / kDraws - mean * mean), 0.05, 0.001);
}

TEST(ModelTiming, JitterAddsItsMeanToKernelsOnly) {
  Parameters parameters = baseline_model().parameters;
  parameters.launch_jitter_ns = 5000;
  EXPECT_DOUBLE_EQ(expected_ns(parameters, Kernel{}), 15'000);
  EXPECT_DOUBLE_EQ(expected_ns(parameters, Copy{}), 10'000);
  constexpr int kDraws = 20'000;
  double sum = 0;
  for (std::uint64_t index = 0; index < kDraws; ++index) {
    const std::int64_t one = duration_ns(parameters, Kernel{}, index);
    EXPECT_GE(one, 10'000);
    sum += static_cast<double>(one);
  }
  EXPECT_NEAR(sum / kDraws, 15'000, 4 * 5000 / std::sqrt(kDraws));
}

TEST(ModelTiming, DrawsDependOnSeedAndNumberOnly) {
  Parameters parameters = baseline_model().parameters;
  parameters.noise_sigma = 0.05;
  const auto draw = [&](std::uint64_t seed) {
    parameters.seed = seed;
    std::vector<std::int64_t> draws;
    for (std::uint64_t index = 0; index < 50; ++index) {
      draws.push_back(duration_ns(parameters, Copy{Route::pinned, 1e9}, index));
    }
    return draws;
  };
  EXPECT_EQ(draw(1), draw(1));
  EXPECT_NE(draw(1), draw(2));
  EXPECT_NE(draw(1).front(), draw(1).back());
}

}  // namespace
}  // namespace jissoku::backends::model
