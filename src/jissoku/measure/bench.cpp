#include "jissoku/measure/bench.hpp"

#include <algorithm>
#include <cmath>

namespace jissoku::measure {

Bench::Bench(const SamplerOptions& options, const SamplerContext& context)
    : clock_(*context.clock),
      settle_ns_(options.settle_ns),
      min_sample_ns_(
          std::max({options.min_sample_ns, std::int64_t{1'000'000}, 100 * context.clock->resolution_ns()})) {
  probe_.subject = context.probe;
}

core::Result<Sample> Bench::run(Runner& runner) {
  if (last_run_ != nullptr && last_run_ != runner.subject && settle_ns_ > 0) {
    clock_.sleep_ns(settle_ns_);
  }
  last_run_ = runner.subject;
  probe_is_fresh_ = false;
  const std::int64_t cpu_before = clock_.process_cpu_ns();
  const core::Result<BatchTiming> timing = runner.subject->run(runner.launches);
  const std::int64_t cpu_after = clock_.process_cpu_ns();
  if (!timing) {
    return timing.error();
  }
  const auto launches = static_cast<double>(runner.launches);
  Sample sample;
  sample.launches = runner.launches;
  sample.host_ns = timing->host_ns / launches;
  if (timing->device_ns.has_value()) {
    sample.device_ns = *timing->device_ns / launches;
  }
  sample.cpu_ns = static_cast<double>(cpu_after - cpu_before) / launches;
  runner.latest = sample;
  return sample;
}

// 0 without a probe.
double Bench::probe_ns() {
  if (probe_.subject == nullptr) {
    return 0;
  }
  if (!probe_is_fresh_) {
    if (!run(probe_)) {
      probe_.subject = nullptr;
      return 0;
    }
    lengthen(probe_);
    probe_is_fresh_ = true;
  }
  return time_ns(probe_.latest);
}

core::Result<Sample> Bench::run_between_probes(Runner& runner) {
  const double before = probe_ns();
  core::Result<Sample> sample = run(runner);
  if (sample) {
    const double after = probe_ns();
    sample->probe_ns = before > 0 && after > 0 ? (before + after) / 2 : 0;
  }
  return sample;
}

void Bench::calibrate_probe() {
  for (int i = 0; i < kCalibrations; ++i) {
    probe_is_fresh_ = false;
    if (probe_ns() <= 0 || long_enough(probe_.latest)) {
      return;
    }
  }
}

bool Bench::long_enough(const Sample& sample) const {
  return duration_ns(sample) >= static_cast<double>(min_sample_ns_);
}

void Bench::lengthen(Runner& runner) const {
  if (!long_enough(runner.latest)) {
    runner.launches = std::max(runner.launches, launches_of(runner.latest.host_ns));
  }
}

std::int64_t Bench::launches_of(double launch_ns) const {
  return launches_for(std::max(launch_ns, static_cast<double>(clock_.resolution_ns())), min_sample_ns_);
}

double Bench::predicted_round_ns(const std::vector<const Runner*>& runners) const {
  const auto settle_ns = static_cast<double>(settle_ns_);
  const double probe_ns = probe_.subject != nullptr ? probe_.predicted_ns() + settle_ns : 0;
  double total = probe_ns;
  for (const Runner* runner : runners) {
    total += runner->predicted_ns() + settle_ns + probe_ns;
  }
  return total;
}

std::int64_t launches_for(double launch_ns, std::int64_t min_sample_ns) {
  constexpr double kMost = 1e9;
  const double launches = std::ceil(static_cast<double>(min_sample_ns) / launch_ns);
  return static_cast<std::int64_t>(std::isnan(launches) ? 1 : std::clamp(launches, 1.0, kMost));
}

std::vector<double> round_times_ns(const Measurement& measurement) {
  std::vector<double> times;
  for (const Sample& sample : measurement.rounds) {
    times.push_back(time_ns(sample));
  }
  return times;
}

}  // namespace jissoku::measure
