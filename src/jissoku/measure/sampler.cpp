#include "jissoku/measure/sampler.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "jissoku/measure/bench.hpp"
#include "jissoku/measure/load_window.hpp"
#include "jissoku/measure/stopping_rule.hpp"
#include "jissoku/measure/warmup.hpp"

namespace jissoku::measure {

namespace {

using numerics::kMinRounds;

// The first kMinRounds rounds may take this much over the budget, since fewer give no interval.
constexpr double kOverrun = 1.5;
// Warm-up of all subjects together gets at most this share of the budget.
constexpr double kWarmupShare = 0.25;
// A first launch this many times slower than the drop ratio allows, and long in itself, is believed
// without a second one. Short ones are not: first launches contain start-up costs.
constexpr double kHopeless = 4;
constexpr double kLongLaunchNs = 2e8;
constexpr double kLongLaunchShare = 0.05;  // of the budget

struct Competitor : Runner {
  Measurement result;
  int group = 0;
  bool competing = true;

  void leave(SubjectEnd end) {
    result.end = end;
    competing = false;
  }
  void fail(const core::Error& error) {
    result.error = error;
    leave(SubjectEnd::failed);
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
        start_ns_(context.clock->now_ns()),
        bench_(options, context),
        load_(*context.clock, context.cpu_usage) {
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      Competitor& one = competitors_.emplace_back();
      one.subject = subjects[i];
      one.group = options.groups.empty() ? 0 : options.groups[i];
    }
  }

