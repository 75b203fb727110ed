// The numbers: computed by the injected device, once, and again as soon as they could be others.
#include <cmath>

#include <gtest/gtest.h>

#include "jissoku/numerics/narrow.hpp"
#include "model_bench.hpp"

namespace jissoku::backends::model {
namespace {

using device::MemoryKind;
using numerics::DataType;

constexpr double kProductNs = 10'000 + 2.0 * 64 * 64 * 64 / 100;  // FP32, 64 x 64 x 64, baseline

TEST(ModelNumerics, ARepeatedProductTakesItsTimeAndIsNotComputedAgain) {
  ModelBench bench;
  const device::Gemm gemm = bench.product(DataType::f32, 64);
  const std::int64_t before = bench.device().computations();
  for (int i = 0; i < 50; ++i) {
    EXPECT_NEAR(bench.launch_ns(gemm), kProductNs + 1000, 1);
  }
  EXPECT_EQ(bench.device().computations() - before, 1);
}

TEST(ModelNumerics, AProductIsComputedAgainWhenAnythingChanged) {
  ModelBench bench;
  device::Gemm gemm = bench.product(DataType::f32, 64);
  const auto computed_by = [&](auto change) {
    bench.launch(gemm);
    change();
    const std::int64_t before = bench.device().computations();
    bench.launch(gemm);
    return bench.device().computations() - before;
  };
  EXPECT_EQ(computed_by([] {}), 0);
  EXPECT_EQ(computed_by([&] { bench.fill(gemm.a, 7); }), 1);
  EXPECT_EQ(computed_by([&] { bench.upload(*gemm.b.buffer, std::vector<float>(std::size_t{64} * 64, 1)); }),
            1);
  EXPECT_EQ(computed_by([&] { bench.fill(gemm.c, 9); }), 1);
  EXPECT_EQ(computed_by([&] { bench.launch(device::Scale{gemm.a, 2}); }), 1);
  EXPECT_EQ(computed_by([&] { gemm.alpha = 2; }), 1);
  EXPECT_EQ(computed_by([&] { gemm.transpose_a = true; }), 1);
  EXPECT_EQ(computed_by([&] {
              device::Gemm other = gemm;
              other.a = gemm.b;
              bench.launch(other);
            }),
            1);
  EXPECT_EQ(computed_by([&] { bench.download<float>(*gemm.c.buffer); }), 0);
  gemm.beta = 1;
  EXPECT_EQ(computed_by([] {}), 1);
}

TEST(ModelNumerics, OperandsCopiedAnewButUnchangedAreNoChange) {
  ModelBench bench;
  const device::Gemm gemm = bench.product(DataType::f32, 64);
  const auto a = bench.download<float>(*gemm.a.buffer);
  bench.launch(gemm);
  const std::int64_t before = bench.device().computations();
  for (int i = 0; i < 5; ++i) {
    bench.upload(*gemm.a.buffer, a);
    bench.launch(gemm);
    bench.download<float>(*gemm.c.buffer);
  }
  EXPECT_EQ(bench.device().computations(), before);
  std::vector<float> other = a;
  other.back() += 1;
  bench.upload(*gemm.a.buffer, other);
  bench.launch(gemm);
  EXPECT_EQ(bench.device().computations(), before + 1);
}

TEST(ModelNumerics, AFreshBufferAtAnOldAddressIsNoRepetition) {
  ModelBench bench;
  device::Gemm gemm = bench.product(DataType::f32, 64);
  bench.launch(gemm);
  for (int i = 0; i < 5; ++i) {
    auto a = bench.allocate(std::size_t{64} * 64 * sizeof(float));
    gemm.a.buffer = a.get();
    bench.upload(*a, std::vector<float>(std::size_t{64} * 64, static_cast<float>(i)));
    const std::int64_t before = bench.device().computations();
    bench.launch(gemm);
    EXPECT_EQ(bench.device().computations() - before, 1);
  }
}

TEST(ModelNumerics, WhatTheHostCanWriteUnseenIsAlwaysComputed) {
  ModelBench bench;
  device::Gemm gemm = bench.product(DataType::f32, 8);
  gemm.a = bench.matrix(DataType::f32, 8, 8, MemoryKind::mapped);
  auto* const values = reinterpret_cast<float*>(gemm.a.buffer->host_data());
  for (const float value : {0.0F, 1.0F}) {
    std::fill_n(values, 64, value);
    bench.launch(gemm);
    const auto c = bench.download<float>(*gemm.c.buffer);
    EXPECT_EQ(c[0] == 0, value == 0);
  }
}

TEST(ModelNumerics, NarrowOperandsAreMultipliedExactlyAsTheyAre) {
  for (const DataType type : {DataType::f16, DataType::bf16, DataType::tf32}) {
    ModelBench bench;
    const device::Gemm gemm = bench.product(type, 5);
    bench.launch(gemm);
    const auto c = bench.download<float>(*gemm.c.buffer);
    const auto operand = [&](const device::TensorView& view) {
      std::vector<float> values;
      if (type == DataType::tf32) {
        return bench.download<float>(*view.buffer);
      }
      for (const std::uint16_t bits : bench.download<std::uint16_t>(*view.buffer)) {
        values.push_back(type == DataType::f16 ? numerics::from_f16(bits) : numerics::from_bf16(bits));
      }
      return values;
    };
    const std::vector<float> a = operand(gemm.a);
    const std::vector<float> b = operand(gemm.b);
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < 5; ++j) {
        double sum = 0;
        for (std::size_t p = 0; p < 5; ++p) {
          sum += static_cast<double>(a[5 * i + p]) * static_cast<double>(b[5 * p + j]);
        }
        EXPECT_FLOAT_EQ(c[5 * i + j], static_cast<float>(sum)) << numerics::to_string(type);
      }
    }
  }
}

