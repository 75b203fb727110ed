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
  // The operands must be integers of their format, and the sums of the accumulator's.
  const double roundoff = numerics::unit_roundoff(problem.type);
  const double largest = roundoff > 0 ? 1 / roundoff : 127;
  const int magnitude = static_cast<int>(std::min<double>(
      largest,
      numerics::exact_integer_magnitude(accumulator_of(problem.type), static_cast<std::int64_t>(terms))));
  if (magnitude < 1) {
    return std::nullopt;
  }
  return Filling{numerics::Data::ints, magnitude, static_cast<std::uint64_t>(params.seed)};
}

/// Integers are timed at the magnitude at which they are exact.
Filling timed_filling(const Problem& problem, const std::optional<Filling>& exact, const Params& params) {
  return {problem.data, exact ? exact->magnitude : 1, static_cast<std::uint64_t>(params.seed)};
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

/// Variants of one device compete for a place, with copies and without; a device does not push out another.
std::vector<int> groups_of(const std::vector<Contestant*>& contestants) {
  std::vector<int> groups;
  std::map<std::pair<const Station*, bool>, int> numbers;
  for (const Contestant* contestant : contestants) {
    const std::pair key(static_cast<const Station*>(contestant->station), contestant->with_copies);
    groups.push_back(numbers.try_emplace(key, static_cast<int>(numbers.size())).first->second);
  }
  return groups;
}

bool has_printable_time(const Row& row) {
  return document::time_ns(row).has_value();
}

}  // namespace

Contest::Contest(const Arena& arena, const Problem& problem) : arena_(arena), problem_(problem) {
  const device::Gemm gemm = describe_gemm(problem, arena.params);
  for (Station* station : arena_.stations) {
    for (const device::Variant& variant : ways_of(*station->session.device, gemm)) {
      if (station->choose || station->variants.count(variant.name) > 0) {
        enter(*station, variant, false);
        if (station->session.info().queued) {
          enter(*station, variant, true);
        }
      }
    }
  }
}

Contest::~Contest() = default;

bool Contest::selected(const std::string& row_id) const {
  return !arena_.params.selected || arena_.params.selected(row_id);
}

std::optional<Row> Contest::chosen_row(const Station& station, bool with_copies) const {
  const device::Info& info = station.session.info();
  Row row = describe_row(problem_, arena_.params, {info.id, station.threads, with_copies});
  const bool there = station.choose && (!with_copies || info.queued);
  return there && selected(row.id) ? std::optional(std::move(row)) : std::nullopt;
}

