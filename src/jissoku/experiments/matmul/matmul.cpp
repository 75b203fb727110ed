#include "jissoku/experiments/matmul/matmul.hpp"

#include <algorithm>
#include <utility>

#include "jissoku/document/derive.hpp"
#include "jissoku/experiments/datasheet.hpp"
#include "jissoku/experiments/matmul/contest.hpp"
#include "jissoku/experiments/matmul/findings.hpp"
#include "jissoku/experiments/matmul/rows.hpp"
#include "jissoku/measure/planner.hpp"
#include "jissoku/measure/virtual_clock.hpp"

namespace jissoku::experiments::matmul {
namespace {

using core::ExitCode;
using core::make_error;
using core::message;

int threads_of(const Context& context, const Params& params) {
  return params.threads > 0 ? params.threads : context.machine->usable_threads;
}

Station& station_of(std::deque<Station>& stations, const std::string& id) {
  const auto found = std::find_if(stations.begin(), stations.end(), [&](const Station& station) {
    return station.session.info().id == id;
  });
  return *found;
}

/// A variant asked for by name must be there: else the run would answer another question.
core::Status check_variants(const Station& station, const Params& params) {
  for (const std::string& name : station.variants) {
    device::Gemm gemm = describe_gemm(params.problems.front(), params);
    const auto known = station.session.device->variants(gemm);
    const bool there = std::any_of(
        known.begin(), known.end(), [&](const device::Variant& variant) { return variant.name == name; });
    if (!there) {
      gemm.variant = name;
      const device::Support support = station.session.device->supports(gemm);
      return make_error(ExitCode::unavailable,
                        "matmul.variant_unavailable",
                        {{"device", station.session.info().id + ":" + name},
                         {"reasons", std::vector<core::Message>{support.reason}}});
    }
  }
  return {};
}

core::Result<std::deque<Station>> open_stations(const Context& context, const Params& params) {
  const std::vector<DatasheetDevice> datasheets = embedded_datasheets();
  std::deque<Station> stations;
  for (const device::Selection& selection : params.devices) {
    const bool open = std::any_of(stations.begin(), stations.end(), [&](const Station& station) {
      return station.session.info().id == selection.id;
    });
    if (!open) {
      device::OpenOptions options;
      options.threads = threads_of(context, params);
      auto session = open_session(*context.registry, selection.id, options);
      if (!session) {
        return session.error();
      }
      Station& station = stations.emplace_back();
      station.session = std::move(*session);
      station.threads = station.session.info().queued ? 0 : options.threads;
      if (const auto* known = datasheet_of(datasheets, station.session.info())) {
        station.datasheet = *known;
      }
    }
    Station& station = station_of(stations, selection.id);
    if (selection.variant.empty()) {
      station.choose = true;
    } else {
      station.variants.insert(selection.variant);
    }
  }
  for (const Station& station : stations) {
    if (auto known = check_variants(station, params); !known) {
      return known.error();
    }
  }
  return stations;
}

void measure_ceilings(const Context& context, const Params& params, std::deque<Station>& stations) {
  // The bandwidth takes a second or two: arrays larger than the caches must be touched first.
  constexpr std::int64_t kLeastForMemory = 10'000'000'000;
  const auto stopped = [&] { return context.stop != nullptr && context.stop->requested(); };
  for (Station& station : stations) {
    if (station.session.info().modelled) {
      continue;
    }
    for (const Problem& problem : params.problems) {
      if (!stopped() && station.fma.count(problem.type) == 0) {
        station.fma[problem.type] = measure_fma(station.session, problem.type, *context.clock);
      }
    }
    if (!stopped() && params.budget_ns >= kLeastForMemory) {
      station.memory = measure_memory(station.session, *context.machine, *context.clock);
    }
  }
}

/// What one launch of the best variant will take, before anything was timed: a typical share of the
/// multiply-add peak, or the time its bytes need.
double predicted_launch_ns(const device::Gemm& gemm,
                           const std::deque<Station>& stations,
                           const Problem& problem) {
  constexpr double kUsualShare = 0.5;
  constexpr double kPlainLoopFlops = 0.5e9;
  double flops_per_second = kPlainLoopFlops;
  double bytes_per_second = 0;
  for (const Station& station : stations) {
    if (const auto fma = station.fma.find(problem.type); fma != station.fma.end() && fma->second) {
      flops_per_second = std::max(flops_per_second, kUsualShare * fma->second->ceiling.per_second);
    }
    if (station.memory) {
      bytes_per_second = std::max(bytes_per_second, station.memory->per_second);
    }
  }
  const double by_memory = bytes_per_second > 0 ? device::gemm_bytes(gemm) / bytes_per_second * 1e9 : 0;
  return std::max(device::gemm_flops(gemm) / flops_per_second * 1e9, by_memory);
}

/// FLOP/s at which the numbers of a model are computed: by an engine of the CPU, whose peak may be known.
double model_rate(const Arena& arena, const std::deque<Station>& stations) {
  constexpr double kUsualShare = 0.5;
  constexpr double kPerThread = 20e9;
  double rate = kPerThread * arena.context.machine->usable_threads;
  for (const Station& station : stations) {
    const auto fma = station.fma.find(numerics::DataType::f32);
    if (fma != station.fma.end() && fma->second && station.session.info().is_host) {
      rate = std::max(rate, kUsualShare * fma->second->ceiling.per_second);
    }
  }
  return rate;
}

measure::CaseCost cost_of(const Problem& problem, const Arena& arena, const std::deque<Station>& stations) {
  // Operands are filled twice; each variant is checked twice, after one launch each.
  constexpr double kFillNsPerByte = 4;
  constexpr double kCheckNsPerByte = 3;
  const Contest contest(arena, problem);
  const device::Gemm gemm = describe_gemm(problem, arena.params);
  measure::CaseCost cost;
  cost.id = case_id(problem);
  cost.launch_ns = contest.subjects() == 0 ? 1 : predicted_launch_ns(gemm, stations, problem);
  cost.subjects = std::max(1, contest.subjects());
  const auto bytes = static_cast<double>(operand_bytes(problem, arena.params));
  const double by_model_ns = device::gemm_flops(gemm) / model_rate(arena, stations) * 1e9;
  std::int64_t copies = 0;
  for (const Station& station : stations) {
    const device::Info& info = station.session.info();
    copies += (info.is_host ? 1 : 0) + (info.queued ? 1 : 0) + (info.modelled ? 2 : 0);
    // Resident and with copies, each checked twice; the product itself is computed for two fillings.
    cost.set_up_ns += info.modelled ? 4 * kCheckNsPerByte * bytes + 2 * by_model_ns : 0;
    cost.set_up_ns += kFillNsPerByte * bytes;
  }
  cost.memory_bytes = operand_bytes(problem, arena.params) * std::max<std::int64_t>(1, copies);
  cost.set_up_ns += contest.subjects() * (kCheckNsPerByte * bytes + 2 * cost.launch_ns);
  return cost;
}

core::Error too_large(const Context& context, const Params& params) {
  const Problem& problem = *std::min_element(
      params.problems.begin(), params.problems.end(), [&](const Problem& left, const Problem& right) {
        return operand_bytes(left, params) < operand_bytes(right, params);
      });
  return make_error(ExitCode::usage,
                    "matmul.too_large",
                    {{"m", problem.shape.m},
                     {"n", problem.shape.n},
                     {"k", problem.shape.k},
                     {"type", std::string(numerics::display_name(problem.type))},
                     {"needed", static_cast<double>(operand_bytes(problem, params))},
                     {"available", static_cast<double>(context.machine->memory_available_bytes)}});
}

/// One run of the experiment: the budget, and what is left of it.
class Run {
 public:
  Run(const Context& context, const Params& params, std::deque<Station> stations)
      : context_(context),
        params_(params),
        stations_(std::move(stations)),
        arena_{context_, params_, {}, *context.clock},
        start_ns_(context.clock->now_ns()) {
    for (Station& station : stations_) {
      if (device::VirtualTime* time = station.session.device->virtual_time()) {
        models_.push_back({context_, params_, {&station}, clocks_.emplace_back(*time)});
      } else {
        arena_.stations.push_back(&station);
      }
    }
  }

