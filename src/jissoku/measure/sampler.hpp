// The sampler: times competing subjects fairly. Start at `measure_subjects`.
//
// Every subject is warmed up to a plateau, then all subjects run once per round, order rotated. A
// sample is a batch of launches long enough for the clock and the machine's noise. When to stop is
// decided by stopping_rule.hpp, at fixed round counts only.
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
#include "jissoku/measure/foreign_load.hpp"
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
  double foreign_cpu_share = 0;     ///< of all CPUs, used by other programs; see kLoadWindowNs
  double steal_share = 0;           ///< of all CPUs, taken by the hypervisor
  double probe_ns = 0;  ///< the probe subject's time beside it (mean of before and after); 0 = no probe
};

/// What bounds the measuring of one group of subjects.
struct SamplerOptions {
  std::int64_t min_sample_ns =
      30'000'000;  ///< at least 1 ms and 100x the clock's resolution; 30 ms where vCPUs are shared
  std::int64_t warmup_max_ns = 2'000'000'000;
  /// For the group, warm-up included. No round starts that is not expected to end within it, except
  /// that the first kMinRounds rounds may overrun it by half.
  std::int64_t budget_ns = 20'000'000'000;
  /// Of the 95 % interval of a subject's time, or of its time over the probe's. 2 % because 30 ms of
  /// register-only work scatter by 1.3 % on a shared virtual machine, in correlated phases: 60 rounds
  /// reach 2 %, while a target of 1 % would cost every row its whole budget and often be missed.
  double target_relative_half_width = 0.02;
  int max_rounds = 60;
  double drop_ratio = 2.0;  ///< after one sample, subjects this much slower than the best leave; 0 = never
  /// One number per subject: only those with the same number compete for a place (the variants of one
  /// device). Empty: all do.
  std::vector<int> groups;
  /// Pause before a subject takes over from another one, the probe included: some libraries' threads
  /// spin for a while after a call.
  std::int64_t settle_ns = 0;
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
  std::vector<Sample> rounds;  ///< one per round, in time order
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
  const core::StopFlag* stop = nullptr;  ///< may be nullptr
  /// Run before and after each sample, as a batch of its own of at least min_sample_ns; neighbours share
  /// the one between them. If it fails, probe_ns is 0 from there on. May be nullptr.
  Subject* probe = nullptr;
  std::function<void(const Progress&)> on_progress;  ///< after every sample; round 0 is warm-up; may be empty
  std::function<CpuUsage()> cpu_usage;               ///< empty: read_cpu_usage
};

/// Other programs' load is averaged over spans of at least this, which is the same for all samples in
/// one: the kernel counts in ticks of 10 ms, too coarse for a single short sample.
inline constexpr double kLoadWindowNs = 5e8;

/// Measures all subjects against each other; one Measurement per subject, in order. All have the same
/// number of rounds, except that dropped ones keep their one sample, failed ones stop where they
/// failed, and an interruption may cut the last round short: the n-th samples of any two belong to
/// the same round. Where the budget ends during warm-up, a subject ends as `ceiling` without rounds.
std::vector<Measurement> measure_subjects(const std::vector<Subject*>& subjects,
                                          const SamplerOptions& options,
                                          const SamplerContext& context);

/// Times of the rounds (device time where there is one, else host time), for the statistics.
std::vector<double> round_times_ns(const Measurement& measurement);

/// Launches so that a batch of launches of `launch_ns` each lasts at least `min_sample_ns`; at least
/// 1, at most 10^9.
std::int64_t launches_for(double launch_ns, std::int64_t min_sample_ns);

/// Relative half width that two measurements of one and the same subject show on this machine now:
/// runs `subject` as two competitors against itself and compares. The noise floor of a document.
struct NoiseFloor {
  double relative = 0;  ///< |log ratio| beyond which a difference is more than noise
  int rounds = 0;
};
/// Errors: those of the subject; interrupted; unavailable when the budget holds fewer than kMinRounds rounds.
core::Result<NoiseFloor> measure_noise_floor(Subject& subject,
                                             const SamplerOptions& options,
                                             const SamplerContext& context);

}  // namespace jissoku::measure
