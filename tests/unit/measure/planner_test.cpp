#include "jissoku/measure/planner.hpp"

#include <gtest/gtest.h>

namespace jissoku::measure {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSample = 30 * kMs;
constexpr std::int64_t kMemory = 1'000'000'000;

CaseCost one_case(const std::string& id, double launch_ms, int subjects = 1, double set_up_ms = 0) {
  return {id, launch_ms * kMs, subjects, set_up_ms * kMs, 1000};
}

TEST(Planner, CostByHand) {
  // A short launch: 20 set-up + 2 subjects x (1 first + 6 samples of 30 with probes of 30).
  EXPECT_DOUBLE_EQ(cost_ns(one_case("a", 1, 2, 20), 5, kSample), (20 + 2 * (1 + 6 * 60.0)) * kMs);
  // A long one is a sample by itself.
  EXPECT_DOUBLE_EQ(cost_ns(one_case("a", 100), 20, kSample), (100 + 21 * 130.0) * kMs);
}

TEST(Planner, NothingToPlan) {
  const Plan plan = plan_cases({}, 1000 * kMs, kSample, kMemory);
  EXPECT_TRUE(plan.cases.empty());
  EXPECT_EQ(plan.predicted_ns, 0);
  EXPECT_EQ(plan.budget_ns, 1000 * kMs);
}

TEST(Planner, ACaseAloneGetsTheWholeBudget) {
  const Plan plan = plan_cases({one_case("a", 100)}, 60'000 * kMs, kSample, kMemory);
  EXPECT_TRUE(plan.cases[0].run);
  EXPECT_EQ(plan.cases[0].budget_ns, 60'000 * kMs);
  EXPECT_DOUBLE_EQ(plan.cases[0].predicted_ns, 2830.0 * kMs) << "20 rounds";
  EXPECT_DOUBLE_EQ(plan.predicted_ns, 2830.0 * kMs);
  EXPECT_TRUE(plan.cases[0].reason.empty());
}

TEST(Planner, TheCostliestIsLeftOutFirst) {
  // Least costs: 100 + 6 x 130 = 880, 1000 + 6 x 1030 = 7180, 880.
  const std::vector<CaseCost> cases = {
      one_case("small", 100), one_case("large", 1000), one_case("last", 100)};
  const Plan plan = plan_cases(cases, 8'000 * kMs, kSample, kMemory);
  EXPECT_TRUE(plan.cases[0].run);
  EXPECT_FALSE(plan.cases[1].run);
  EXPECT_TRUE(plan.cases[2].run);
  EXPECT_EQ(plan.cases[1].id, "large");
  EXPECT_EQ(plan.cases[1].budget_ns, 0);
  EXPECT_EQ(plan.cases[1].reason,
            core::message("measure.plan_budget", {{"needed", 7180.0 * kMs}, {"budget", 8000.0 * kMs}}));
  // Both are filled up to 20 rounds (2 x 2830 of 8000), then the first towards 60.
  EXPECT_EQ(plan.cases[0].budget_ns, 5'170 * kMs);
  EXPECT_EQ(plan.cases[2].budget_ns, 2'830 * kMs);
}

TEST(Planner, JustFits) {
  const std::vector<CaseCost> cases = {one_case("a", 100), one_case("b", 1000)};
  const Plan plan = plan_cases(cases, (880 + 7180) * kMs, kSample, kMemory);
  EXPECT_TRUE(plan.cases[0].run);
  EXPECT_TRUE(plan.cases[1].run);
  EXPECT_EQ(plan.cases[0].budget_ns, 880 * kMs);
  EXPECT_EQ(plan.cases[1].budget_ns, 7180 * kMs);
  EXPECT_DOUBLE_EQ(plan.predicted_ns, 8060.0 * kMs);

  EXPECT_FALSE(plan_cases(cases, (880 + 7180) * kMs - 1, kSample, kMemory).cases[1].run);
}

TEST(Planner, WhatRemainsGoesToTheCheapestFirst) {
  // 2000 ms more than the least: "a" is filled up to 20 rounds (100 + 21 x 130 = 2830) with 1950 of them.
  const std::vector<CaseCost> cases = {one_case("b", 1000), one_case("a", 100)};
  const Plan plan = plan_cases(cases, (880 + 7180 + 2000) * kMs, kSample, kMemory);
  EXPECT_EQ(plan.cases[1].budget_ns, 2830 * kMs);
  EXPECT_EQ(plan.cases[0].budget_ns, (7180 + 50) * kMs);
}

TEST(Planner, NoMoreThanTheBudgetIsGiven) {
  const std::vector<CaseCost> cases = {
      one_case("a", 3, 4, 7), one_case("b", 47, 3), one_case("c", 390, 2, 100)};
  for (std::int64_t budget_ms = 0; budget_ms < 200'000; budget_ms += 777) {
    const Plan plan = plan_cases(cases, budget_ms * kMs, kSample, kMemory);
    std::int64_t given = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      given += plan.cases[i].budget_ns;
      EXPECT_EQ(plan.cases[i].run, plan.cases[i].reason.empty());
      if (plan.cases[i].run) {
        EXPECT_GE(static_cast<double>(plan.cases[i].budget_ns), cost_ns(cases[i], 5, kSample) - 1);
      }
    }
    EXPECT_LE(given, budget_ms * kMs + 3);
    EXPECT_LE(plan.predicted_ns, static_cast<double>(budget_ms * kMs) + 3);
  }
}

TEST(Planner, TooLittleMemory) {
  std::vector<CaseCost> cases = {one_case("a", 1), one_case("b", 1)};
  cases[0].memory_bytes = kMemory + 1;
  cases[1].memory_bytes = kMemory;
  const Plan plan = plan_cases(cases, 60'000 * kMs, kSample, kMemory);
  EXPECT_FALSE(plan.cases[0].run);
  EXPECT_EQ(plan.cases[0].reason,
            core::message("measure.plan_memory", {{"needed", kMemory + 1}, {"available", kMemory}}));
  EXPECT_TRUE(plan.cases[1].run);
  EXPECT_EQ(plan.cases[1].budget_ns, 60'000 * kMs);
}

}  // namespace
}  // namespace jissoku::measure
