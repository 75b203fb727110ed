#include "jissoku/measure/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "jissoku/measure/load_window.hpp"
#include "jissoku/measure/stopping_rule.hpp"
#include "jissoku/measure/warmup.hpp"

namespace jissoku::measure {

namespace {

using numerics::kMinRounds;

// The first kMinRounds rounds may take the budget this much over, since fewer give no interval.
constexpr double kOverrun = 1.5;
// Warm-up of all subjects together gets at most this share of the budget.
constexpr double kWarmupShare = 0.25;
// A first launch this many times slower than the drop ratio allows, and long in itself, is believed
// without a second one. Short ones are not: first launches contain start-up costs.
constexpr double kHopeless = 4;
constexpr double kLongLaunchNs = 2e8;
constexpr double kLongLaunchShare = 0.05;  // of the budget
// Batches get longer until one is long enough; each try is right to within the noise, so this many
// is plenty.
constexpr int kCalibrations = 8;

double time_ns(const Sample& sample) {
  return sample.device_ns.value_or(sample.host_ns);
}

double duration_ns(const Sample& sample) {
  return sample.host_ns * static_cast<double>(sample.launches);
}

struct Competitor {
  Subject* subject = nullptr;
  Measurement result;
  std::int64_t launches = 1;
  Sample latest;
  bool competing = true;

  double predicted_ns() const { return latest.host_ns * static_cast<double>(launches); }
  void leave(SubjectEnd end) {
    result.end = end;
    competing = false;
  }
  void warmed_up_by(const Sample& sample) {
    result.warmup_launches += sample.launches;
    result.warmup_ns += duration_ns(sample);
  }
};

class Session {
 public:
  Session(const std::vector<Subject*>& subjects, const SamplerOptions& options, const SamplerContext& context)
      : options_(options),
        context_(context),
        clock_(*context.clock),
        start_ns_(clock_.now_ns()),
        min_sample_ns_(
            std::max({options.min_sample_ns, std::int64_t{1'000'000}, 100 * clock_.resolution_ns()})),
        load_(clock_, context.cpu_usage) {
    probe_.subject = context.probe;
    for (Subject* subject : subjects) {
      competitors_.emplace_back().subject = subject;
    }
  }

  std::vector<Measurement> run() {
    first_launches();
    drop_hopeless();
    calibrate_probe();
    qualify_all();
    drop_slow();
    warm_up_all();
    run_rounds();
    load_.close();
    std::vector<Measurement> results;
    for (Competitor& one : competitors_) {
      if (one.competing) {
        one.leave(end_of(one.result));
      }
      results.push_back(std::move(one.result));
    }
    return results;
  }

 private:
  bool stopped() const { return context_.stop != nullptr && context_.stop->requested(); }
  double elapsed_ns() const { return static_cast<double>(clock_.now_ns() - start_ns_); }
  double budget_ns() const { return static_cast<double>(options_.budget_ns); }
  bool fits(double cost_ns, double overrun) const { return elapsed_ns() + cost_ns <= budget_ns() * overrun; }

  std::vector<Competitor*> competing() {
    std::vector<Competitor*> those;
    for (Competitor& one : competitors_) {
      if (one.competing) {
        those.push_back(&one);
      }
    }
    return those;
  }

  core::Result<Sample> run_batch(Competitor& one) {
    if (last_run_ != nullptr && last_run_ != one.subject && options_.settle_ns > 0) {
      clock_.sleep_ns(options_.settle_ns);
    }
    last_run_ = one.subject;
    probe_is_fresh_ = false;
    const std::int64_t cpu_before = clock_.process_cpu_ns();
    const core::Result<BatchTiming> timing = one.subject->run(one.launches);
    const std::int64_t cpu_after = clock_.process_cpu_ns();
    if (!timing) {
      return timing.error();
    }
    const double launches = static_cast<double>(one.launches);
    Sample sample;
    sample.launches = one.launches;
    sample.host_ns = timing->host_ns / launches;
    if (timing->device_ns.has_value()) {
      sample.device_ns = *timing->device_ns / launches;
    }
    sample.cpu_ns = static_cast<double>(cpu_after - cpu_before) / launches;
    one.latest = sample;
    return sample;
  }

  // The probe's time; 0 without one. Not run again while nothing else has run since.
  double probe_ns() {
    if (probe_.subject == nullptr) {
      return 0;
    }
    if (!probe_is_fresh_) {
      if (!run_batch(probe_)) {
        probe_.subject = nullptr;
        return 0;
      }
      lengthen(probe_, probe_.latest);
      probe_is_fresh_ = true;
    }
    return time_ns(probe_.latest);
  }

