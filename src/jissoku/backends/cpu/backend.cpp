#include "jissoku/backends/cpu/backend.hpp"

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
    return CpuDevice::open(describe(machine), plan_threads(machine, options), folders());
  };
  return backend;
}

}  // namespace jissoku::backends::cpu
