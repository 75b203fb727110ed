#include "jissoku/measure/clock.hpp"

#include <gtest/gtest.h>

namespace jissoku::measure {
namespace {

TEST(SystemClock, MovesForward) {
  SystemClock clock;
  const std::int64_t time = clock.now_ns();
  const std::int64_t cpu = clock.process_cpu_ns();
  volatile double sum = 0;
  while (clock.now_ns() - time < 1'000'000) {
    sum = sum + 1;
  }
  EXPECT_GT(clock.now_ns(), time);
  EXPECT_GT(clock.process_cpu_ns(), cpu);
}

TEST(SystemClock, ItsResolutionIsAStepItCanShow) {
  SystemClock clock;
  const std::int64_t resolution = clock.resolution_ns();
  EXPECT_GT(resolution, 0);
  EXPECT_LE(resolution, 100'000'000);
  EXPECT_EQ(clock.resolution_ns(), resolution) << "observed once";
}

TEST(SystemClock, SleepsAtLeastAsLongAsAsked) {
  SystemClock clock;
  const std::int64_t time = clock.now_ns();
  clock.sleep_ns(1'000);
  EXPECT_GE(clock.now_ns() - time, 1'000);
}

}  // namespace
}  // namespace jissoku::measure
