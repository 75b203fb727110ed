// A modelled device as a program meets it: memory, copies, streams, and whose time passes.
#include <gtest/gtest.h>

#include "jissoku/experiments/session.hpp"
#include "jissoku/measure/virtual_clock.hpp"
#include "model_bench.hpp"

namespace jissoku::backends::model {
namespace {

using device::MemoryKind;
using numerics::DataType;

constexpr double kCallNs = 1000;  // of the baseline

TEST(ModelDevice, HidesItsMemoryAndShowsTheHosts) {
  ModelBench bench;
  EXPECT_EQ(bench.allocate(64)->host_data(), nullptr);
  for (const MemoryKind kind : {MemoryKind::pageable, MemoryKind::pinned, MemoryKind::mapped}) {
    auto buffer = bench.allocate(64, kind);
    EXPECT_NE(buffer->host_data(), nullptr);
    EXPECT_EQ(buffer->kind(), kind);
    EXPECT_EQ(bench.device().memory_in_use_bytes(), 0);
  }
}

TEST(ModelDevice, RunsOutOfMemoryAsTheCardWould) {
  ModelBench bench;
  auto most = bench.allocate(15'000'000'000);  // nothing is touched, so it may be more than is here
  EXPECT_EQ(bench.device().memory_in_use_bytes(), 15'000'000'000);
  const auto refused = bench.device().allocate(1'000'000'001, MemoryKind::device);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().exit_code, core::ExitCode::unavailable);
  EXPECT_EQ(refused.error().message.id, "model.out_of_memory");
  EXPECT_EQ(*refused.error().message.find("available"), core::Value(1e9));
  most.reset();
  EXPECT_TRUE(bench.device().allocate(1'000'000'001, MemoryKind::device).ok());
}

TEST(ModelDevice, SaysSoWhenThisMachineHasLessMemoryThanTheModel) {
  Model model = wide_baseline();
  model.parameters.memory_bytes = std::int64_t{1} << 50;
  ModelBench bench(model);
  const std::int64_t columns = std::int64_t{1} << 46;
  auto buffer = bench.allocate(static_cast<std::size_t>(columns) * sizeof(float));
  device::Fill fill;
  fill.out.buffer = buffer.get();
  fill.out.rows = 1;
  fill.out.columns = fill.out.leading_dimension = columns;
  const core::Status launched = bench.device().launch(bench.stream(), fill);
  ASSERT_FALSE(launched.ok());
  EXPECT_EQ(launched.error().message.id, "device.out_of_memory");
}

TEST(ModelDevice, CopiesTakeTheTimeOfTheirRoute) {
  ModelBench bench;
  constexpr std::size_t kBytes = 1'000'000;
  auto first = bench.allocate(kBytes);
  auto second = bench.allocate(kBytes);
  auto pinned = bench.allocate(kBytes, MemoryKind::pinned);
  auto mapped = bench.allocate(kBytes, MemoryKind::mapped);
  auto pageable = bench.allocate(kBytes, MemoryKind::pageable);
  const auto copied_ns = [&](device::Buffer& dst, device::Buffer& src) {
    return bench.timed_ns([&] { return bench.device().copy(bench.stream(), {&dst, 0, &src, 0, kBytes}); });
  };
  EXPECT_DOUBLE_EQ(copied_ns(*first, *pinned), 110'000 + kCallNs);
  EXPECT_DOUBLE_EQ(copied_ns(*pinned, *first), 110'000 + kCallNs);
  EXPECT_DOUBLE_EQ(copied_ns(*mapped, *first), 110'000 + kCallNs);
  EXPECT_DOUBLE_EQ(copied_ns(*second, *first), 110'000 + kCallNs);
  // The host waits for it, and only then records the second event.
  EXPECT_DOUBLE_EQ(copied_ns(*first, *pageable), 210'000 + 2 * kCallNs);
}

TEST(ModelDevice, OnlyPageableCopiesHoldUpTheHost) {
  ModelBench bench;
  constexpr std::size_t kBytes = 1'000'000;
  auto buffer = bench.allocate(kBytes);
  for (const auto& [kind, wanted_ns] :
       {std::pair{MemoryKind::pinned, std::int64_t{1000}}, {MemoryKind::pageable, std::int64_t{211'000}}}) {
    auto host = bench.allocate(kBytes, kind);
    const std::int64_t before_ns = bench.now_ns();
    ASSERT_TRUE(bench.device().copy(bench.stream(), {buffer.get(), 0, host.get(), 0, kBytes}).ok());
    EXPECT_EQ(bench.now_ns() - before_ns, wanted_ns);
    ASSERT_TRUE(bench.device().synchronise(bench.stream()).ok());
    EXPECT_GE(bench.now_ns() - before_ns, 111'000);
  }
}

TEST(ModelDevice, TheHostGoesOnWhileItWorksAndStreamsKeepOrder) {
  ModelBench bench;
  device::FmaPeak peak;
  peak.flops = 1e9;  // 10 ms + 10 us
  const std::int64_t before_ns = bench.now_ns();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(bench.device().launch(bench.stream(), peak).ok());
  }
  EXPECT_EQ(bench.now_ns() - before_ns, 3000);
  ASSERT_TRUE(bench.device().synchronise(bench.stream()).ok());
  EXPECT_EQ(bench.now_ns() - before_ns, 1000 + 3 * 10'010'000);
}

TEST(ModelDevice, StreamsWorkAtTheSameTimeUnlessOneWaits) {
  ModelBench bench;
  ModelDevice& device = bench.device();
  auto second = device.create_stream().value();
  auto event = device.create_event().value();
  device::FmaPeak peak;
  peak.flops = 1e9;
  ASSERT_TRUE(device.launch(bench.stream(), peak).ok());
  ASSERT_TRUE(device.record(bench.stream(), *event).ok());
  ASSERT_TRUE(device.launch(*second, peak).ok());
  ASSERT_TRUE(device.synchronise(bench.stream()).ok());
  ASSERT_TRUE(device.synchronise(*second).ok());
  EXPECT_EQ(bench.now_ns(), 3000 + 10'010'000);

  const std::int64_t before_ns = bench.now_ns();
  ASSERT_TRUE(device.launch(bench.stream(), peak).ok());
  ASSERT_TRUE(device.record(bench.stream(), *event).ok());
  ASSERT_TRUE(device.wait(*second, *event).ok());
  ASSERT_TRUE(device.launch(*second, peak).ok());
  ASSERT_TRUE(device.synchronise(*second).ok());
  EXPECT_EQ(bench.now_ns() - before_ns, 1000 + 2 * 10'010'000);
}

TEST(ModelDevice, TimeThatPassesOnTheHostIsIdleTimeOfTheDevice) {
  ModelBench bench;
  measure::VirtualClock clock(*bench.device().virtual_time());
  EXPECT_DOUBLE_EQ(bench.timed_ns([&] {
    clock.sleep_ns(5'000'000);
    return core::Status{};
  }),
                   5'000'000 + kCallNs);
}

TEST(ModelDevice, SubjectsAreTimedOnItsClock) {
  Model model = baseline_model();
  model.parameters.compute = false;
  experiments::Session session;
  session.device = std::make_unique<ModelDevice>(model, std::make_shared<HostTime>(), nullptr);
  session.stream = session.device->create_stream().value();
  session.start = session.device->create_event().value();
  session.stop = session.device->create_event().value();
  measure::VirtualClock clock(*session.device->virtual_time());
  device::FmaPeak peak;
  peak.flops = 1e9;
  const auto timing = experiments::DeviceSubject(session, peak, clock).run(2);
  ASSERT_TRUE(timing.ok());
  EXPECT_DOUBLE_EQ(timing->host_ns, 2 * kCallNs + 2 * 10'010'000);
  EXPECT_DOUBLE_EQ(*timing->device_ns, kCallNs + 2 * 10'010'000);
}

TEST(ModelDevice, RefusesWhatTheHardwareLacksWithItsReason) {
  Model model = wide_baseline();
  model.parameters.rates[DataType::bf16] = {0, 1, core::message("test.no_bf16")};
  ModelBench bench(model);
  const auto reason = [&](const device::Operation& operation) {
    const device::Support support = bench.device().supports(operation);
    EXPECT_FALSE(support.ok);
    EXPECT_FALSE(bench.device().launch(bench.stream(), operation).ok());
    return support.reason.id;
  };
  device::Gemm gemm = bench.product(DataType::f16, 4);
  EXPECT_TRUE(bench.device().supports(gemm).ok);
  gemm.variant = "fast";
  EXPECT_EQ(reason(gemm), "device.only_default_variant");
  gemm.variant.clear();
  gemm.accumulator = DataType::f16;
  EXPECT_EQ(reason(gemm), "model.accumulator");
  gemm.accumulator = DataType::f32;
  gemm.c.type = DataType::f16;
  EXPECT_EQ(reason(gemm), "model.accumulator");
  gemm.c.type = DataType::f32;
  gemm.a.type = gemm.b.type = DataType::bf16;
  EXPECT_EQ(reason(gemm), "test.no_bf16");
  gemm.a.type = gemm.b.type = DataType::e4m3;
  EXPECT_EQ(reason(gemm), "model.format_not_modelled");
  gemm = bench.product(DataType::f32, 4);
  gemm.a.scale_block = 2;
  EXPECT_EQ(reason(gemm), "device.scales_unsupported");
  EXPECT_EQ(reason(device::Scale{bench.matrix(DataType::f16, 2, 2), 2}), "device.type_unsupported");
  EXPECT_EQ(reason(device::Cast{bench.matrix(DataType::f64, 2, 2), bench.matrix(DataType::f16, 2, 2)}),
            "model.cast");
  device::FmaPeak peak;
  peak.flops = 1;
  peak.type = DataType::bf16;
  EXPECT_EQ(reason(peak), "test.no_bf16");
}

TEST(ModelDevice, RefusesMemoryThatKernelsCannotAddress) {
  ModelBench bench;
  const auto refused = [&](const device::Operation& operation) {
    const core::Status launched = bench.device().launch(bench.stream(), operation);
    return launched ? std::string() : launched.error().message.id;
  };
  EXPECT_EQ(refused(device::Fill{bench.matrix(DataType::f32, 2, 2, MemoryKind::pageable)}),
            "model.pageable_operand");
  EXPECT_EQ(refused(device::Fill{bench.matrix(DataType::f32, 2, 2, MemoryKind::mapped)}), "");
  auto stranger = reference_inject()().value();
  auto buffer = stranger->allocate(64, MemoryKind::pageable).value();
  device::Fill fill;
  fill.out.buffer = buffer.get();
  fill.out.rows = fill.out.columns = fill.out.leading_dimension = 2;
  EXPECT_EQ(refused(fill), "model.foreign_buffer");
  auto own = bench.allocate(64);
  EXPECT_EQ(bench.device().copy(bench.stream(), {own.get(), 0, buffer.get(), 0, 8}).error().message.id,
            "model.foreign_buffer");
}

TEST(ModelDevice, RepeatsItselfBySeed) {
  const auto times = [](std::uint64_t seed) {
    Model model = baseline_model();
    model.parameters.noise_sigma = 0.05;
    model.parameters.launch_jitter_ns = 500;
    model.parameters.seed = seed;
    model.parameters.compute = false;
    ModelBench bench(model);
    const device::Gemm gemm = bench.product(DataType::f32, 256);
    std::vector<double> found;
    found.reserve(20);
    for (int i = 0; i < 20; ++i) {
      found.push_back(bench.launch_ns(gemm));
    }
    return found;
  };
  EXPECT_EQ(times(3), times(3));
  EXPECT_NE(times(3), times(4));
}

}  // namespace
}  // namespace jissoku::backends::model
