#include "jissoku/experiments/ceilings.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "jissoku/core/units.hpp"

namespace jissoku::experiments {
namespace {

using document::Ceiling;

/// Time of one launch, or nullopt if it fails.
std::optional<double> launch_ns(Session& session, const device::Operation& operation, measure::Clock& clock) {
  const auto timing = DeviceSubject(session, operation, clock).run(1);
  if (!timing) {
    return std::nullopt;
  }
  const double time_ns = timing->device_ns.value_or(timing->host_ns);
  return time_ns > 0 ? std::optional<double>(time_ns) : std::nullopt;
}

/// Shortest time of several launches of each operation, in turns; 0 for those that fail. The shortest, as
/// STREAM does: a ceiling is what can be reached, and whatever disturbs a launch makes it longer.
std::vector<double> shortest_ns(Session& session,
                                const std::vector<device::Operation>& operations,
                                measure::Clock& clock) {
  // Enough that a program that takes one CPU for a moment (a folder being removed, 0.2 s) cannot hit every
  // launch of the quickest and leave one of another alone: then the wrong one would be the peak.
  constexpr int kRepeats = 15;
  constexpr std::int64_t kLimitNs = 1'000'000'000;
  std::vector<double> shortest(operations.size(), 0);
  const std::int64_t start_ns = clock.now_ns();
  for (int i = 0; i < kRepeats && (i == 0 || clock.now_ns() - start_ns < kLimitNs); ++i) {
    for (std::size_t j = 0; j < operations.size(); ++j) {
      const auto time_ns = launch_ns(session, operations[j], clock);
      if (time_ns && (shortest[j] == 0 || *time_ns < shortest[j])) {
        shortest[j] = *time_ns;
      }
    }
  }
  return shortest;
}

/// FLOPs that last a probe, from a run that took `time_ns`.
std::optional<double> sized(Session& session,
                            device::FmaPeak operation,
                            double time_ns,
                            measure::Clock& clock) {
  constexpr int kTries = 5;
  constexpr int kLaunches = 3;
  constexpr double kLongEnough = 0.7;
  operation.flops *= kProbeNs / time_ns;
  for (int i = 0; i < kTries; ++i) {
    double shortest = 0;
    for (int launch = 0; launch < kLaunches; ++launch) {
      const auto again_ns = launch_ns(session, operation, clock);
      if (!again_ns) {
        return std::nullopt;
      }
      shortest = launch == 0 ? *again_ns : std::min(shortest, *again_ns);
    }
    if (shortest >= kLongEnough * kProbeNs) {
      break;
    }
    operation.flops *= kProbeNs / shortest;
  }
  return operation.flops;
}

/// Enlarged tenfold until a run lasts a tenth of a probe, then sized from its rate; again while that is
/// short, since the first run may have waited for threads that were asleep, and a short probe's rate would be
/// that of starting threads.
std::optional<double> flops_of_probe(Session& session, device::FmaPeak operation, measure::Clock& clock) {
  constexpr double kMost = 1e15;
  for (operation.flops = 1e6; operation.flops < kMost; operation.flops *= 10) {
    const auto time_ns = launch_ns(session, operation, clock);
    if (!time_ns) {
      return std::nullopt;
    }
    if (*time_ns >= kProbeNs / 10) {
      return sized(session, operation, *time_ns, clock);
    }
  }
  return std::nullopt;
}

std::int64_t last_cache_bytes(const core::Machine& machine) {
  std::int64_t largest = 0;
  for (const core::Cache& cache : machine.caches) {
    largest = std::max(largest, cache.size_bytes);
  }
  return largest;
}

}  // namespace

std::optional<FmaCeiling> measure_fma(Session& session, numerics::DataType type, measure::Clock& clock) {
  device::FmaPeak operation;
  operation.type = type;
  std::vector<FmaCeiling> found;
  std::vector<device::Operation> operations;
  for (const device::Variant& variant : ways_of(*session.device, operation)) {
    operation.variant = variant.name;
    operation.flops = 1;  // what it is asked for does not matter to supports()
    if (!session.device->supports(operation).ok) {
      continue;
    }
    if (const auto flops = flops_of_probe(session, operation, clock)) {
      operation.flops = *flops;
      operations.emplace_back(operation);
      found.push_back({operation, {"measured_fma", 0, variant.name, "measured"}, {}});
    }
  }
  const std::vector<double> times_ns = shortest_ns(session, operations, clock);
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i].ceiling.per_second = times_ns[i] > 0 ? found[i].operation.flops / times_ns[i] * 1e9 : 0;
  }
  std::stable_sort(found.begin(), found.end(), [](const FmaCeiling& left, const FmaCeiling& right) {
    return left.ceiling.per_second > right.ceiling.per_second;
  });
  if (found.empty() || found.front().ceiling.per_second == 0) {
    return std::nullopt;
  }
  FmaCeiling best = found.front();
  for (std::size_t i = 1; i < found.size(); ++i) {
    best.others.push_back(found[i].ceiling);
    best.others.back().kind = "measured_fma_other";
  }
  return best;
}

std::optional<Ceiling> measure_memory(Session& session, const core::Machine& machine, measure::Clock& clock) {
  constexpr std::int64_t kLeast = 192 << 20;
  constexpr std::int64_t kMost = 768 << 20;
  const std::int64_t wanted = std::clamp(4 * last_cache_bytes(machine), kLeast, kMost);
  const std::int64_t room = core::available_memory_bytes() / 4;
  const std::int64_t elements = std::min(wanted, room) / 3 / static_cast<std::int64_t>(sizeof(double));
  if (elements < 1) {
    return std::nullopt;
  }
  device::MemoryTriad triad;
  const std::array<device::TensorView*, 3> views = {&triad.a, &triad.b, &triad.c};
  for (device::TensorView* view : views) {
    view->type = numerics::DataType::f64;
    view->rows = 1;
    view->columns = view->leading_dimension = elements;
  }
  if (!session.device->supports(triad).ok) {
    return std::nullopt;
  }
  std::vector<std::unique_ptr<device::Buffer>> buffers;
  for (device::TensorView* view : views) {
    auto buffer = session.device->allocate(static_cast<std::size_t>(elements) * sizeof(double),
                                           device::MemoryKind::device);
    if (!buffer) {
      return std::nullopt;
    }
    view->buffer = buffer->get();
    buffers.push_back(std::move(*buffer));
  }
  std::uint64_t seed = 1;
  for (const device::TensorView& view : {triad.a, triad.b, triad.c}) {
    if (!launch_and_wait(session, device::Fill{view, numerics::Data::uniform, seed++})) {
      return std::nullopt;
    }
  }
  const double time_ns = shortest_ns(session, {triad}, clock).front();
  if (time_ns == 0) {
    return std::nullopt;
  }
  constexpr double kBytesPerElement = 24;
  const double bytes = kBytesPerElement * static_cast<double>(elements);
  return Ceiling{"measured_memory", bytes / time_ns * 1e9, "triad, " + core::format_bytes(bytes), "measured"};
}

}  // namespace jissoku::experiments