  // A batch between two probes. Fails the subject if it fails; then empty.
  std::optional<Sample> run_between_probes(Competitor& one) {
    const double before = probe_ns();
    core::Result<Sample> sample = run_batch(one);
    if (!sample) {
      one.result.error = sample.error();
      one.leave(SubjectEnd::failed);
      return std::nullopt;
    }
    const double after = probe_ns();
    sample->probe_ns = before > 0 && after > 0 ? (before + after) / 2 : 0;
    report_progress(one);
    return *sample;
  }

  void keep(Competitor& one, const Sample& sample) {
    one.result.rounds.push_back(sample);
    load_.add(one.result, one.result.rounds.size() - 1);
  }

  void report_progress(const Competitor& one) const {
    if (context_.on_progress) {
      const auto subject = static_cast<std::size_t>(&one - competitors_.data());
      context_.on_progress({round_, options_.max_rounds, subject, elapsed_ns(), budget_ns()});
    }
  }

  std::int64_t launches_of(double launch_ns) const {
    return launches_for(std::max(launch_ns, static_cast<double>(clock_.resolution_ns())), min_sample_ns_);
  }
  // Machines speed up too: a batch that was too short is longer next time.
  void lengthen(Competitor& one, const Sample& sample) const {
    if (duration_ns(sample) < static_cast<double>(min_sample_ns_)) {
      one.launches = std::max(one.launches, launches_of(sample.host_ns));
    }
  }

  // Touches memory, starts threads, and gives a first idea of the time.
  void first_launches() {
    for (Competitor& one : competitors_) {
      if (stopped()) {
        return;
      }
      if (!fits(1, 1)) {
        one.leave(SubjectEnd::ceiling);
        continue;
      }
      const core::Result<Sample> sample = run_batch(one);
      if (!sample) {
        one.result.error = sample.error();
        one.leave(SubjectEnd::failed);
        continue;
      }
      one.warmed_up_by(*sample);
      lengthen(one, *sample);
    }
  }

  double fastest_ns() {
    double fastest = std::numeric_limits<double>::infinity();
    for (const Competitor* one : competing()) {
      fastest = std::min(fastest, time_ns(one->latest));
    }
    return fastest;
  }

  void drop_hopeless() {
    if (stopped() || options_.drop_ratio <= 0) {
      return;
    }
    const double slowest = std::max(
        {fastest_ns() * options_.drop_ratio * kHopeless, kLongLaunchNs, kLongLaunchShare * budget_ns()});
    for (Competitor* one : competing()) {
      if (time_ns(one->latest) > slowest) {
        one->result.warmup_launches = 0;
        one->result.warmup_ns = 0;
        keep(*one, one->latest);
        one->leave(SubjectEnd::dropped);
      }
    }
  }

  void calibrate_probe() {
    for (int i = 0; i < kCalibrations && probe_.subject != nullptr && !competing().empty() && !stopped();
         ++i) {
      probe_is_fresh_ = false;
      if (probe_ns() > 0 && duration_ns(probe_.latest) >= static_cast<double>(min_sample_ns_)) {
        return;
      }
    }
  }

  // The first proper sample: a batch that is long enough.
  void qualify(Competitor& one) {
    for (int i = 0; i < kCalibrations && !stopped(); ++i) {
      if (!fits(one.predicted_ns(), kOverrun)) {
        one.leave(SubjectEnd::ceiling);
        return;
      }
      const std::optional<Sample> sample = run_between_probes(one);
      if (!sample) {
        return;
      }
      if (duration_ns(*sample) >= static_cast<double>(min_sample_ns_) || i == kCalibrations - 1) {
        keep(one, *sample);
        return;
      }
      one.warmed_up_by(*sample);
      lengthen(one, *sample);
    }
  }

  void qualify_all() {
    for (Competitor* one : competing()) {
      if (stopped()) {
        return;
      }
      qualify(*one);
    }
  }

  // Those that stay give up their proper sample: it belongs to the warm-up.
  void drop_slow() {
    load_.close();
    const bool may_drop = options_.drop_ratio > 0 && !stopped();
    const double slowest = fastest_ns() * options_.drop_ratio;
    for (Competitor* one : competing()) {
      if (may_drop && time_ns(one->latest) > slowest) {
        one->leave(SubjectEnd::dropped);
        continue;
      }
      for (const Sample& sample : one->result.rounds) {
        one->warmed_up_by(sample);
      }
      one->result.rounds.clear();
    }
  }

