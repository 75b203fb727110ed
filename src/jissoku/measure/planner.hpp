// The planner: one owner of a command's time budget. It is given the predicted cost of each case
// and says which run, how long each may take, and what was left out and why. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jissoku/core/message.hpp"

namespace jissoku::measure {

struct CaseCost {
  std::string id;
  double launch_ns = 0;  ///< predicted time of one launch of the best subject
  int subjects = 1;      ///< competing in the case
  double set_up_ns = 0;  ///< filling and verifying
  std::int64_t memory_bytes = 0;
};

struct PlannedCase {
  std::string id;
  bool run = false;
  std::int64_t budget_ns = 0;  ///< for all of it, set-up included
  double predicted_ns = 0;     ///< least cost of an interval, or of two stop checks where those fit
  core::Message reason;        ///< when it does not run
};

struct Plan {
  std::vector<PlannedCase> cases;  ///< in the order given
  double predicted_ns = 0;
  std::int64_t budget_ns = 0;
};

/// Cost of a case with `rounds` rounds: set-up, and for each subject a first launch, a proper sample
/// and its rounds, each with a probe of `min_sample_ns` beside it.
double cost_ns(const CaseCost& one, int rounds, std::int64_t min_sample_ns);

/// Shares `budget_ns` among the cases. Cases that need more memory than there is are left out. Each
/// other case needs kMinRounds rounds; as long as that does not fit, the costliest case is left out.
/// What remains goes to the cheapest first, because there it buys most rounds: every case is filled
/// up to the second stop check, then up to the last; the rest is shared in proportion to cost, in
/// case the predictions were too low.
Plan plan_cases(const std::vector<CaseCost>& cases,
                std::int64_t budget_ns,
                std::int64_t min_sample_ns,
                std::int64_t memory_available_bytes);

}  // namespace jissoku::measure
