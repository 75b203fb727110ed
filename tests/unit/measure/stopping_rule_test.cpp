#include "jissoku/measure/stopping_rule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jissoku::measure {
namespace {

Measurement measurement(const std::vector<double>& times_ns, const std::vector<double>& probes_ns) {
  Measurement one;
  for (std::size_t i = 0; i < times_ns.size(); ++i) {
    Sample sample;
    sample.host_ns = times_ns[i];
    sample.probe_ns = probes_ns[i];
    one.rounds.push_back(sample);
  }
  return one;
}

TEST(StoppingRule, ChecksAreFewAndFixed) {
  std::vector<int> checks;
  for (int rounds = 0; rounds <= 130; ++rounds) {
    if (is_check(rounds)) {
      checks.push_back(rounds);
    }
  }
  EXPECT_THAT(checks, testing::ElementsAre(12, 20, 30, 40, 60, 80, 100, 120));
}

TEST(StoppingRule, TwoChecksInARowMustAgree) {
  StoppingRule rule;
  EXPECT_FALSE(rule.stop(true));
  EXPECT_FALSE(rule.stop(false));
  EXPECT_FALSE(rule.stop(true));
  EXPECT_TRUE(rule.stop(true));
}

TEST(StoppingRule, TimeOverProbeIsTakenRoundByRound) {
  const auto share = share_of_probe(measurement({30, 45, 40}, {10, 15, 20}));
  ASSERT_TRUE(share);
  EXPECT_DOUBLE_EQ(share->value, 1.0 / 3);
  EXPECT_FALSE(share_of_probe(measurement({30, 45}, {10, 0}))) << "a round without a probe";
}

TEST(StoppingRule, EitherIntervalMayReachTheTarget) {
  const std::vector<double> steady(12, 30.0), none(12, 0.0);
  const std::vector<double> phases = {20, 20, 20, 30, 30, 30, 20, 20, 20, 30, 30, 30};
  EXPECT_TRUE(reached_target(measurement(steady, none), 0.02));
  EXPECT_TRUE(reached_target(measurement(steady, phases), 0.02));
  EXPECT_TRUE(reached_target(measurement(phases, phases), 0.02));
  EXPECT_FALSE(reached_target(measurement(phases, steady), 0.02));
  EXPECT_FALSE(reached_target(measurement(phases, none), 0.02));
  EXPECT_FALSE(reached_target(measurement({30, 30, 30, 30}, {0, 0, 0, 0}), 0.02)) << "no interval yet";
  EXPECT_FALSE(reached_target(Measurement{}, 0.02));
}

}  // namespace
}  // namespace jissoku::measure
