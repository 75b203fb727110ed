#include "jissoku/experiments/matmul/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "jissoku/document/derive.hpp"
#include "jissoku/experiments/matmul/operands.hpp"
#include "jissoku/numerics/statistics.hpp"

namespace jissoku::experiments::matmul {
namespace {

using core::message;
using document::Row;
using document::RowStatus;
using measure::Measurement;
using measure::SubjectEnd;

std::string shape_text(const core::Shape& shape) {
  return std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k);
}

std::string transpose_text(const Params& params) {
  return std::string(params.transpose_a ? "t" : "n") + (params.transpose_b ? "t" : "n");
}

std::string again(const Problem& problem, const Params& params, const std::string& device) {
  const auto& [m, n, k] = problem.shape;
  std::string line = "jissoku matmul";
  line += m == n && n == k ? " --n " + std::to_string(n) : " --shape " + shape_text(problem.shape);
  line += " --dtype " + std::string(numerics::to_string(problem.type)) + " --device " + device;
  if (params.transpose_a || params.transpose_b) {
    line += " --transpose " + transpose_text(params);
  }
  if (params.alpha != 1) {
    line += " --alpha " + core::format_number(params.alpha);
  }
  if (params.beta != 0) {
    line += " --beta " + core::format_number(params.beta);
  }
  if (problem.data != numerics::Data::normal) {
    line += " --data " + std::string(numerics::to_string(problem.data));
  }
  if (params.threads != 0) {
    line += " --threads " + std::to_string(params.threads);
  }
  return line + " --seed " + std::to_string(params.seed);
}

document::Sample sample_of(const measure::Sample& sample) {
  return {sample.launches,
          sample.host_ns,
          sample.device_ns,
          sample.cpu_ns,
          sample.foreign_cpu_share,
          sample.steal_share,
          sample.probe_ns};
}

double first_time_ns(const Measurement& measurement) {
  return measurement.rounds.empty() ? 0 : measure::round_times_ns(measurement).front();
}

/// Of the time over the rounds of this run alone, which is what more rounds would narrow; 0 where no time is
/// printed.
double own_half_width(Row row) {
  row.run_to_run = 0;
  const auto time = document::time_ns(row);
  return time ? time->relative_half_width() : 0;
}

core::Message reason_of(const Row& row, const Measurement& measurement, double best_ns) {
  const auto rounds = static_cast<std::int64_t>(measurement.rounds.size());
  switch (measurement.end) {
    case SubjectEnd::converged:
      return {};
    case SubjectEnd::failed:
      return measurement.error ? measurement.error->message : core::Message{};
    case SubjectEnd::interrupted:
      return message("matmul.interrupted", {{"rounds", rounds}});
    case SubjectEnd::dropped: {
      const double time_ns = first_time_ns(measurement);
      return message("matmul.dropped", {{"time", time_ns}, {"ratio", time_ns / best_ns}});
    }
    case SubjectEnd::ceiling:
    case SubjectEnd::noisy:
      break;
  }
  if (measurement.rounds.size() < static_cast<std::size_t>(numerics::kMinRounds)) {
    return message("matmul.too_few_rounds",
                   {{"rounds", rounds}, {"needed", std::int64_t{numerics::kMinRounds}}});
  }
  return message(measurement.end == SubjectEnd::ceiling ? "matmul.budget_ended" : "matmul.noisy",
                 {{"rounds", rounds},
                  {"half_width", own_half_width(row)},
                  {"foreign", document::foreign_cpu_share(row)}});
}

RowStatus status_of(const Measurement& measurement) {
  switch (measurement.end) {
    case SubjectEnd::converged:
      return RowStatus::converged;
    case SubjectEnd::noisy:
      return RowStatus::noisy;
    case SubjectEnd::failed:
      return RowStatus::error;
    case SubjectEnd::dropped:
      return RowStatus::skipped;
    case SubjectEnd::ceiling:
    case SubjectEnd::interrupted:
      break;
  }
  const bool printable = measurement.rounds.size() >= static_cast<std::size_t>(numerics::kMinRounds);
  return printable ? RowStatus::ceiling : RowStatus::skipped;
}

}  // namespace

Row describe_row(const Problem& problem, const Params& params, const Subject& subject) {
  const device::Gemm gemm = describe_gemm(problem, params);
  Row row;
  row.experiment = "matmul";
  row.device = subject.device;
  row.parameters = {{"m", problem.shape.m},
                    {"n", problem.shape.n},
                    {"k", problem.shape.k},
                    {"input", std::string(numerics::to_string(problem.type))},
                    {"accumulator", std::string(numerics::to_string(gemm.accumulator))},
                    {"output", std::string(numerics::to_string(gemm.c.type))},
                    {"transpose", transpose_text(params)},
                    {"alpha", params.alpha},
                    {"beta", params.beta},
                    {"data", std::string(numerics::to_string(problem.data))},
                    {"seed", params.seed},
                    {"cache", std::string("hot")}};
  if (subject.threads > 0) {
    row.parameters.push_back({"threads", std::int64_t{subject.threads}});
  }
  if (subject.with_copies) {
    row.parameters.push_back({"copies", std::string("included")});
  }
  row.flops = device::gemm_flops(gemm);
  row.bytes = device::gemm_bytes(gemm);
  row.again = again(problem, params, subject.device);
  row.id = document::row_id(row);
  return row;
}

