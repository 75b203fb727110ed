#include "jissoku/measure/planner.hpp"

#include <algorithm>
#include <numeric>

#include "jissoku/measure/sampler.hpp"
#include "jissoku/numerics/statistics.hpp"

namespace jissoku::measure {

namespace {

// The second check of stopping_rule.hpp is the first at which measuring may end.
constexpr int kSecondCheck = 20;

struct Share {
  std::size_t index;
  double least_ns;
  double granted_ns;
};

double total_least_ns(const std::vector<Share>& shares) {
  return std::accumulate(
      shares.begin(), shares.end(), 0.0, [](double sum, const Share& share) { return sum + share.least_ns; });
}

core::Message memory_reason(const CaseCost& one, std::int64_t available_bytes) {
  return core::message("measure.plan_memory", {{"needed", one.memory_bytes}, {"available", available_bytes}});
}

core::Message budget_reason(double least_ns, std::int64_t budget_ns) {
  return core::message("measure.plan_budget",
                       {{"needed", least_ns}, {"budget", static_cast<double>(budget_ns)}});
}

// `shares` from the cheapest to the costliest.
void hand_out(std::vector<Share>& shares,
              const std::vector<CaseCost>& cases,
              double budget_ns,
              std::int64_t min_sample_ns) {
  const double total = total_least_ns(shares);
  double left = budget_ns - total;
  for (const int rounds : {kSecondCheck, SamplerOptions{}.max_rounds}) {
    for (Share& share : shares) {
      const double wanted = cost_ns(cases[share.index], rounds, min_sample_ns) - share.granted_ns;
      const double given = std::min(left, wanted);
      share.granted_ns += given;
      left -= given;
    }
  }
  for (Share& share : shares) {
    share.granted_ns += left * share.least_ns / total;
  }
}

}  // namespace

double cost_ns(const CaseCost& one, int rounds, std::int64_t min_sample_ns) {
  const auto shortest = static_cast<double>(min_sample_ns);
  const double sample_ns = std::max(one.launch_ns, shortest) + shortest;
  return one.set_up_ns + one.subjects * (one.launch_ns + (1 + rounds) * sample_ns);
}

Plan plan_cases(const std::vector<CaseCost>& cases,
                std::int64_t budget_ns,
                std::int64_t min_sample_ns,
                std::int64_t memory_available_bytes) {
  const auto budget = static_cast<double>(budget_ns);
  Plan plan;
  plan.budget_ns = budget_ns;
  std::vector<Share> shares;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    plan.cases.emplace_back().id = cases[i].id;
    if (cases[i].memory_bytes > memory_available_bytes) {
      plan.cases[i].reason = memory_reason(cases[i], memory_available_bytes);
      continue;
    }
    const double least_ns = cost_ns(cases[i], numerics::kMinRounds, min_sample_ns);
    shares.push_back({i, least_ns, least_ns});
  }
  std::stable_sort(shares.begin(), shares.end(), [](const Share& left, const Share& right) {
    return left.least_ns < right.least_ns;
  });
  while (!shares.empty() && total_least_ns(shares) > budget) {
    const Share& costliest = shares.back();
    plan.cases[costliest.index].reason = budget_reason(costliest.least_ns, budget_ns);
    shares.pop_back();
  }
  hand_out(shares, cases, budget, min_sample_ns);
  for (const Share& share : shares) {
    PlannedCase& planned = plan.cases[share.index];
    planned.run = true;
    planned.budget_ns = static_cast<std::int64_t>(share.granted_ns);
    planned.predicted_ns =
        std::min(share.granted_ns, cost_ns(cases[share.index], kSecondCheck, min_sample_ns));
    plan.predicted_ns += planned.predicted_ns;
  }
  return plan;
}

}  // namespace jissoku::measure
