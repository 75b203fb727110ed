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
  std::int64_t budget_ns = 0;
  double predicted_ns = 0;
  core::Message reason;  ///< when it does not run
};

struct Plan {
  std::vector<PlannedCase> cases;  ///< in the order given
  double predicted_ns = 0;
  std::int64_t budget_ns = 0;
};

/// Shares `budget_ns` among the cases: each needs at least kMinRounds samples of every subject;
/// cases whose least cost does not fit any more are left out, largest first; what remains goes to
/// the cases in proportion to their predicted cost.
Plan plan_cases(const std::vector<CaseCost>& cases,
                std::int64_t budget_ns,
                std::int64_t min_sample_ns,
                std::int64_t memory_available_bytes);

}  // namespace jissoku::measure