  double predicted_round_ns() {
    const double settle_ns = static_cast<double>(options_.settle_ns);
    const double probe_ns = probe_.subject != nullptr ? probe_.predicted_ns() + settle_ns : 0;
    double total = probe_ns;
    for (const Competitor* one : competing()) {
      total += one->predicted_ns() + settle_ns + probe_ns;
    }
    return total;
  }

  void warm_up(Competitor& one, double limit_ns) {
    std::vector<double> times = {time_ns(one.latest)};
    std::vector<double> host = {one.latest.host_ns};
    double spent = 0;
    while (!stopped() && !reached_plateau(times) && spent + one.predicted_ns() <= limit_ns) {
      const core::Result<Sample> sample = run_batch(one);
      if (!sample) {
        one.result.error = sample.error();
        one.leave(SubjectEnd::failed);
        return;
      }
      spent += duration_ns(*sample);
      times.push_back(time_ns(*sample));
      host.push_back(sample->host_ns);
      one.warmed_up_by(*sample);
      lengthen(one, *sample);
      report_progress(one);
    }
    const auto last = host.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(3, host.size()));
    one.launches = launches_of(*std::min_element(last, host.end()));
  }

  void warm_up_all() {
    auto those = competing();
    for (std::size_t i = 0; i < those.size() && !stopped(); ++i) {
      const double reserved = kMinRounds * predicted_round_ns();
      const double left = (budget_ns() - elapsed_ns() - reserved) / static_cast<double>(those.size() - i);
      const double share = kWarmupShare * budget_ns() / static_cast<double>(those.size());
      warm_up(*those[i], std::min({static_cast<double>(options_.warmup_max_ns), share, left}));
    }
  }

  bool all_reached_target() {
    const auto those = competing();
    return std::all_of(those.begin(), those.end(), [&](const Competitor* one) {
      return reached_target(one->result, options_.target_relative_half_width);
    });
  }

  // False if it was cut short.
  bool run_round() {
    auto order = competing();
    const auto first = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(done_) % order.size());
    std::rotate(order.begin(), order.begin() + first, order.end());
    for (Competitor* one : order) {
      if (stopped()) {
        return false;
      }
      if (const std::optional<Sample> sample = run_between_probes(*one)) {
        keep(*one, *sample);
        lengthen(*one, *sample);
      }
    }
    return true;
  }

  void run_rounds() {
    StoppingRule rule;
    double round_ns = predicted_round_ns();
    while (done_ < options_.max_rounds && !competing().empty() &&
           fits(round_ns, done_ < kMinRounds ? kOverrun : 1)) {
      const double begin = elapsed_ns();
      round_ = done_ + 1;
      if (!run_round()) {
        return;
      }
      round_ns = elapsed_ns() - begin;
      ++done_;
      if (is_check(done_) && rule.stop(all_reached_target())) {
        return;
      }
    }
  }

  SubjectEnd end_of(const Measurement& result) const {
    if (stopped()) {
      return SubjectEnd::interrupted;
    }
    if (reached_target(result, options_.target_relative_half_width)) {
      return SubjectEnd::converged;
    }
    return done_ >= options_.max_rounds ? SubjectEnd::noisy : SubjectEnd::ceiling;
  }

  const SamplerOptions& options_;
  const SamplerContext& context_;
  Clock& clock_;
  std::int64_t start_ns_;
  std::int64_t min_sample_ns_;
  LoadWindow load_;
  std::vector<Competitor> competitors_;
  Competitor probe_;
  const Subject* last_run_ = nullptr;
  bool probe_is_fresh_ = false;
  int done_ = 0;   // complete rounds
  int round_ = 0;  // the one that runs, from 1
};

}  // namespace

std::vector<Measurement> measure_subjects(const std::vector<Subject*>& subjects,
                                          const SamplerOptions& options,
                                          const SamplerContext& context) {
  return Session(subjects, options, context).run();
}

std::vector<double> round_times_ns(const Measurement& measurement) {
  std::vector<double> times;
  for (const Sample& sample : measurement.rounds) {
    times.push_back(time_ns(sample));
  }
  return times;
}

std::int64_t launches_for(double launch_ns, std::int64_t min_sample_ns) {
  constexpr double kMost = 1e9;
  const double launches = std::ceil(static_cast<double>(min_sample_ns) / launch_ns);
  return static_cast<std::int64_t>(std::isnan(launches) ? 1 : std::clamp(launches, 1.0, kMost));
}

}  // namespace jissoku::measure
