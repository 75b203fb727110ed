#include "bench/gemm/contest.hpp"

#include <algorithm>

#include "jissoku/core/machine.hpp"
#include "jissoku/numerics/verification.hpp"

namespace jissoku::bench {
namespace {

using experiments::DeviceSubject;
using experiments::matmul::Filling;
using experiments::matmul::Operands;
using experiments::matmul::Params;
using numerics::Data;

constexpr std::uint64_t kSeed = 42;
constexpr std::int64_t kMinSampleNs = 10'000'000;
/// The spinning of OpenMP threads after a parallel region.
constexpr std::int64_t kSettleNs = 2'000'000;
/// Where a launch is long, engines this much slower than the best leave after one sample, so that they do
/// not use up the budget. Short ones cost little, and one sample of them says little.
constexpr double kDropRatio = 3;
constexpr double kLongLaunchNs = 20e6;

/// A and B as the libraries outside of our device interface are given them.
HostProduct host_product(const device::Gemm& gemm) {
  return {gemm.a.type == numerics::DataType::f64,
          gemm.c.rows,
          gemm.c.columns,
          gemm.a.columns,
          gemm.a.buffer->host_data(),
          gemm.b.buffer->host_data(),
          gemm.c.buffer->host_data()};
}

numerics::MatrixView host_matrix(const device::TensorView& view) {
  return {view.buffer->host_data(), view.type, view.rows, view.columns, view.leading_dimension};
}

measure::SamplerOptions sampler_options(std::int64_t budget_ns, double launch_ns) {
  measure::SamplerOptions options;
  options.min_sample_ns = kMinSampleNs;
  options.settle_ns = kSettleNs;
  options.drop_ratio = launch_ns >= kLongLaunchNs ? kDropRatio : 0;
  options.budget_ns = budget_ns;
  options.warmup_max_ns = 500'000'000;
  return options;
}

}  // namespace

/// What is behind an entry: one of our engines, or a rival.
struct Contest::Contestant {
  device::Gemm gemm;  ///< of an engine
  Rival* rival = nullptr;
  std::unique_ptr<measure::Subject> subject;
};

Contest::Contest(
    experiments::Session& session, const Rivals& rivals, int threads, measure::Clock& clock, Words words)
    : session_(session), rivals_(rivals), threads_(threads), clock_(clock), words_(std::move(words)) {}

const std::optional<experiments::FmaCeiling>& Contest::ceiling(numerics::DataType type) {
  const auto known = ceilings_.find(type);
  if (known != ceilings_.end()) {
    return known->second;
  }
  return ceilings_[type] = experiments::measure_fma(session_, type, clock_);
}

double Contest::memory_gbps() {
  if (!memory_gbps_) {
    const auto memory = experiments::measure_memory(session_, core::probe_machine(), clock_);
    memory_gbps_ = memory ? memory->per_second / 1e9 : 0;
  }
  return *memory_gbps_;
}

std::vector<device::Variant> Contest::engines(const Problem& problem) const {
  return session_.device->variants(experiments::matmul::describe_gemm(problem, Params()));
}

// From the ceiling and from typical figures of a current CPU: only the plan depends on them.
measure::CaseCost Contest::predict(const core::Shape& shape, numerics::DataType type) {
  constexpr double kShareOfPeak = 0.6, kBytesPerNs = 8, kLeastNs = 2000;
  constexpr double kFillNs = 10, kCheckNs = 4;  // per element of A, B and C, on one thread
  constexpr double kUnknownPeak = 20;           // FLOP per ns
  const Problem problem{shape, type};
  const auto& peak = ceiling(type);
  const auto bytes = static_cast<double>(experiments::matmul::operand_bytes(problem, Params()));
  const double elements = bytes / (numerics::storage_bits(type) / 8.0);
  const double flops = device::gemm_flops(experiments::matmul::describe_gemm(problem, Params()));
  measure::CaseCost cost;
  cost.id = to_string(shape);
  cost.subjects = static_cast<int>(engines(problem).size() + rivals_.found.size());
  cost.launch_ns = kLeastNs + bytes / kBytesPerNs +
                   flops / (kShareOfPeak * (peak ? peak->ceiling.per_second / 1e9 : kUnknownPeak));
  cost.set_up_ns = elements * (2 * kFillNs + cost.subjects * kCheckNs) / threads_;
  cost.memory_bytes = static_cast<std::int64_t>(bytes * (rivals_.found.empty() ? 1 : 3));  // PyTorch's copies
  return cost;
}

measure::Plan Contest::plan(const Options& options) {
  std::vector<measure::CaseCost> costs;
  for (const numerics::DataType type : options.types) {
    for (const core::Shape& shape : options.shapes) {
      costs.push_back(predict(shape, type));
    }
  }
  return measure::plan_cases(
      costs, static_cast<std::int64_t>(options.budget_s * 1e9), kMinSampleNs, core::available_memory_bytes());
}

std::string Contest::words(const core::Error& error) const {
  return error.message.id == "bench.rival" ? rival_words(error) : words_(error.message);
}

void Contest::enter_engines(Cell& cell, std::vector<Contestant>& contestants, const Problem& problem) const {
  for (const device::Variant& variant : engines(problem)) {
    Entry& entry = cell.entries.emplace_back();
    entry.engine = variant.name;
    entry.library = variant.library;
    entry.ours = variant.file.empty();
    Contestant& contestant = contestants.emplace_back();
    contestant.gemm = experiments::matmul::describe_gemm(problem, Params());
    contestant.gemm.variant = variant.name;
    const device::Support support = session_.device->supports(contestant.gemm);
    entry.reason = support.ok ? "" : words_(support.reason);
  }
}

void Contest::enter_rivals(Cell& cell, std::vector<Contestant>& contestants) const {
  for (const auto& rival : rivals_.found) {
    Entry& entry = cell.entries.emplace_back();
    entry.engine = rival->name();
    entry.library = rival->library();
    contestants.emplace_back().rival = rival.get();
  }
}

core::Result<numerics::Verification> Contest::verify_rival(Rival& rival, Operands& operands, bool exact) {
  const device::Gemm& gemm = operands.gemm();
  device::Fill poison{gemm.c, Data::zeros, kSeed, 1, true};
  if (auto filled = experiments::launch_and_wait(session_, poison); !filled) {
    return filled.error();
  }
  auto subject = rival.prepare(host_product(gemm));
  if (!subject) {
    return subject.error();
  }
  if (auto done = (*subject)->run(1); !done) {
    return done.error();
  }
  if (auto fetched = (*subject)->fetch_result(); !fetched) {
    return fetched.error();
  }
  numerics::GemmCheck check;
  check.a = host_matrix(gemm.a);
  check.b = host_matrix(gemm.b);
  check.c = host_matrix(gemm.c);
  check.accumulator = gemm.accumulator;
  check.integer_operands = exact;
  check.seed = kSeed;
  check.threads = threads_;
  return numerics::verify_gemm(check);
}

void Contest::prove(Entry& entry, Contestant& contestant, Operands& operands, bool exact) {
  if (contestant.rival == nullptr) {
    contestant.gemm.a = operands.gemm().a;
    contestant.gemm.b = operands.gemm().b;
    contestant.gemm.c = operands.gemm().c;
  }
  const auto verification = contestant.rival != nullptr ? verify_rival(*contestant.rival, operands, exact)
                                                        : operands.verify(contestant.gemm, exact, threads_);
  if (!verification) {
    entry.reason = words(verification.error());
  } else if (!verification->passed) {
    entry.wrong = true;
    entry.reason = words_(verification->finding);
  }
}

void Contest::make_subject(Entry& entry, Contestant& contestant, Operands& operands) {
  if (contestant.rival == nullptr) {
    contestant.subject = std::make_unique<DeviceSubject>(session_, contestant.gemm, clock_);
    return;
  }
  auto subject = contestant.rival->prepare(host_product(operands.gemm()));
  if (subject) {
    contestant.subject = std::move(*subject);
  } else {
    entry.reason = words(subject.error());
  }
}

void Contest::run(Cell& cell, std::vector<Contestant>& contestants, std::int64_t budget_ns) {
  std::vector<measure::Subject*> subjects;
  std::vector<Entry*> timed;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    if (contestants[i].subject) {
      subjects.push_back(contestants[i].subject.get());
      timed.push_back(&cell.entries[i]);
    }
  }
  if (subjects.empty()) {
    return;
  }
  std::optional<DeviceSubject> probe;
  if (const auto& peak = ceiling(cell.type)) {
    probe.emplace(session_, peak->operation, clock_);
    cell.probe_flops = peak->operation.flops;
  }
  measure::SamplerContext context;
  context.clock = &clock_;
  context.probe = probe ? &*probe : nullptr;
  auto measurements = measure::measure_subjects(
      subjects, sampler_options(budget_ns, predict(cell.shape, cell.type).launch_ns), context);
  for (std::size_t i = 0; i < timed.size(); ++i) {
    Entry& entry = *timed[i];
    entry.measurement = std::move(measurements[i]);
    if (entry.measurement.error) {
      entry.reason = words(*entry.measurement.error);
    }
  }
}

