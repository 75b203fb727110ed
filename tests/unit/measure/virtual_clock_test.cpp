#include "jissoku/measure/virtual_clock.hpp"

#include <gtest/gtest.h>

namespace jissoku::measure {
namespace {

class Time final : public device::VirtualTime {
 public:
  std::int64_t now_ns() const override { return now_ns_; }
  void advance_ns(std::int64_t duration_ns) override { now_ns_ += duration_ns; }

 private:
  std::int64_t now_ns_ = 100;
};

TEST(VirtualClock, IsTheDevicesTimeAndSleepingPassesIt) {
  Time time;
  VirtualClock clock(time);
  EXPECT_EQ(clock.now_ns(), 100);
  time.advance_ns(5);
  EXPECT_EQ(clock.now_ns(), 105);
  clock.sleep_ns(1000);
  EXPECT_EQ(time.now_ns(), 1105);
  clock.sleep_ns(-1000);
  EXPECT_EQ(time.now_ns(), 1105);
  EXPECT_EQ(clock.process_cpu_ns(), 1105);
  EXPECT_EQ(clock.resolution_ns(), 1);
}

}  // namespace
}  // namespace jissoku::measure