  core::Status all() {
    std::vector<Problem> problems = unmeasured();
    if (problems.empty()) {
      return {};
    }
    report(message("matmul.ceilings"), 0);
    measure_ceilings(context_, params_, stations_);
    if (stopped()) {
      return {};  // before a plan that would not hold
    }
    problems = plan(problems);
    for (std::size_t i = 0; i < problems.size() && !stopped(); ++i) {
      if (auto status = one({problems.begin() + static_cast<std::ptrdiff_t>(i), problems.end()}); !status) {
        return status;
      }
    }
    for (document::Finding& finding : findings(context_.sink->document().rows, *context_.registry)) {
      context_.sink->finding(std::move(finding));
    }
    return {};
  }

 private:
  bool stopped() const { return context_.stop != nullptr && context_.stop->requested(); }

  std::int64_t left_ns() const {
    return std::max<std::int64_t>(0, params_.budget_ns - (context_.clock->now_ns() - start_ns_));
  }

  void report(core::Message what, double within_case_ns) const {
    if (context_.on_progress) {
      const double done = 1 - static_cast<double>(left_ns()) / static_cast<double>(params_.budget_ns);
      context_.on_progress({std::move(what), done, std::max(within_case_ns, static_cast<double>(left_ns()))});
    }
  }

  /// The problems that have a row to give, by --filter and --resume.
  std::vector<Problem> unmeasured() const {
    std::vector<Problem> out;
    std::copy_if(
        params_.problems.begin(), params_.problems.end(), std::back_inserter(out), [&](const Problem& one) {
          const std::vector<std::string> ids = row_ids(one);
          return std::any_of(
              ids.begin(), ids.end(), [&](const std::string& id) { return !context_.sink->has_row(id); });
        });
    return out;
  }

