// From measurements to rows of the document.
#pragma once

#include <optional>
#include <string>

#include "jissoku/document/model.hpp"
#include "jissoku/experiments/ceilings.hpp"
#include "jissoku/experiments/matmul/matmul.hpp"
#include "jissoku/measure/sampler.hpp"

namespace jissoku::experiments::matmul {

/// What is measured of a problem, as people select it.
struct Subject {
  std::string device;        ///< "cpu:openblas", or the bare device for its chosen row
  int threads = 0;           ///< 0: the notion does not apply
  bool with_copies = false;  ///< operands copied to the device and C back, every time
};

/// A row with everything that is known before it is measured: id, parameters, work, reproducer.
document::Row describe_row(const Problem& problem, const Params& params, const Subject& subject);

/// "matmul/f32/4096x4096x4096": a case of the plan, which has several rows.
std::string case_id(const Problem& problem);

document::Implementation implementation_of(const device::Variant& variant, const std::string& paging);

/// What repeated runs of one case differ by beyond their intervals, as a relative half width: measured for
/// the CPU of a virtual machine, see docs/statistics.md. 0 for a modelled device, whose runs are equal.
double run_to_run(const device::Info& device, const core::Machine& machine);

/// Fills in samples, status and reason; after the verification. `best_ns` is the time of one launch of the
/// quickest competitor, for the reason of a dropped row.
void add_measurement(document::Row& row, const measure::Measurement& measurement, double best_ns);

/// The row of a chosen variant, scored on even rounds: its reason, if it has one, speaks of those.
void mark_chosen(document::Row& row);

/// The ceiling that the probe beside this row's samples found; call after add_measurement.
void add_fma_ceiling(document::Row& row, const FmaCeiling& fma);

/// What the device says of its state after the samples; heat that slows it down makes the row `throttled`.
void add_telemetry(document::Row& row, const device::Telemetry& telemetry);

/// A note where the process kept clearly fewer CPUs busy than the variant was told to use.
void note_idle_threads(document::Row& row);

/// Index of the measurement with the least median time over odd rounds (counted from 1), among those
/// with at least kMinRounds rounds of either kind; nullopt if there is none. Scoring on even rounds
/// keeps the choice from flattering itself.
std::optional<std::size_t> choose_on_odd_rounds(const std::vector<const measure::Measurement*>& candidates);

}  // namespace jissoku::experiments::matmul
