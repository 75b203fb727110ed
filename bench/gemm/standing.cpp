#include "bench/gemm/standing.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace jissoku::bench {
namespace {

using numerics::kMinRounds;

/// Every second value; the first round is an odd one.
std::vector<double> every_second(const std::vector<double>& rounds, bool odd) {
  std::vector<double> those;
  for (std::size_t i = odd ? 0 : 1; i < rounds.size(); i += 2) {
    those.push_back(rounds[i]);
  }
  return those;
}

bool has_time(const Entry& entry) {
  return !entry.wrong && entry.reason.empty() && std::ssize(entry.measurement.rounds) >= kMinRounds;
}

bool is_library(const Entry& entry) {
  return !entry.ours && has_time(entry);
}

/// All libraries have rounds enough to be halved.
bool can_be_halved(const Cell& cell) {
  return std::all_of(cell.entries.begin(), cell.entries.end(), [](const Entry& entry) {
    return !has_time(entry) || std::ssize(entry.measurement.rounds) >= 2 * kMinRounds;
  });
}

std::optional<std::size_t> choose(const Cell& cell, bool odd_rounds_only) {
  std::optional<std::size_t> best;
  double best_ns = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < cell.entries.size(); ++i) {
    if (!is_library(cell.entries[i])) {
      continue;
    }
    const std::vector<double> times = measure::round_times_ns(cell.entries[i].measurement);
    const double time_ns = numerics::median(odd_rounds_only ? every_second(times, true) : times);
    if (time_ns < best_ns) {
      best_ns = time_ns;
      best = i;
    }
  }
  return best;
}

std::optional<numerics::Estimate> share_of_peak(const Cell& cell, const measure::Measurement& measurement) {
  std::vector<double> shares;
  for (const measure::Sample& sample : measurement.rounds) {
    if (sample.probe_ns <= 0 || cell.probe_flops <= 0) {
      return std::nullopt;
    }
    const double time_ns = sample.device_ns.value_or(sample.host_ns);
    shares.push_back((cell.flops / time_ns) / (cell.probe_flops / sample.probe_ns));
  }
  return numerics::estimate_median(shares);
}

/// Of the rounds that both have: the n-th samples of any two belong to the same round.
numerics::Estimate ratio(std::vector<double> best, std::vector<double> own) {
  const std::size_t common = std::min(best.size(), own.size());
  best.resize(common);
  own.resize(common);
  return numerics::estimate_ratio(best, own);
}

}  // namespace

Verdict judge(const Cell& cell) {
  Verdict verdict;
  verdict.apart = can_be_halved(cell);
  verdict.best_library = choose(cell, verdict.apart);
  const auto scored = [&](const Entry& entry) {
    const std::vector<double> times = measure::round_times_ns(entry.measurement);
    return verdict.apart ? every_second(times, false) : times;
  };
  for (const Entry& entry : cell.entries) {
    Standing& standing = verdict.standings.emplace_back();
    if (!has_time(entry)) {
      continue;
    }
    standing.time_ns = numerics::estimate_median(measure::round_times_ns(entry.measurement));
    standing.share_of_peak = share_of_peak(cell, entry.measurement);
    if (verdict.best_library) {
      standing.ratio = ratio(scored(cell.entries[*verdict.best_library]), scored(entry));
    }
  }
  return verdict;
}

bool has_wrong_result(const Cell& cell) {
  return std::any_of(
      cell.entries.begin(), cell.entries.end(), [](const Entry& entry) { return entry.wrong; });
}

}  // namespace jissoku::bench
