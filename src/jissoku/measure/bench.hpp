// Runs batches: pauses between subjects, keeps a probe beside each, and makes batches long enough.
// Knows nothing of rounds, budgets or statistics.
#pragma once

#include "jissoku/measure/sampler.hpp"

namespace jissoku::measure {

/// Device time where there is one, else host time; per launch.
inline double time_ns(const Sample& sample) {
  return sample.device_ns.value_or(sample.host_ns);
}
/// Host time of the whole batch.
inline double duration_ns(const Sample& sample) {
  return sample.host_ns * static_cast<double>(sample.launches);
}

/// A subject and the length of its next batch.
struct Runner {
  Subject* subject = nullptr;
  std::int64_t launches = 1;
  Sample latest;

  /// Duration of the next batch.
  double predicted_ns() const { return latest.host_ns * static_cast<double>(launches); }
};

class Bench {
 public:
  Bench(const SamplerOptions& options, const SamplerContext& context);

  /// One batch.
  core::Result<Sample> run(Runner& runner);
  /// One batch with the probe run before and after it.
  core::Result<Sample> run_between_probes(Runner& runner);
  /// Runs the probe until its batches are long enough; without it the first probes were too short.
  void calibrate_probe();

  bool long_enough(const Sample& sample) const;
  /// Machines speed up too: after a batch that was too short the next one is longer.
  void lengthen(Runner& runner) const;
  /// Launches that are long enough at `launch_ns` each.
  std::int64_t launches_of(double launch_ns) const;

  /// Of a round of these runners, probes and pauses included.
  double predicted_round_ns(const std::vector<const Runner*>& runners) const;

 private:
  double probe_ns();

  Clock& clock_;
  std::int64_t settle_ns_;
  std::int64_t min_sample_ns_;
  Runner probe_;
  bool probe_is_fresh_ = false;  // nothing else has run since
  const Subject* last_run_ = nullptr;
};

/// Batches get longer until one is long enough. Each try is right to within the noise, so this many
/// are plenty.
inline constexpr int kCalibrations = 8;

}  // namespace jissoku::measure
