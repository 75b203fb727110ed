// Everything that is computed from a row, in one place, with the unit in the name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jissoku/document/model.hpp"
#include "jissoku/numerics/statistics.hpp"

namespace jissoku::document {

/// Per-launch times of the row's rounds on the clock the row is read on (`timing`), warm-up excluded. For a
/// row `chosen` by auto only even rounds (counted from 1): it was chosen on the odd ones. A round without a
/// positive, finite time is left out.
std::vector<double> scored_times_ns(const Row& row);

/// nullopt unless the row has a printable time: status converged, noisy, ceiling or throttled,
/// verification passed (and timed_verification, where it was done), at least numerics::kMinRounds
/// scored rounds.
/// Its interval, and those of rates and shares, hold Row::run_to_run.
std::optional<numerics::Estimate> time_ns(const Row& row);
/// flops / time; interval turned accordingly; nullopt where the row does no work of the kind.
std::optional<numerics::Estimate> flops_per_second(const Row& row);
std::optional<numerics::Estimate> bytes_per_second(const Row& row);
/// Rate as a share of the first ceiling of that kind. For "measured_fma" with a probe beside every
/// sample the share is taken round by round, so that a machine that slows down does not lower it.
std::optional<numerics::Estimate> share_of(const Row& row, const std::string& ceiling_kind);
/// base time / row time over the rounds both have; nullopt if either has no printable time or fewer than
/// numerics::kMinRounds are common.
std::optional<numerics::Estimate> speed_up(const Row& base, const Row& row);
/// Mean CPU time over wall time: threads that were really at work. Over all samples; 0 without any.
double threads_at_work(const Row& row);
/// Mean over the samples' wall time, as a share of all CPUs; 0 without samples.
double foreign_cpu_share(const Row& row);

}  // namespace jissoku::document