TEST(ModelNumerics, Tf32ReadsTenFractionBitsOfWhatWasUploaded) {
  ModelBench bench;
  const device::Gemm gemm = bench.product(DataType::tf32, 1);
  const float value = 1.0003F;  // below half a step of TF32 above 1
  bench.upload(*gemm.a.buffer, std::vector<float>{value});
  bench.upload(*gemm.b.buffer, std::vector<float>{3});
  bench.launch(gemm);
  EXPECT_EQ(bench.download<float>(*gemm.c.buffer).front(), 3);
}

TEST(ModelNumerics, OffsetsPaddingTransposesAndBatchesOfNarrowOperands) {
  ModelBench bench;
  constexpr std::int64_t kBatch = 2;
  const auto placed = [&](DataType type, std::int64_t rows, std::int64_t columns) {
    device::TensorView view = bench.matrix(type, kBatch * rows + 2, columns + 3);
    view.offset_elements = 1;
    view.rows = rows;
    view.columns = columns;
    view.batch = kBatch;
    view.batch_stride = rows * view.leading_dimension;
    return view;
  };
  device::Gemm gemm;
  gemm.transpose_a = true;
  gemm.alpha = 2;
  gemm.a = placed(DataType::f16, 3, 4);  // op(A) is 4 x 3
  gemm.b = placed(DataType::f16, 3, 5);
  gemm.b.batch_stride = 0;  // one B for all
  gemm.c = placed(DataType::f32, 4, 5);
  bench.launch(device::Fill{gemm.a, numerics::Data::ints, 1, 4});
  device::TensorView one = gemm.b;
  one.batch = 1;
  bench.launch(device::Fill{one, numerics::Data::ints, 2, 4});
  bench.launch(gemm);
  const auto a = bench.download<std::uint16_t>(*gemm.a.buffer);
  const auto b = bench.download<std::uint16_t>(*gemm.b.buffer);
  const auto c = bench.download<float>(*gemm.c.buffer);
  const auto at =
      [](const device::TensorView& view, std::int64_t batch, std::int64_t row, std::int64_t column) {
        return static_cast<std::size_t>(view.offset_elements + batch * view.batch_stride +
                                        row * view.leading_dimension + column);
      };
  for (std::int64_t batch = 0; batch < kBatch; ++batch) {
    for (std::int64_t i = 0; i < 4; ++i) {
      for (std::int64_t j = 0; j < 5; ++j) {
        float sum = 0;
        for (std::int64_t p = 0; p < 3; ++p) {
          sum += numerics::from_f16(a[at(gemm.a, batch, p, i)]) * numerics::from_f16(b[at(gemm.b, 0, p, j)]);
        }
        EXPECT_EQ(c[at(gemm.c, batch, i, j)], 2 * sum);
      }
    }
  }
}

