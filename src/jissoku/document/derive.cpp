#include "jissoku/document/derive.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace jissoku::document {
namespace {

using numerics::Estimate;

struct Round {
  std::size_t index;  ///< in Row::samples; rounds of one group of competitors have the same index
  double time_ns;
  double probe_ns;
};

bool is_positive(double value) {
  return std::isfinite(value) && value > 0;
}

/// The rounds that count. Without a time on the row's clock a round is none: documents come from outside.
std::vector<Round> scored_rounds(const Row& row) {
  const bool on_device = row.timing == "device";
  std::vector<Round> rounds;
  for (std::size_t i = row.implementation.chosen ? 1 : 0; i < row.samples.size();
       i += row.implementation.chosen ? 2 : 1) {
    const Sample& sample = row.samples[i];
    const double time_ns = on_device ? sample.device_ns.value_or(0) : sample.host_ns;
    if (is_positive(time_ns)) {
      rounds.push_back({i, time_ns, sample.probe_ns});
    }
  }
  return rounds;
}

bool has_enough(std::size_t rounds) {
  return rounds >= static_cast<std::size_t>(numerics::kMinRounds);
}

bool is_printable(const Row& row, const std::vector<Round>& rounds) {
  const bool measured = row.status == RowStatus::converged || row.status == RowStatus::noisy ||
                        row.status == RowStatus::ceiling || row.status == RowStatus::throttled;
  const bool refuted = row.timed_verification.done && !row.timed_verification.passed;
  return measured && row.verification.done && row.verification.passed && !refuted &&
         has_enough(rounds.size());
}

std::vector<double> times_ns(const std::vector<Round>& rounds) {
  std::vector<double> times(rounds.size());
  std::transform(
      rounds.begin(), rounds.end(), times.begin(), [](const Round& round) { return round.time_ns; });
  return times;
}

/// Both sides of the interval grow by what changes from run to run, in quadrature on the logarithms.
Estimate with_run_to_run(Estimate estimate, double run_to_run) {
  if (run_to_run > 0) {
    const double below = std::log(estimate.value / estimate.interval.low);
    const double above = std::log(estimate.interval.high / estimate.value);
    estimate.interval = {estimate.value * std::exp(-std::hypot(below, run_to_run)),
                         estimate.value * std::exp(std::hypot(above, run_to_run))};
  }
  return estimate;
}

/// `work` per second; nullopt where the row does no work of this kind.
std::optional<Estimate> rate(const Row& row, double work) {
  const auto time = time_ns(row);
  if (!time || !is_positive(work)) {
    return std::nullopt;
  }
  const double scaled = work * 1e9;
  return Estimate{
      scaled / time->value, {scaled / time->interval.high, scaled / time->interval.low}, time->rounds};
}

/// False where a round's ratio base/subject is out of the range of a double.
bool has_ratio(const std::vector<double>& base, const std::vector<double>& subject) {
  for (std::size_t i = 0; i < base.size(); ++i) {
    if (!is_positive(base[i]) || !is_positive(base[i] / subject[i])) {
      return false;
    }
  }
  return true;
}

/// The share that the probe saw of the same peak at the same moment: the time the row's FLOPs would take at
/// the probe's rate of that round, over the time they took.
std::optional<Estimate> share_beside_probe(const Row& row) {
  const std::vector<Round> rounds = scored_rounds(row);
  std::vector<double> at_peak(rounds.size());
  std::transform(rounds.begin(), rounds.end(), at_peak.begin(), [&](const Round& round) {
    return row.flops / row.probe_flops * round.probe_ns;
  });
  const std::vector<double> times = times_ns(rounds);
  if (!has_ratio(at_peak, times)) {
    return std::nullopt;
  }
  return with_run_to_run(numerics::estimate_ratio_to_probe(at_peak, times), row.run_to_run);
}

bool has_probe_beside_every_sample(const Row& row) {
  const std::vector<Round> rounds = scored_rounds(row);
  return is_positive(row.probe_flops) && std::all_of(rounds.begin(), rounds.end(), [](const Round& round) {
           return is_positive(round.probe_ns);
         });
}

/// Wall time of a round's whole batch.
double batch_ns(const Sample& sample) {
  return static_cast<double>(sample.launches) * sample.host_ns;
}

/// Sum of value(sample) weighted by its wall time, over the wall time; 0 without samples.
template <typename Share>
double mean_over_time(const Row& row, Share&& share) {
  double weighted = 0, total = 0;
  for (const Sample& sample : row.samples) {
    if (is_positive(batch_ns(sample))) {
      weighted += share(sample) * batch_ns(sample);
      total += batch_ns(sample);
    }
  }
  return total > 0 ? weighted / total : 0;
}

}  // namespace

std::vector<double> scored_times_ns(const Row& row) {
  return times_ns(scored_rounds(row));
}

std::optional<Estimate> time_ns(const Row& row) {
  const std::vector<Round> rounds = scored_rounds(row);
  if (!is_printable(row, rounds)) {
    return std::nullopt;
  }
  return with_run_to_run(numerics::estimate_median(times_ns(rounds)), row.run_to_run);
}

std::optional<Estimate> flops_per_second(const Row& row) {
  return rate(row, row.flops);
}

std::optional<Estimate> bytes_per_second(const Row& row) {
  return rate(row, row.bytes);
}

std::optional<Estimate> share_of(const Row& row, const std::string& ceiling_kind) {
  const auto ceiling = std::find_if(row.ceilings.begin(), row.ceilings.end(), [&](const Ceiling& candidate) {
    return candidate.kind == ceiling_kind;
  });
  const bool of_memory = ceiling_kind == "measured_memory";
  const auto reached = of_memory ? bytes_per_second(row) : flops_per_second(row);
  if (ceiling == row.ceilings.end() || !is_positive(ceiling->per_second) || !reached) {
    return std::nullopt;
  }
  if (ceiling_kind == "measured_fma" && has_probe_beside_every_sample(row)) {
    return share_beside_probe(row);
  }
  return Estimate{reached->value / ceiling->per_second,
                  {reached->interval.low / ceiling->per_second, reached->interval.high / ceiling->per_second},
                  reached->rounds};
}

std::optional<Estimate> speed_up(const Row& base, const Row& row) {
  const std::vector<Round> base_rounds = scored_rounds(base), rounds = scored_rounds(row);
  if (!is_printable(base, base_rounds) || !is_printable(row, rounds)) {
    return std::nullopt;
  }
  std::vector<double> base_times, times;
  auto other = rounds.begin();
  for (const Round& round : base_rounds) {
    other = std::find_if(
        other, rounds.end(), [&](const Round& candidate) { return candidate.index >= round.index; });
    if (other != rounds.end() && other->index == round.index) {
      base_times.push_back(round.time_ns);
      times.push_back(other->time_ns);
    }
  }
  return has_enough(times.size()) && has_ratio(base_times, times)
             ? std::optional(numerics::estimate_ratio(base_times, times))
             : std::nullopt;
}

double threads_at_work(const Row& row) {
  return mean_over_time(row, [](const Sample& sample) { return sample.cpu_ns / sample.host_ns; });
}

double foreign_cpu_share(const Row& row) {
  return mean_over_time(row, [](const Sample& sample) { return sample.foreign_cpu_share; });
}

}  // namespace jissoku::document
