// The ceilings on the real CPU: the fakes take any probe, the device checks what it is asked.
#include "jissoku/experiments/ceilings.hpp"

#include <gtest/gtest.h>

#include "jissoku/cli/registration.hpp"

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

}  // namespace
}  // namespace jissoku::experiments
