#include "jissoku/experiments/matmul/contest.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "jissoku/document/derive.hpp"
#include "jissoku/experiments/matmul/rows.hpp"
#include "jissoku/numerics/statistics.hpp"

namespace jissoku::experiments::matmul {
namespace {

using document::Row;
using document::RowStatus;
using measure::SubjectEnd;

bool is_integer(double value) {
  return value == std::nearbyint(value);
}

/// Integers that make every sum of the product exact, if the scalars allow it and there are any.
std::optional<Filling> exact_filling(const Problem& problem, const Params& params) {
  const double terms = static_cast<double>(problem.shape.k) * std::abs(params.alpha) + std::abs(params.beta);
  if (!is_integer(params.alpha) || !is_integer(params.beta) || terms > 1e15) {
    return std::nullopt;
  }
  const int magnitude =
      numerics::exact_integer_magnitude(accumulator_of(problem.type), static_cast<std::int64_t>(terms));
  if (magnitude < 1) {
    return std::nullopt;
  }
  return Filling{numerics::Data::ints, magnitude, static_cast<std::uint64_t>(params.seed)};
}

/// Integers are timed at the magnitude at which they are exact.
Filling timed_filling(const std::optional<Filling>& exact, const Params& params) {
  return {params.data, exact ? exact->magnitude : 1, static_cast<std::uint64_t>(params.seed)};
}

bool holds_integers(numerics::Data data) {
  return data == numerics::Data::ints || data == numerics::Data::zeros;
}

void fail(Contestant& contestant, const core::Error& error) {
  contestant.subject.reset();
  contestant.row.status = RowStatus::error;
  contestant.row.reason = error.message;
}

void judge(Contestant& contestant, const numerics::Verification& verification) {
  if (!verification.passed) {
    contestant.subject.reset();
    contestant.row.status = RowStatus::wrong;
    contestant.row.reason = verification.finding;
  }
}

std::string label(const Station& station, const std::string& variant) {
  const std::string& id = station.session.info().id;
  return variant.empty() ? id : id + ":" + variant;
}

/// Variants of one device compete for a place; a device does not push out another.
std::vector<int> groups_of(const std::vector<Contestant*>& contestants) {
  std::vector<int> groups;
  std::map<const Station*, int> numbers;
  for (const Contestant* contestant : contestants) {
    groups.push_back(
        numbers.try_emplace(contestant->station, static_cast<int>(numbers.size())).first->second);
  }
  return groups;
}

bool has_printable_time(const Row& row) {
  return document::time_ns(row).has_value();
}

}  // namespace

Contest::Contest(const Arena& arena, const Problem& problem) : arena_(arena), problem_(problem) {
  const device::Gemm gemm = describe_gemm(problem, arena.params);
  for (Station& station : arena_.stations) {
    for (const device::Variant& variant : ways_of(*station.session.device, gemm)) {
      if (station.choose || station.variants.count(variant.name) > 0) {
        enter(station, variant);
      }
    }
  }
}

Contest::~Contest() = default;

bool Contest::selected(const std::string& row_id) const {
  return !arena_.params.selected || arena_.params.selected(row_id);
}

std::optional<Row> Contest::chosen_row(const Station& station) const {
  Row row = describe_row(problem_, arena_.params, station.session.info().id, station.threads);
  return station.choose && selected(row.id) ? std::optional(std::move(row)) : std::nullopt;
}

void Contest::enter(Station& station, const device::Variant& variant) {
  Contestant contestant;
  contestant.station = &station;
  contestant.gemm = describe_gemm(problem_, arena_.params);
  contestant.gemm.variant = variant.name;
  contestant.row = describe_row(problem_, arena_.params, label(station, variant.name), station.threads);
  contestant.row.implementation = implementation_of(variant, "");
  contestant.wanted = selected(contestant.row.id);
  const device::Support support = station.session.device->supports(contestant.gemm);
  if (!support.ok) {
    contestant.row.status = RowStatus::unsupported;
    contestant.row.reason = support.reason;
  } else {
    contestant.subject =
        std::make_unique<OperationSubject>(station.session, contestant.gemm, *arena_.context.clock);
  }
  if (contestant.wanted || chosen_row(station)) {
    contestants_.push_back(std::move(contestant));
  }
}

std::vector<std::string> Contest::row_ids() const {
  std::vector<std::string> ids;
  for (const Contestant& contestant : contestants_) {
    if (contestant.wanted) {
      ids.push_back(contestant.row.id);
    }
  }
  for (const Station& station : arena_.stations) {
    if (const auto row = chosen_row(station)) {
      ids.push_back(row->id);
    }
  }
  return ids;
}

int Contest::subjects() const {
  return static_cast<int>(std::count_if(contestants_.begin(), contestants_.end(), [](const Contestant& one) {
    return one.subject != nullptr;
  }));
}

measure::SamplerOptions Contest::sampler_options(std::int64_t budget_ns) const {
  // Virtual CPUs share their cores with strangers: short samples there measure who else is running.
  constexpr std::int64_t kAlone = 5'000'000;
  constexpr std::int64_t kShared = 30'000'000;
  measure::SamplerOptions options;
  options.min_sample_ns = arena_.context.machine->virtualisation.empty() ? kAlone : kShared;
  options.budget_ns = budget_ns;
  options.settle_ns = 2'000'000;  // the spinning of OpenMP threads after a parallel region
  const bool choosing = std::any_of(
      arena_.stations.begin(), arena_.stations.end(), [](const Station& station) { return station.choose; });
  options.drop_ratio = choosing ? options.drop_ratio : 0;  // those asked for by name are all measured
  return options;
}

measure::Subject* Contest::probe() {
  if (probe_) {
    return probe_.get();
  }
  for (Station& station : arena_.stations) {
    if (const auto& fma = station.fma[problem_.type]; fma && !station.session.info().queued) {
      probe_ = std::make_unique<OperationSubject>(station.session, fma->operation, *arena_.context.clock);
      return probe_.get();
    }
  }
  return nullptr;
}

void Contest::prove(Station& station, Operands& operands) {
  const auto exact = exact_filling(problem_, arena_.params);
  const Filling timed = timed_filling(exact, arena_.params);
  core::Status filled = operands.fill(exact.value_or(timed));
  for (Contestant& contestant : contestants_) {
    if (contestant.station != &station || !contestant.subject) {
      continue;
    }
    contestant.operands = &operands;
    for (auto [mine, theirs] : {std::pair{&contestant.gemm.a, &operands.gemm().a},
                                std::pair{&contestant.gemm.b, &operands.gemm().b},
                                std::pair{&contestant.gemm.c, &operands.gemm().c}}) {
      *mine = *theirs;
    }
    contestant.row.implementation.paging = operands.paging();
    if (!filled) {
      fail(contestant, filled.error());
      continue;
    }
    const auto verification =
        operands.verify(contestant.gemm, exact.has_value(), arena_.context.machine->usable_threads);
    if (!verification) {
      fail(contestant, verification.error());
      continue;
    }
    contestant.row.verification = *verification;
    contestant.subject =
        std::make_unique<OperationSubject>(station.session, contestant.gemm, *arena_.context.clock);
    judge(contestant, *verification);
  }
  if (filled && exact) {
    filled = operands.fill(timed);
  }
  for (Contestant& contestant : contestants_) {
    if (!filled && contestant.station == &station && contestant.subject) {
      fail(contestant, filled.error());
    }
  }
}

// The operands that were timed give another, looser proof: the samples did the same work on them.
void Contest::prove_timed() {
  const bool exact = holds_integers(arena_.params.data) && exact_filling(problem_, arena_.params).has_value();
  for (Contestant& contestant : contestants_) {
    if (!contestant.subject || std::ssize(contestant.measurement.rounds) < numerics::kMinRounds) {
      continue;
    }
    const auto verification =
        contestant.operands->verify(contestant.gemm, exact, arena_.context.machine->usable_threads);
    if (!verification) {
      fail(contestant, verification.error());
      continue;
    }
    contestant.row.timed_verification = *verification;
    judge(contestant, *verification);
  }
}

void Contest::prove_all() {
  for (Station& station : arena_.stations) {
    const bool takes_part = std::any_of(contestants_.begin(), contestants_.end(), [&](const Contestant& one) {
      return one.station == &station && one.subject;
    });
    if (!takes_part) {
      continue;
    }
    auto operands = Operands::allocate(station.session, problem_, arena_.params);
    if (operands) {
      prove(station, operands_.emplace_back(std::move(*operands)));
      continue;
    }
    for (Contestant& contestant : contestants_) {
      if (contestant.station == &station && contestant.subject) {
        fail(contestant, operands.error());
      }
    }
  }
}

core::Result<Outcome> Contest::run(std::int64_t budget_ns,
                                   std::function<void(const measure::Progress&)> on_progress) {
  measure::Clock& clock = *arena_.context.clock;
  const std::int64_t start_ns = clock.now_ns();
  prove_all();
  // The second proof will take as long as the first.
  const std::int64_t proofs_ns = 2 * (clock.now_ns() - start_ns);
  std::vector<measure::Subject*> subjects;
  std::vector<Contestant*> timed;
  for (Contestant& contestant : contestants_) {
    if (contestant.subject) {
      subjects.push_back(contestant.subject.get());
      timed.push_back(&contestant);
    }
  }
  Outcome outcome;
  if (!subjects.empty()) {
    measure::SamplerContext sampler;
    sampler.clock = &clock;
    sampler.stop = arena_.context.stop;
    sampler.probe = probe();
    sampler.on_progress = std::move(on_progress);
    measure::SamplerOptions options = sampler_options(std::max<std::int64_t>(1, budget_ns - proofs_ns));
    options.groups = groups_of(timed);
    auto measurements = measure::measure_subjects(subjects, options, sampler);
    for (std::size_t i = 0; i < timed.size(); ++i) {
      timed[i]->measurement = std::move(measurements[i]);
    }
  }
  conclude(outcome);
  return outcome;
}

void Contest::add_ceilings(Contestant& contestant) {
  Station& station = *contestant.station;
  if (const auto& fma = station.fma[problem_.type]; fma && !station.session.info().queued) {
    add_fma_ceiling(contestant.row, *fma);
  }
  if (station.memory) {
    contestant.row.ceilings.push_back(*station.memory);
  }
  if (station.datasheet) {
    document::Ceiling promised =
        datasheet_ceiling(*station.datasheet, problem_.type, contestant.gemm.accumulator);
    if (promised.per_second > 0) {
      contestant.row.ceilings.push_back(std::move(promised));
    }
  }
}

double Contest::best_time_ns() const {
  double best_ns = std::numeric_limits<double>::infinity();
  for (const Contestant& contestant : contestants_) {
    if (contestant.subject && !contestant.measurement.rounds.empty()) {
      best_ns = std::min(best_ns, numerics::median(measure::round_times_ns(contestant.measurement)));
    }
  }
  return best_ns;
}

measure::Subject* Contest::quickest() const {
  measure::Subject* quickest = nullptr;
  double best_ns = std::numeric_limits<double>::infinity();
  for (const Contestant& contestant : contestants_) {
    const auto time = document::time_ns(contestant.row);
    if (contestant.subject && time && time->value < best_ns) {
      best_ns = time->value;
      quickest = contestant.subject.get();
    }
  }
  return quickest;
}

void Contest::conclude(Outcome& outcome) {
  const double best_ns = best_time_ns();
  for (Contestant& contestant : contestants_) {
    outcome.interrupted |= contestant.measurement.end == SubjectEnd::interrupted;
    if (contestant.subject) {
      contestant.row.run_to_run = run_to_run(contestant.station->session.info(), *arena_.context.machine);
      add_measurement(contestant.row, contestant.measurement, best_ns);
      add_ceilings(contestant);
      note_idle_threads(contestant.row);
    }
  }
  prove_timed();
  for (const Contestant& contestant : contestants_) {
    // An interrupted case without enough rounds is measured again by --resume, so it has no row.
    const bool unfinished = outcome.interrupted && contestant.subject && !has_printable_time(contestant.row);
    if (contestant.wanted && !unfinished) {
      outcome.rows.push_back(contestant.row);
    }
  }
  add_chosen_rows(outcome);
  set_baseline(outcome.rows);
}

void Contest::add_chosen_rows(Outcome& outcome) {
  for (const Station& station : arena_.stations) {
    std::optional<Row> described = chosen_row(station);
    if (!described) {
      continue;
    }
    std::vector<const Contestant*> candidates;
    std::vector<const measure::Measurement*> measurements;
    for (const Contestant& contestant : contestants_) {
      if (contestant.station == &station && contestant.subject && has_printable_time(contestant.row)) {
        candidates.push_back(&contestant);
        measurements.push_back(&contestant.measurement);
      }
    }
    const auto chosen =
        candidates.size() == 1 ? std::optional<std::size_t>(0) : choose_on_odd_rounds(measurements);
    if (!chosen) {
      continue;  // the reasons stand in the rows of the variants
    }
    Row row = candidates[*chosen]->row;
    row.id = described->id;
    row.again = described->again;
    row.device = described->device;
    if (candidates.size() > 1) {
      mark_chosen(row);
    }
    outcome.rows.push_back(std::move(row));
  }
}

// The best variant on the host is what an accelerator has to beat, and what the others are read against.
void Contest::set_baseline(std::vector<Row>& rows) const {
  const Contestant* best = nullptr;
  double best_ns = std::numeric_limits<double>::infinity();
  for (const Contestant& contestant : contestants_) {
    const auto time = document::time_ns(contestant.row);
    if (contestant.wanted && !contestant.station->session.info().queued && time && time->value < best_ns) {
      best_ns = time->value;
      best = &contestant;
    }
  }
  for (Row& row : rows) {
    row.baseline = best == nullptr ? "" : best->row.id;
  }
}

}  // namespace jissoku::experiments::matmul
