#include "jissoku/backends/cpu/backend.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "jissoku/backends/cpu/cpu_device.hpp"
#include "jissoku/backends/cpu/environment.hpp"
#include "jissoku/backends/cpu/library_places.hpp"
#include "jissoku/core/machine.hpp"

namespace jissoku::backends::cpu {
namespace {

const char kId[] = "cpu";

std::vector<std::string> folders() {
  return library_folders(std::getenv("JISSOKU_LIBRARY_PATH"));
}

device::Info describe(const core::Machine& machine) {
  device::Info info;
  info.id = kId;
  info.name = machine.cpu_model;
  info.backend = kId;
  info.fingerprint = machine.cpu_model + "/" + machine.hostname_hash;
  info.is_host = true;
  info.compute_units = machine.cores;
  info.memory_bytes = machine.memory_bytes;
  for (const Library& library : known_libraries()) {
    info.variant_names.push_back(library.name);
  }
  info.variant_names.emplace_back("jissoku");
  return info;
}

/// Threads and CPUs as asked for, or one thread per usable CPU; pinned unless there are more threads
/// than CPUs.
ThreadPlan plan_threads(const core::Machine& machine, const device::OpenOptions& options) {
  ThreadPlan plan;
  plan.threads = options.threads > 0 ? options.threads : machine.usable_threads;
  plan.cpus = options.cpus;
  if (plan.cpus.empty()) {
    plan.cpus = spread_over_cores(machine.allowed_cpus, plan.threads, core_of_cpu);
  }
  // One for each thread, or none: see spread_over_cores.
  plan.cpus.resize(std::cmp_less(plan.cpus.size(), plan.threads) ? 0
                                                                 : static_cast<std::size_t>(plan.threads));
  plan.notes.push_back(plan.cpus.empty()
                           ? core::message("cpu.not_pinned", {{"threads", std::int64_t{plan.threads}}})
                           : core::message("cpu.pinned", {{"cpus", join_cpus(plan.cpus)}}));
  if (std::string names = overridden_by(thread_settings(plan.threads, plan.cpus)); !names.empty()) {
    plan.notes.push_back(core::message("cpu.environment_overridden", {{"names", std::move(names)}}));
  }
  return plan;
}

/// What one of our threads has to itself when there is one to a core. Unknown sizes keep their defaults.
gemm::Caches caches_of_a_core(const core::Machine& machine) {
  gemm::Caches caches;
  const int threads_per_core = machine.cores > 0 ? std::max(1, machine.hardware_threads / machine.cores) : 1;
  for (const core::Cache& cache : machine.caches) {
    const std::int64_t share = cache.size_bytes / std::max(1, cache.shared_by_cpus / threads_per_core);
    if (cache.level == 1 && share > 0) {
      caches.l1_bytes = share;
    } else if (cache.level == 2 && share > 0) {
      caches.l2_bytes = share;
    }
  }
  return caches;
}

device::Listing list() {
  device::Info info = describe(core::probe_machine());
  for (const Unusable& engine : missing_libraries(folders())) {
    info.notes.push_back(engine.reason);
  }
  return {{std::move(info)}, {}};
}

}  // namespace

device::Backend make_backend() {
  device::Backend backend;
  backend.name = kId;
  backend.list = list;
  backend.open = [](const std::string&, const device::OpenOptions& options) {
    const core::Machine machine = core::probe_machine();
    return CpuDevice::open(
        describe(machine), plan_threads(machine, options), caches_of_a_core(machine), folders());
  };
  return backend;
}

}  // namespace jissoku::backends::cpu
