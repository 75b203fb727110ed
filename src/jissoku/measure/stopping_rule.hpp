// When a group of subjects has been measured long enough. Looking at an interval after every round
// and stopping at the first narrow one would pick intervals that are narrow by chance, and those
// miss the truth too often. So we look at few fixed round counts, not before the twelfth, and stop
// only when two looks in a row agree. What is left of the effect is tested
// (tests/property/measure/stopping_rule_coverage_test.cpp) and stated in docs/statistics.md.
#pragma once

#include <optional>

#include "jissoku/measure/sampler.hpp"
#include "jissoku/numerics/statistics.hpp"

namespace jissoku::measure {

/// True after 12, 20, 30, 40, 60, 80, ... rounds.
bool is_check(int rounds);

/// Is the interval of the subject's time within the target, or that of its time over the probe's
/// (its share of the ceiling, taken round by round)? Either makes the row a good one: where the
/// machine changes speed as a whole, the first is wide and the second is what tells about the subject.
/// Both are printed with their own interval.
bool reached_target(const Measurement& measurement, double target_relative_half_width);

/// The probe's time over the subject's, round by round; nullopt if a round has no probe. Precondition:
/// there are rounds.
std::optional<numerics::Estimate> share_of_probe(const Measurement& measurement);

class StoppingRule {
 public:
  /// To be told at every check, in order, whether all subjects have reached the target.
  /// True when the measuring may stop.
  bool stop(bool all_reached) {
    const bool twice = all_reached && reached_before_;
    reached_before_ = all_reached;
    return twice;
  }

 private:
  bool reached_before_ = false;
};

}  // namespace jissoku::measure