  std::vector<Measurement> run() {
    first_launches();
    drop_hopeless();
    if (!stopped() && !competing().empty()) {
      bench_.calibrate_probe();
    }
    for (Competitor* one : competing()) {
      qualify(*one);
    }
    drop_slow();
    warm_up_all();
    run_rounds();
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
  double budget_ns() const { return static_cast<double>(options_.budget_ns); }
  double elapsed_ns() const { return static_cast<double>(context_.clock->now_ns() - start_ns_); }
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

  double predicted_round_ns() {
    const auto those = competing();
    return bench_.predicted_round_ns({those.begin(), those.end()});
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

  // Touches memory, starts threads, and gives a first idea of the time.
  void first_launches() {
    for (Competitor& one : competitors_) {
      if (stopped()) {
        return;
      }
      if (elapsed_ns() >= budget_ns()) {
        one.leave(SubjectEnd::ceiling);
        continue;
      }
      const core::Result<Sample> sample = bench_.run(one);
      if (!sample) {
        one.fail(sample.error());
        continue;
      }
      one.warmed_up_by(*sample);
      bench_.lengthen(one);
      report_progress(one);
    }
  }

  /// Latest time of the fastest in each group.
  std::map<int, double> fastest_ns() {
    std::map<int, double> fastest;
    for (const Competitor* one : competing()) {
      const auto [entry, first] = fastest.try_emplace(one->group, time_ns(one->latest));
      entry->second = first ? entry->second : std::min(entry->second, time_ns(one->latest));
    }
    return fastest;
  }

  void drop_hopeless() {
    if (stopped() || options_.drop_ratio <= 0) {
      return;
    }
    const std::map<int, double> fastest = fastest_ns();
    const double long_ns = std::max(kLongLaunchNs, kLongLaunchShare * budget_ns());
    for (Competitor* one : competing()) {
      const double hopeless_ns = fastest.at(one->group) * options_.drop_ratio * kHopeless;
      if (time_ns(one->latest) > std::max(hopeless_ns, long_ns)) {
        one->result.warmup_launches = 0;
        one->result.warmup_ns = 0;
        keep(*one, one->latest);
        one->leave(SubjectEnd::dropped);
      }
    }
  }

  // The first proper sample: a batch that is long enough.
  void qualify(Competitor& one) {
    for (int i = 1; i <= kCalibrations && !stopped(); ++i) {
      if (!fits(one.predicted_ns(), kOverrun)) {
        one.leave(SubjectEnd::ceiling);
        return;
      }
      const core::Result<Sample> sample = bench_.run_between_probes(one);
      if (!sample) {
        one.fail(sample.error());
        return;
      }
      report_progress(one);
      if (bench_.long_enough(*sample) || i == kCalibrations) {
        keep(one, *sample);
        return;
      }
      one.warmed_up_by(*sample);
      bench_.lengthen(one);
    }
  }

  // Those that stay give up their proper sample: it belongs to the warm-up.
  void drop_slow() {
    load_.close();
    const bool may_drop = options_.drop_ratio > 0 && !stopped();
    const std::map<int, double> fastest = fastest_ns();
    for (Competitor* one : competing()) {
      if (may_drop && time_ns(one->latest) > fastest.at(one->group) * options_.drop_ratio) {
        one->leave(SubjectEnd::dropped);
        continue;
      }
      for (const Sample& sample : one->result.rounds) {
        one->warmed_up_by(sample);
      }
      one->result.rounds.clear();
    }
  }

  void warm_up(Competitor& one, double limit_ns) {
    std::vector<double> times = {time_ns(one.latest)};
    std::vector<double> host_times = {one.latest.host_ns};
    double spent_ns = 0;
    while (!stopped() && !reached_plateau(times) && spent_ns + one.predicted_ns() <= limit_ns) {
      const core::Result<Sample> sample = bench_.run(one);
      if (!sample) {
        one.fail(sample.error());
        return;
      }
      spent_ns += duration_ns(*sample);
      times.push_back(time_ns(*sample));
      host_times.push_back(sample->host_ns);
      one.warmed_up_by(*sample);
      bench_.lengthen(one);
      report_progress(one);
    }
    const auto last = static_cast<std::ptrdiff_t>(std::min<std::size_t>(3, host_times.size()));
    one.launches = bench_.launches_of(*std::min_element(host_times.end() - last, host_times.end()));
  }

  void warm_up_all() {
    const auto those = competing();
    for (std::size_t i = 0; i < those.size() && !stopped(); ++i) {
      const double spare_ns = budget_ns() - elapsed_ns() - kMinRounds * predicted_round_ns();
      warm_up(*those[i],
              std::min({static_cast<double>(options_.warmup_max_ns),
                        kWarmupShare * budget_ns() / static_cast<double>(those.size()),
                        spare_ns / static_cast<double>(those.size() - i)}));
    }
  }

  // False if it was cut short.
  bool run_round() {
    std::vector<Competitor*> order = competing();
    const std::size_t first = static_cast<std::size_t>(done_) % order.size();
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(first), order.end());
    for (Competitor* one : order) {
      if (stopped()) {
        return false;
      }
      const core::Result<Sample> sample = bench_.run_between_probes(*one);
      if (!sample) {
        one->fail(sample.error());
        continue;
      }
      keep(*one, *sample);
      bench_.lengthen(*one);
      report_progress(*one);
    }
    return true;
  }

  bool all_reached_target() {
    const auto those = competing();
    return std::all_of(those.begin(), those.end(), [this](const Competitor* one) {
      return reached_target(one->result, options_.target_relative_half_width);
    });
  }

  void run_rounds() {
    load_.close();
    StoppingRule rule;
    bool enough = false;
    cut_short_ = stopped();
    double round_ns = predicted_round_ns();
    while (!enough && !cut_short_ && done_ < options_.max_rounds && !competing().empty() &&
           fits(round_ns, done_ < kMinRounds ? kOverrun : 1)) {
      const double begin_ns = elapsed_ns();
      round_ = done_ + 1;
      cut_short_ = !run_round();
      if (cut_short_) {
        break;
      }
      ++done_;
      round_ns = elapsed_ns() - begin_ns;
      enough = is_check(done_) && rule.stop(all_reached_target());
    }
    load_.close();
  }

  SubjectEnd end_of(const Measurement& result) const {
    if (cut_short_) {
      return SubjectEnd::interrupted;
    }
    if (reached_target(result, options_.target_relative_half_width)) {
      return SubjectEnd::converged;
    }
    return done_ >= options_.max_rounds ? SubjectEnd::noisy : SubjectEnd::ceiling;
  }

  const SamplerOptions& options_;
  const SamplerContext& context_;
  std::int64_t start_ns_;
  Bench bench_;
  LoadWindow load_;
  std::vector<Competitor> competitors_;
  int done_ = 0;            // complete rounds
  int round_ = 0;           // the one that runs, from 1
  bool cut_short_ = false;  // by the stop flag
};

}  // namespace

std::vector<Measurement> measure_subjects(const std::vector<Subject*>& subjects,
                                          const SamplerOptions& options,
                                          const SamplerContext& context) {
  return Session(subjects, options, context).run();
}

}  // namespace jissoku::measure