  std::vector<std::string> row_ids(const Problem& problem) const {
    std::vector<std::string> ids = Contest(arena_, problem).row_ids();
    for (const Arena& model : models_) {
      const std::vector<std::string> more = Contest(model, problem).row_ids();
      ids.insert(ids.end(), more.begin(), more.end());
    }
    return ids;
  }

  measure::Plan plan_of(const std::vector<Problem>& problems) const {
    std::vector<measure::CaseCost> costs;
    costs.reserve(problems.size());
    for (const Problem& problem : problems) {
      costs.push_back(cost_of(problem, arena_, stations_));
    }
    return measure::plan_cases(costs,
                               left_ns() - (noise_known_ ? 0 : noise_reserve_ns()),
                               measure::SamplerOptions{}.min_sample_ns,
                               context_.machine->memory_available_bytes);
  }

  /// Prints the plan and keeps what it runs.
  std::vector<Problem> plan(const std::vector<Problem>& problems) {
    const measure::Plan plan = plan_of(problems);
    std::vector<document::PlannedCase> cases;
    std::vector<Problem> kept;
    for (std::size_t i = 0; i < problems.size(); ++i) {
      const measure::PlannedCase& one = plan.cases[i];
      cases.push_back({one.id, one.run, one.predicted_ns, one.reason});
      if (one.run) {
        kept.push_back(problems[i]);
      }
    }
    context_.sink->plan(std::move(cases));
    return kept;
  }

  /// Measures the first of the problems that are left with its share of the time that is left.
  core::Status one(const std::vector<Problem>& rest) {
    const Problem& problem = rest.front();
    const measure::PlannedCase planned = plan_of(rest).cases.front();
    const std::int64_t budget_ns = std::max<std::int64_t>(planned.budget_ns, 1);
    const auto progress = [&](const measure::Progress& at) {
      report(message("matmul.progress",
                     {{"m", problem.shape.m},
                      {"n", problem.shape.n},
                      {"k", problem.shape.k},
                      {"type", std::string(numerics::display_name(problem.type))},
                      {"round", std::int64_t{at.round}}}),
             0);
    };
    progress({});
    if (arena_.stations.empty()) {
      return model(problem, progress);
    }
    Contest contest(arena_, problem);
    auto outcome = contest.run(budget_ns, progress);
    if (!outcome) {
      return outcome.error();
    }
    for (document::Row& row : outcome->rows) {
      context_.sink->row(std::move(row));
    }
    if (measure::Subject* subject = contest.quickest();
        !outcome->interrupted && !noise_known_ && subject != nullptr) {
      measure_noise(contest, *subject);
    }
    return model(problem, progress);
  }

  /// Each model in rounds of its own, on its own clock: they cost only what their results cost, and no ratio
  /// to a measured row is formed. The first model is what the others are read against.
  core::Status model(const Problem& problem, const std::function<void(const measure::Progress&)>& progress) {
    constexpr std::int64_t kVirtualBudgetNs = 60'000'000'000;
    std::string first;
    for (const Arena& arena : models_) {
      if (stopped()) {
        break;
      }
      Contest contest(arena, problem);
      auto outcome = contest.run(kVirtualBudgetNs, progress);
      if (!outcome) {
        return outcome.error();
      }
      for (document::Row& row : outcome->rows) {
        first = first.empty() && document::time_ns(row) ? row.id : first;
        row.baseline = first;
        context_.sink->row(std::move(row));
      }
    }
    return {};
  }

  /// Time kept back for the noise floor.
  std::int64_t noise_reserve_ns() const { return std::min(left_ns(), params_.budget_ns / 12); }

  void measure_noise(Contest& contest, measure::Subject& subject) {
    measure::SamplerOptions options = contest.sampler_options(noise_reserve_ns());
    options.drop_ratio = 0;
    measure::SamplerContext sampler;
    sampler.clock = context_.clock;
    sampler.stop = context_.stop;
    const auto floor = measure::measure_noise_floor(subject, options, sampler);
    if (floor && floor->rounds >= numerics::kMinRounds) {
      context_.sink->noise_floor(floor->relative);
      noise_known_ = true;
    }
  }

  const Context& context_;
  const Params& params_;
  std::deque<Station> stations_;
  Arena arena_;                               ///< of what is measured
  std::deque<measure::VirtualClock> clocks_;  ///< one per model
  std::vector<Arena> models_;                 ///< of one model each
  std::int64_t start_ns_;
  bool noise_known_ = false;
};

}  // namespace

core::Status run(const Context& context, const Params& params) {
  const bool all_too_large =
      std::all_of(params.problems.begin(), params.problems.end(), [&](const Problem& problem) {
        return operand_bytes(problem, params) > context.machine->memory_available_bytes;
      });
  if (all_too_large) {
    return too_large(context, params);
  }
  auto stations = open_stations(context, params);
  if (!stations) {
    return stations.error();
  }
  return Run(context, params, std::move(*stations)).all();
}

}  // namespace jissoku::experiments::matmul