void Contest::enter(Station& station, const device::Variant& variant, bool with_copies) {
  Contestant contestant;
  contestant.station = &station;
  contestant.with_copies = with_copies;
  contestant.gemm = describe_gemm(problem_, arena_.params);
  contestant.gemm.variant = variant.name;
  contestant.row =
      describe_row(problem_, arena_.params, {label(station, variant.name), station.threads, with_copies});
  contestant.row.implementation = implementation_of(variant, "");
  // With copies, the best variant is enough unless one is asked for.
  const bool named = station.variants.count(variant.name) > 0;
  contestant.wanted = selected(contestant.row.id) && (!with_copies || named);
  const device::Support support = station.session.device->supports(contestant.gemm);
  if (!support.ok) {
    if (with_copies) {
      return;  // its row without copies says why
    }
    contestant.row.status = RowStatus::unsupported;
    contestant.row.reason = support.reason;
  } else {
    if (support.emulated) {
      contestant.row.implementation.notes.push_back(support.reason);
    }
    contestant.subject = std::make_unique<DeviceSubject>(station.session, contestant.gemm, arena_.clock);
  }
  if (contestant.wanted || chosen_row(station, with_copies)) {
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
  for (const Station* station : arena_.stations) {
    for (const bool with_copies : {false, true}) {
      if (const auto row = chosen_row(*station, with_copies)) {
        ids.push_back(row->id);
      }
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
  const bool shared = !is_modelled() && !arena_.context.machine->virtualisation.empty();
  options.min_sample_ns = shared ? kShared : kAlone;
  options.budget_ns = budget_ns;
  options.settle_ns = is_modelled() ? 0 : 2'000'000;  // OpenMP threads spin after a parallel region
  const bool choosing = std::any_of(
      arena_.stations.begin(), arena_.stations.end(), [](const Station* station) { return station->choose; });
  options.drop_ratio = choosing ? options.drop_ratio : 0;  // those asked for by name are all measured
  return options;
}

bool Contest::is_modelled() const {
  return !arena_.stations.empty() && arena_.stations.front()->session.info().modelled;
}

measure::Subject* Contest::probe() {
  if (probe_) {
    return probe_.get();
  }
  for (Station* station : arena_.stations) {
    if (const auto& fma = station->fma[problem_.type]; fma && !station->session.info().queued) {
      probe_ = std::make_unique<DeviceSubject>(station->session, fma->operation, arena_.clock);
      return probe_.get();
    }
  }
  return nullptr;
}

core::Result<Setting> Contest::set_up(Station& station) const {
  auto operands = Operands::allocate(station.session, problem_, arena_.params);
  if (!operands) {
    return operands.error();
  }
  Setting setting{std::move(*operands), std::nullopt};
  const bool by_copies = std::any_of(contestants_.begin(), contestants_.end(), [&](const Contestant& one) {
    return one.station == &station && one.with_copies && one.subject;
  });
  if (by_copies) {
    auto trip = RoundTrip::allocate(station.session, setting.operands.gemm());
    if (!trip) {
      return trip.error();
    }
    setting.trip = std::move(*trip);
  }
  return setting;
}

void Contest::prove_one(Contestant& contestant, Setting& setting, bool exact) {
  contestant.setting = &setting;
  const device::Gemm& placed = setting.operands.gemm();
  contestant.gemm.a = placed.a;
  contestant.gemm.b = placed.b;
  contestant.gemm.c = placed.c;
  contestant.row.implementation.paging = setting.operands.paging();
  RoundTrip* const trip = contestant.with_copies ? &*setting.trip : nullptr;
  const auto verification =
      setting.operands.verify(contestant.gemm, exact, arena_.context.machine->usable_threads, trip);
  if (!verification) {
    fail(contestant, verification.error());
    return;
  }
  contestant.row.verification = *verification;
  Session& session = contestant.station->session;
  if (trip != nullptr) {
    contestant.row.implementation.paging = trip->memory();
    contestant.subject = std::make_unique<DeviceSubject>(session, trip->steps(contestant.gemm), arena_.clock);
  } else {
    contestant.subject = std::make_unique<DeviceSubject>(session, contestant.gemm, arena_.clock);
  }
  judge(contestant, *verification);
}

void Contest::prove(Station& station, Setting& setting) {
  const auto exact = exact_filling(problem_, arena_.params);
  const Filling timed = timed_filling(problem_, exact, arena_.params);
  core::Status filled = setting.operands.fill(exact.value_or(timed));
  for (Contestant& contestant : contestants_) {
    if (filled && contestant.station == &station && contestant.subject) {
      prove_one(contestant, setting, exact.has_value());
    }
  }
  if (filled && exact) {
    filled = setting.operands.fill(timed);
  }
  if (filled && setting.trip) {
    filled = setting.trip->take_operands();
  }
  for (Contestant& contestant : contestants_) {
    if (!filled && contestant.station == &station && contestant.subject) {
      fail(contestant, filled.error());
    }
  }
}

// The operands that were timed give another, looser proof: the samples did the same work on them.
void Contest::prove_timed() {
  const bool exact = holds_integers(problem_.data) && exact_filling(problem_, arena_.params).has_value();
  for (Contestant& contestant : contestants_) {
    if (!contestant.subject || std::ssize(contestant.measurement.rounds) < numerics::kMinRounds) {
      continue;
    }
    Setting& setting = *contestant.setting;
    const auto verification = setting.operands.verify(contestant.gemm,
                                                      exact,
                                                      arena_.context.machine->usable_threads,
                                                      contestant.with_copies ? &*setting.trip : nullptr);
    if (!verification) {
      fail(contestant, verification.error());
      continue;
    }
    contestant.row.timed_verification = *verification;
    judge(contestant, *verification);
  }
}

void Contest::prove_all() {
  for (Station* station : arena_.stations) {
    const bool takes_part = std::any_of(contestants_.begin(), contestants_.end(), [&](const Contestant& one) {
      return one.station == station && one.subject;
    });
    if (!takes_part) {
      continue;
    }
    auto setting = set_up(*station);
    if (setting) {
      prove(*station, settings_.emplace_back(std::move(*setting)));
      continue;
    }
    for (Contestant& contestant : contestants_) {
      if (contestant.station == station && contestant.subject) {
        fail(contestant, setting.error());
      }
    }
  }
}

core::Result<Outcome> Contest::run(std::int64_t budget_ns,
                                   std::function<void(const measure::Progress&)> on_progress) {
  measure::Clock& clock = arena_.clock;
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

/// The multiply-add loop that tells the peak of the hardware a station computes on: its own, or for a queue
/// to the host's CPU that of the CPU itself.
const FmaCeiling* Contest::fma_of(Station& station) const {
  const device::Info& info = station.session.info();
  for (Station* other : arena_.stations) {
    const bool same_hardware = other == &station || (info.is_host && !other->session.info().queued);
    if (const auto& fma = other->fma[problem_.type]; same_hardware && fma) {
      return &*fma;
    }
  }
  return nullptr;
}

void Contest::add_ceilings(Contestant& contestant) {
  if (contestant.with_copies) {
    return;  // its time is not the arithmetic's alone
  }
  Station& station = *contestant.station;
  if (const FmaCeiling* fma = fma_of(station)) {
    if (station.session.info().is_host) {
      add_fma_ceiling(contestant.row, *fma);
    } else {
      contestant.row.ceilings.push_back(fma->ceiling);
    }
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
    if (contestant.subject && !contestant.with_copies && !contestant.measurement.rounds.empty()) {
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
      add_telemetry(contestant.row, contestant.station->session.device->telemetry());
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
  for (const Station* station : arena_.stations) {
    add_chosen_row(*station, false, outcome);
    add_chosen_row(*station, true, outcome);
  }
}

void Contest::add_chosen_row(const Station& station, bool with_copies, Outcome& outcome) {
  std::optional<Row> described = chosen_row(station, with_copies);
  if (!described) {
    return;
  }
  std::vector<const Contestant*> candidates;
  std::vector<const measure::Measurement*> measurements;
  for (const Contestant& contestant : contestants_) {
    if (contestant.station == &station && contestant.with_copies == with_copies && contestant.subject &&
        has_printable_time(contestant.row)) {
      candidates.push_back(&contestant);
      measurements.push_back(&contestant.measurement);
    }
  }
  const auto chosen =
      candidates.size() == 1 ? std::optional<std::size_t>(0) : choose_on_odd_rounds(measurements);
  if (!chosen) {
    return;  // the reasons stand in the rows of the variants
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

// The best variant on the host is what an accelerator has to beat, and what the others are read against.
void Contest::set_baseline(std::vector<Row>& rows) const {
  const Contestant* best = nullptr;
  double best_ns = std::numeric_limits<double>::infinity();
  for (const Contestant& contestant : contestants_) {
    const auto time = document::time_ns(contestant.row);
    const bool on_cpu = !contestant.station->session.info().queued;
    if (contestant.wanted && on_cpu && time && time->value < best_ns) {
      best_ns = time->value;
      best = &contestant;
    }
  }
  for (Row& row : rows) {
    row.baseline = best == nullptr ? "" : best->row.id;
  }
}

}  // namespace jissoku::experiments::matmul
