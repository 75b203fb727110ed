// The ceilings on the real CPU: the fakes take any probe, the device checks what it is asked.
#include "jissoku/experiments/ceilings.hpp"

#include <gtest/gtest.h>

#include "jissoku/cli/registration.hpp"
#include "support/fake_device.hpp"

namespace jissoku::experiments {
namespace {

TEST(Ceilings, TheCpuHasAMultiplyAddPeakAndABandwidth) {
  const device::Registry registry = cli::make_registry();
  device::OpenOptions options;
  options.threads = 1;
  auto session = open_session(registry, "cpu", options);
  ASSERT_TRUE(session.ok());
  measure::SystemClock clock;
  for (const numerics::DataType type : {numerics::DataType::f32, numerics::DataType::f64}) {
    const auto fma = measure_fma(*session, type, clock);
    ASSERT_TRUE(fma);
    EXPECT_GT(fma->ceiling.per_second, 1e8);
    EXPECT_GT(fma->operation.flops, 0);
    for (const document::Ceiling& other : fma->others) {
      EXPECT_LE(other.per_second, fma->ceiling.per_second);
      EXPECT_EQ(other.kind, "measured_fma_other");
    }
  }
  EXPECT_FALSE(measure_fma(*session, numerics::DataType::e4m3, clock)) << "no such arithmetic here";
  const auto memory = measure_memory(*session, core::probe_machine(), clock);
  ASSERT_TRUE(memory);
  EXPECT_GT(memory->per_second, 1e8);
}

// A first launch that waits for sleeping threads must not leave a probe that measures their starting.
TEST(Ceilings, AProbeLastsThoughTheFirstLaunchesWereSlow) {
  tests::FakeClock clock;
  tests::FakeDeviceOptions options;
  options.id = "cpu";
  options.fma_gflops = 100;
  options.launch_ns = 200'000;
  options.noise = 0;
  options.slowdown = [](std::int64_t launch) { return launch < 3 ? 60.0 : 1.0; };
  device::Registry registry;
  registry.add(tests::make_fake_backend(clock, {options}));
  auto session = open_session(registry, "cpu", {});
  ASSERT_TRUE(session.ok());
  const auto fma = measure_fma(*session, numerics::DataType::f32, clock);
  ASSERT_TRUE(fma);
  EXPECT_GE(fma->operation.flops / 100e9 * 1e9, 0.65 * kProbeNs);
  EXPECT_GT(fma->ceiling.per_second, 0.95 * 100e9);
}

}  // namespace
}  // namespace jissoku::experiments
