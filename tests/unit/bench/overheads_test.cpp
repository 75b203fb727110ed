#include <gtest/gtest.h>

#include "bench/overheads/report.hpp"

namespace jissoku::bench {
namespace {

TEST(BenchOverheads, SharesAreOfSamplesAndWarmUp) {
  const auto costs = verification_costs(R"({"rows": [
    {"id": "one", "device": "cpu:a", "warmup_ns": 100,
     "samples": [{"launches": 10, "host_ns": 20}, {"launches": 10, "host_ns": 70}],
     "verification": {"cost_ns": 30}, "timed_verification": {"cost_ns": 20}},
    {"id": "best", "device": "cpu", "warmup_ns": 100, "samples": [{"launches": 1, "host_ns": 1}],
     "verification": {"cost_ns": 1000}},
    {"id": "none", "device": "cpu:b", "samples": []}]})");
  ASSERT_TRUE(costs.has_value());
  ASSERT_EQ(costs->size(), 1u);
  EXPECT_EQ(costs->front().row, "one");
  EXPECT_DOUBLE_EQ(costs->front().verifying_ns, 50);
  EXPECT_DOUBLE_EQ(costs->front().measuring_ns, 1000);
  EXPECT_DOUBLE_EQ(verification_share(*costs), 0.05);
  EXPECT_EQ(verification_share({}), 0);
}

TEST(BenchOverheads, OtherTextIsNoRunDocument) {
  EXPECT_FALSE(verification_costs("").has_value());
  EXPECT_FALSE(verification_costs("{").has_value());
  EXPECT_FALSE(verification_costs("[]").has_value());
  EXPECT_FALSE(verification_costs(R"({"rows": 3})").has_value());
}

TEST(BenchOverheads, SaysWhetherLimitsAreMet) {
  EXPECT_EQ(text_table({{"start", 49.96, "ms", 50}, {"proof", 5.5, "%", 5}, {"launch", 0.25, "ns", {}}}),
            "start      50.0 ms  limit  50.0 ms  met\n"
            "proof       5.50 %  limit   5.00 %  not met\n"
            "launch    0.250 ns\n");
  EXPECT_TRUE(met({"at the limit", 5, "%", 5}));
}

}  // namespace
}  // namespace jissoku::bench
