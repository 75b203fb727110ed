#include "jissoku/backends/cpu/openmp.hpp"

#include <atomic>
#include <cstddef>

#include "jissoku/backends/cpu/affinity.hpp"

namespace jissoku::backends::cpu {
namespace {

struct PinJob {
  const std::vector<int>& cpus;
  int (*thread_number)();
  std::atomic<std::size_t> obedient{0};
};

/// The job that the team works on. Handed over by us and not as OpenMP's argument: race checkers do not
/// see how the run-time library orders its threads.
std::atomic<PinJob*> current_job{nullptr};

void pin_this_thread(void*) {
  PinJob& job = *current_job.load(std::memory_order_acquire);
  const auto member = static_cast<std::size_t>(job.thread_number());
  if (member >= job.cpus.size()) {
    return;
  }
  const std::vector<int> wanted = {job.cpus[member]};
  if (set_thread_cpus(wanted) && thread_cpus() == wanted) {
    ++job.obedient;
  }
}

}  // namespace

std::optional<OpenMp> OpenMp::find(const core::SharedLibrary& library) {
  OpenMp found;
  const bool complete = library.find("omp_set_num_threads", found.set_num_threads_) &&
                        library.find("omp_set_dynamic", found.set_dynamic_) &&
                        library.find("omp_get_thread_num", found.thread_number_) &&
                        library.find("GOMP_parallel", found.parallel_);
  return complete ? std::optional(found) : std::nullopt;
}

void OpenMp::set_threads(int threads) const {
  set_dynamic_(0);
  set_num_threads_(threads);
}

bool OpenMp::pin_team(const std::vector<int>& cpus) const {
  PinJob job{cpus, thread_number_};
  current_job.store(&job, std::memory_order_release);
  parallel_(pin_this_thread, nullptr, static_cast<unsigned>(cpus.size()), 0);
  return !cpus.empty() && job.obedient == cpus.size();
}

}  // namespace jissoku::backends::cpu