std::string case_id(const Problem& problem) {
  const std::string data =
      problem.data == numerics::Data::normal ? "" : "/" + std::string(numerics::to_string(problem.data));
  return "matmul/" + std::string(numerics::to_string(problem.type)) + "/" + shape_text(problem.shape) + data;
}

document::Implementation implementation_of(const device::Variant& variant, const std::string& paging) {
  document::Implementation implementation;
  implementation.variant = variant.name;
  implementation.library = variant.library;
  implementation.file = variant.file;
  implementation.kernel = variant.kernel;
  implementation.threads = variant.threads;
  implementation.pinning = variant.pinning;
  implementation.paging = paging;
  implementation.notes = variant.notes;
  return implementation;
}

double run_to_run(const device::Info& device, const core::Machine& machine) {
  constexpr double kOwnMachine = 0.015;
  constexpr double kSharedHost = 0.04;  // neighbours take cache and bandwidth, which no probe here sees
  if (device.modelled) {
    return 0;
  }
  return device.is_host && !machine.virtualisation.empty() ? kSharedHost : kOwnMachine;
}

void add_measurement(Row& row, const Measurement& measurement, double best_ns) {
  std::transform(
      measurement.rounds.begin(), measurement.rounds.end(), std::back_inserter(row.samples), sample_of);
  row.warmup_ns = measurement.warmup_ns;
  row.timing = !row.samples.empty() && row.samples.front().device_ns ? "device" : "host";
  row.status = status_of(measurement);
  row.reason = reason_of(row, measurement, best_ns);
}

void mark_chosen(Row& row) {
  row.implementation.chosen = true;
  for (core::Argument& argument : row.reason.args) {
    if (argument.name == "half_width") {
      argument.value = own_half_width(row);
    } else if (argument.name == "rounds") {
      argument.value = static_cast<std::int64_t>(document::scored_times_ns(row).size());
    }
  }
}

void add_fma_ceiling(Row& row, const FmaCeiling& fma) {
  std::vector<double> probes;
  for (const document::Sample& sample : row.samples) {
    if (sample.probe_ns > 0) {
      probes.push_back(sample.probe_ns);
    }
  }
  if (probes.empty()) {
    return;
  }
  row.probe_flops = fma.operation.flops;
  document::Ceiling beside = fma.ceiling;
  beside.per_second = fma.operation.flops / numerics::median(probes) * 1e9;
  row.ceilings.push_back(beside);
  row.ceilings.insert(row.ceilings.end(), fma.others.begin(), fma.others.end());
}

void add_telemetry(Row& row, const device::Telemetry& telemetry) {
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) {
      row.telemetry.push_back({name, *value});
    }
  };
  add("clock_mhz", telemetry.clock_mhz);
  add("memory_clock_mhz", telemetry.memory_clock_mhz);
  add("power_watts", telemetry.power_watts);
  add("temperature_c", telemetry.temperature_c);
  if (!telemetry.link.empty()) {
    row.telemetry.push_back({"link", telemetry.link});
  }
  std::string reasons;
  for (const std::string& reason : telemetry.throttle_reasons) {
    reasons += (reasons.empty() ? "" : ", ") + reason;
  }
  if (reasons.empty()) {
    return;
  }
  row.telemetry.push_back({"throttle", reasons});
  // A power cap is how a card is sold; heat is a fault of the place where it stands.
  if (reasons.find("thermal") != std::string::npos && row.status == RowStatus::converged) {
    row.status = RowStatus::throttled;
    row.reason = message("matmul.throttled", {{"reasons", reasons}});
  }
}

void note_idle_threads(Row& row) {
  constexpr double kBusyShare = 0.75;
  const int told = row.implementation.threads;
  constexpr double kDisturbed = 0.1;  // others took the CPUs: that says nothing about the library
  if (told < 2 || row.samples.empty() || document::foreign_cpu_share(row) > kDisturbed) {
    return;
  }
  const double busy = std::round(document::threads_at_work(row) * 10) / 10;
  if (busy < kBusyShare * told) {
    row.implementation.notes.push_back(
        message("matmul.idle_threads", {{"busy", busy}, {"told", std::int64_t{told}}}));
  }
}

std::optional<std::size_t> choose_on_odd_rounds(const std::vector<const Measurement*>& candidates) {
  std::optional<std::size_t> best;
  double best_ns = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::vector<double> times = measure::round_times_ns(*candidates[i]);
    if (times.size() < 2 * static_cast<std::size_t>(numerics::kMinRounds)) {
      continue;
    }
    std::vector<double> odd;
    for (std::size_t round = 0; round < times.size(); round += 2) {
      odd.push_back(times[round]);
    }
    if (const double median_ns = numerics::median(odd); median_ns < best_ns) {
      best_ns = median_ns;
      best = i;
    }
  }
  return best;
}

}  // namespace jissoku::experiments::matmul