TEST(ModelNumerics, CastsRoundToNearestEven) {
  ModelBench bench;
  const device::TensorView wide = bench.matrix(DataType::f32, 1, 3);
  const device::TensorView narrow = bench.matrix(DataType::f16, 1, 3);
  bench.upload(*wide.buffer, std::vector<float>{1.00048828125F, 1.00146484375F, 70000});
  bench.launch(device::Cast{wide, narrow});
  EXPECT_EQ(bench.download<std::uint16_t>(*narrow.buffer),
            (std::vector<std::uint16_t>{0x3C00, 0x3C02, 0x7C00}));
  const device::TensorView back = bench.matrix(DataType::f64, 1, 3);
  bench.launch(device::Cast{narrow, back});
  EXPECT_EQ(bench.download<double>(*back.buffer)[1], 1.001953125);
}

TEST(ModelNumerics, ThePoisonIsThereUntilTheProductIs) {
  ModelBench bench;
  const device::Gemm gemm = bench.product(DataType::f16, 16);
  bench.launch(device::Fill{gemm.c, numerics::Data::normal, 0, 1, true});
  EXPECT_TRUE(std::isnan(bench.download<float>(*gemm.c.buffer).front()));
  bench.launch(gemm);
  EXPECT_FALSE(std::isnan(bench.download<float>(*gemm.c.buffer).front()));
}

TEST(ModelNumerics, WithoutADeviceToComputeWithTheReasonIsGivenUntilThereIsOne) {
  bool there = false;
  ModelBench bench(wide_baseline(), [&]() -> core::Result<std::unique_ptr<device::Device>> {
    return there ? reference_inject()() : core::make_error(core::ExitCode::unavailable, "test.nothing_here");
  });
  device::Gemm gemm = bench.product(DataType::f32, 4);
  for (int i = 0; i < 2; ++i) {
    const device::Support support = bench.device().supports(gemm);
    EXPECT_FALSE(support.ok);
    EXPECT_EQ(support.reason.id, "test.nothing_here");
    EXPECT_FALSE(bench.device().launch(bench.stream(), gemm).ok());
  }
  there = true;
  EXPECT_TRUE(bench.device().launch(bench.stream(), gemm).ok());
}

TEST(ModelNumerics, WhatTheInjectedDeviceLacksIsSaidWithItsReason) {
  ModelBench bench;  // the reference has no triad
  const device::TensorView vector = bench.matrix(DataType::f64, 1, 10);
  const device::Support support = bench.device().supports(device::MemoryTriad{vector, vector, vector});
  ASSERT_FALSE(support.ok);
  EXPECT_EQ(support.reason.id, "model.numerics_lack");
}

TEST(ModelNumerics, TimesAloneTakeNoMemory) {
  Model model = wide_baseline();
  model.parameters.compute = false;
  model.parameters.memory_bytes = std::int64_t{1} << 50;
  ModelBench bench(model, nullptr);
  const device::Gemm gemm = bench.product(DataType::f32, 1 << 21);  // 16 TiB each
  const double wanted_ns = 10'000 + std::pow(2, 64) / 100;
  EXPECT_NEAR(bench.launch_ns(gemm), wanted_ns + 1000, 1e-9 * wanted_ns);
}

}  // namespace
}  // namespace jissoku::backends::model
