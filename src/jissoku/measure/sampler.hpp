// The sampler: times competing subjects fairly. Start at `measure_subjects`.
//
// Every subject is warmed up to a plateau, then all subjects run once per round, order rotated. A
// sample is a batch of launches long enough for the clock and the machine's noise. Stop checks
// happen at fixed round counts only, so that peeking does not narrow the interval.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jissoku/core/result.hpp"
#include "jissoku/core/stop_flag.hpp"
#include "jissoku/measure/clock.hpp"
#include "jissoku/numerics/statistics.hpp"

namespace jissoku::measure {

/// What one batch of launches took.
struct BatchTiming {
  double host_ns = 0;               ///< whole batch, first launch to synchronised
  std::optional<double> device_ns;  ///< whole batch by device events, where the device has its own clock
};

/// A thing that can be run and timed: one variant of one operation on one device, or a probe.
class Subject {
 public:
  virtual ~Subject() = default;
  /// Launches the operation `launches` times back to back and synchronises.
  virtual core::Result<BatchTiming> run(std::int64_t launches) = 0;
};

struct Sample {
  std::int64_t launches = 0;
  double host_ns = 0;               ///< per launch
  std::optional<double> device_ns;  ///< per launch
  double cpu_ns = 0;                ///< process CPU time per launch: over host_ns it is the threads at work
  double foreign_cpu_share = 0;     ///< of all CPUs, used by other programs during the sample
  double steal_share = 0;           ///< of all CPUs, taken by the hypervisor
  double probe_ns = 0;              ///< the probe subject's time beside it (mean of before and after); 0 = no probe
};

/// What bounds the measuring of one group of subjects.
struct SamplerOptions {
  std::int64_t min_sample_ns = 30'000'000;   ///< at least 1 ms and 100x the clock's resolution; 30 ms where vCPUs are shared
  std::int64_t warmup_max_ns = 2'000'000'000;
  std::int64_t budget_ns = 20'000'000'000;   ///< for the group, warm-up included
  double target_relative_half_width = 0.01;
  int max_rounds = 60;
  double drop_ratio = 2.0;                   ///< after one sample, subjects this much slower than the best leave; 0 = never
  std::int64_t settle_ns = 0;                ///< pause before a subject takes over (spin tails of other libraries)
};

enum class SubjectEnd {
  converged,    ///< the interval reached the target
  noisy,        ///< all rounds done, interval still wider
  ceiling,      ///< the budget ended first
  dropped,      ///< much slower than the best after one sample
  failed,       ///< run() failed: see error
  interrupted,  ///< stop requested; what was measured is kept
};

struct Measurement {
  SubjectEnd end = SubjectEnd::failed;
  std::vector<Sample> rounds;            ///< one per round, in time order
  std::int64_t warmup_launches = 0;
  double warmup_ns = 0;
  std::optional<core::Error> error;
};

struct Progress {
  int round = 0, max_rounds = 0;
  std::size_t subject = 0;
  double elapsed_ns = 0, budget_ns = 0;
};

struct SamplerContext {
  Clock* clock = nullptr;
  const core::StopFlag* stop = nullptr;              ///< may be nullptr
  Subject* probe = nullptr;                          ///< run once before and after each sample; may be nullptr
  std::function<void(const Progress&)> on_progress;  ///< may be empty
};

/// Measures all subjects against each other; one Measurement per subject, in order.
std::vector<Measurement> measure_subjects(const std::vector<Subject*>& subjects,
                                          const SamplerOptions& options, const SamplerContext& context);

/// Times of the rounds (device time where there is one, else host time), for the statistics.
std::vector<double> round_times_ns(const Measurement& measurement);

/// Launches so that a batch of launches of `launch_ns` each lasts at least `min_sample_ns`.
std::int64_t launches_for(double launch_ns, std::int64_t min_sample_ns);

/// Relative half width that two measurements of one and the same subject show on this machine now:
/// runs `subject` as two competitors against itself and compares. The noise floor of a document.
struct NoiseFloor {
  double relative = 0;  ///< |log ratio| beyond which a difference is more than noise
  int rounds = 0;
};
core::Result<NoiseFloor> measure_noise_floor(Subject& subject, const SamplerOptions& options,
                                             const SamplerContext& context);

}  // namespace jissoku::measure
