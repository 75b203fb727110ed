#include "jissoku/measure/foreign_load.hpp"

#include <unistd.h>

#include <gtest/gtest.h>

namespace jissoku::measure {
namespace {

constexpr double kTick = 1e7;  // 100 a second

//                             user nice system idle iowait irq softirq steal guest guest_nice
constexpr const char* kText =
    "cpu  1000 20 300 5000 40 5 6 70 900 0\n"
    "cpu0 500 10 150 2500 20 3 3 35 450 0\n"
    "cpu1 500 10 150 2500 20 2 3 35 450 0\n"
    "intr 12345 1 2 3\nctxt 99\nbtime 1700000000\n";

TEST(ForeignLoad, ReadsTheKernelsCounts) {
  const CpuUsage usage = parse_cpu_usage(kText, 100);
  EXPECT_TRUE(usage.valid);
  EXPECT_EQ(usage.cpus, 2);
  EXPECT_DOUBLE_EQ(usage.total_ns, (1000 + 20 + 300 + 5000 + 40 + 5 + 6 + 70) * kTick);
  EXPECT_DOUBLE_EQ(usage.busy_ns, (1000 + 20 + 300 + 5 + 6) * kTick) << "guest time is part of user time";
  EXPECT_DOUBLE_EQ(usage.steal_ns, 70 * kTick);
}

TEST(ForeignLoad, WhatIsNotProcStatIsInvalid) {
  for (const char* text : {"",
                           "cpu",
                           "cpu 1 2 3\n",
                           "cpu a b c d e f g h\ncpu0 1 2 3 4 5 6 7 8\n",
                           "cpu 1 2 3 4 5 6 7 8\n",
                           "cpuset 1 2 3 4 5 6 7 8\n",
                           "\n\n\n"}) {
    EXPECT_FALSE(parse_cpu_usage(text, 100).valid) << text;
  }
}

CpuUsage usage(double total_s, double busy_s, double steal_s, double own_s) {
  CpuUsage one;
  one.total_ns = total_s * 1e9;
  one.busy_ns = busy_s * 1e9;
  one.steal_ns = steal_s * 1e9;
  one.own_ns = own_s * 1e9;
  one.cpus = 2;
  one.valid = true;
  return one;
}

TEST(ForeignLoad, IsWhatIsBusyAndNotOurs) {
  const ForeignLoad load = foreign_load(usage(10, 5, 1, 3), usage(12, 6.5, 1.2, 4));
  EXPECT_DOUBLE_EQ(load.foreign_share, 0.25);
  EXPECT_DOUBLE_EQ(load.steal_share, 0.1);
}

TEST(ForeignLoad, IsNeverNegative) {
  // The kernel's ticks lag behind our exact CPU time.
  EXPECT_EQ(foreign_load(usage(10, 5, 1, 3), usage(12, 5.9, 1, 4)).foreign_share, 0);
}

TEST(ForeignLoad, ShortOrInvalidSpansGiveNothing) {
  EXPECT_EQ(foreign_load(usage(10, 5, 1, 3), usage(10.19, 5.19, 1.1, 3)).foreign_share, 0);
  EXPECT_GT(foreign_load(usage(10, 5, 1, 3), usage(10.21, 5.19, 1.1, 3)).foreign_share, 0.8);
  CpuUsage invalid = usage(12, 6.5, 1.2, 4);
  invalid.valid = false;
  EXPECT_EQ(foreign_load(usage(10, 5, 1, 3), invalid).foreign_share, 0);
  EXPECT_EQ(foreign_load(invalid, usage(14, 8, 2, 4)).steal_share, 0);
}

TEST(ForeignLoad, ReadsThisMachine) {
  if (access("/proc/stat", R_OK) != 0) {
    GTEST_SKIP() << "no /proc/stat here";
  }
  const CpuUsage now = read_cpu_usage();
  EXPECT_TRUE(now.valid);
  EXPECT_GE(now.cpus, 1);
  EXPECT_GT(now.own_ns, 0);
  EXPECT_GT(now.total_ns, now.busy_ns);
}

}  // namespace
}  // namespace jissoku::measure