Cell Contest::measure(const core::Shape& shape,
                      numerics::DataType type,
                      const measure::PlannedCase& planned) {
  const double memory = shape.m == 1 || shape.n == 1 ? memory_gbps() : 0;  // once, beside the budget
  const std::int64_t start_ns = clock_.now_ns();
  const Problem problem{shape, type};
  Cell cell;
  cell.shape = shape;
  cell.type = type;
  cell.threads = threads_;
  cell.flops = device::gemm_flops(experiments::matmul::describe_gemm(problem, Params()));
  if (!planned.run) {
    cell.left_out = words_(planned.reason);
    return cell;
  }
  cell.memory_gbps = memory;
  auto operands = Operands::allocate(session_, problem, Params());
  if (!operands) {
    cell.left_out = words(operands.error());
    return cell;
  }
  const int magnitude = numerics::exact_integer_magnitude(experiments::matmul::accumulator_of(type), shape.k);
  const bool exact = magnitude >= 1;
  const Filling timed_filling{Data::normal, 1, kSeed};
  core::Status filled = operands->fill(exact ? Filling{Data::ints, magnitude, kSeed} : timed_filling);
  if (!filled) {
    cell.left_out = words(filled.error());
    return cell;
  }
  std::vector<Contestant> contestants;
  enter_engines(cell, contestants, problem);
  enter_rivals(cell, contestants);
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    if (cell.entries[i].reason.empty()) {
      prove(cell.entries[i], contestants[i], *operands, exact);
    }
  }
  filled = operands->fill(timed_filling);
  if (!filled) {
    cell.left_out = words(filled.error());
    return cell;
  }
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    if (cell.entries[i].reason.empty()) {
      make_subject(cell.entries[i], contestants[i], *operands);
    }
  }
  constexpr std::int64_t kLeastBudgetNs = 500'000'000;
  run(cell, contestants, std::max(kLeastBudgetNs, planned.budget_ns - (clock_.now_ns() - start_ns)));
  return cell;
}

}  // namespace jissoku::bench
