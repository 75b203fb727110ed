#include "jissoku/backends/cpu/thread_team.hpp"

#include <algorithm>
#include <system_error>

#include "jissoku/backends/cpu/affinity.hpp"

namespace jissoku::backends::cpu {
namespace {

/// Looks this often before sleeping: about 20 us, which spares back-to-back jobs the wake-up. A team
/// that polled for ever would slow its rivals down.
constexpr int kPolls = 2000;

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

template <typename Condition>
bool poll(Condition condition) {
  for (int i = 0; i < kPolls; ++i) {
    if (condition()) {
      return true;
    }
    pause_briefly();
  }
  return false;
}

}  // namespace

core::Result<std::unique_ptr<ThreadTeam>> ThreadTeam::create(int threads, const std::vector<int>& cpus) {
  std::unique_ptr<ThreadTeam> team(new ThreadTeam);
  try {
    for (int member = 1; member < threads; ++member) {
      const int cpu = cpus.empty() ? -1 : cpus[static_cast<std::size_t>(member)];
      team->workers_.emplace_back([raw = team.get(), member, cpu] { raw->work(member, cpu); });
    }
  } catch (const std::system_error& refused) {
    return core::make_error(core::ExitCode::unavailable,
                            "cpu.no_threads",
                            {{"threads", std::int64_t{threads}},
                             {"started", std::int64_t{team->size()}},
                             {"why", std::string(refused.code().message())}});
  }
  return team;
}

ThreadTeam::~ThreadTeam() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    generation_.fetch_add(1, std::memory_order_release);
  }
  job_ready_.notify_all();
  for (std::thread& worker : workers_) {
    worker.join();
  }
}

void ThreadTeam::run(const std::function<void(int)>& job) {
  if (workers_.empty()) {
    job(0);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    unfinished_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
    generation_.fetch_add(1, std::memory_order_release);
  }
  job_ready_.notify_all();
  job(0);
  const auto finished = [this] { return unfinished_.load(std::memory_order_acquire) == 0; };
  if (!poll(finished)) {
    std::unique_lock lock(mutex_);
    job_done_.wait(lock, finished);
  }
}

void ThreadTeam::run_ranges(std::int64_t count,
                            std::int64_t grain,
                            const std::function<void(int, std::int64_t, std::int64_t)>& job) {
  const std::int64_t grains = (count + grain - 1) / grain;
  run([&](int member) {
    const std::int64_t first = grains * member / size() * grain;
    const std::int64_t last = std::min(count, grains * (member + 1) / size() * grain);
    if (first < last) {
      job(member, first, last);
    }
  });
}

void ThreadTeam::wait_for_job(std::uint64_t seen) {
  const auto changed = [this, seen] { return generation_.load(std::memory_order_acquire) != seen; };
  if (!poll(changed)) {
    std::unique_lock lock(mutex_);
    job_ready_.wait(lock, changed);
  }
}

void ThreadTeam::work(int member, int cpu) {
  if (cpu >= 0) {
    set_thread_cpus({cpu});
  }
  for (std::uint64_t seen = 0;; ++seen) {
    wait_for_job(seen);
    if (stop_) {
      return;
    }
    (*job_)(member);
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      // The lock keeps the notice from falling between the caller's check and its sleep.
      const std::lock_guard lock(mutex_);
      job_done_.notify_one();
    }
  }
}

}  // namespace jissoku::backends::cpu
