// A team of threads that stays alive between jobs, each pinned to its CPU. Member 0 is the caller.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "jissoku/core/result.hpp"

namespace jissoku::backends::cpu {

class ThreadTeam {
 public:
  /// `cpus` has one CPU per thread, or is empty: not pinned. cpus[0] is the caller's and is not set
  /// here (see affinity.hpp). Fails (unavailable) if the system refuses more threads.
  static core::Result<std::unique_ptr<ThreadTeam>> create(int threads, const std::vector<int>& cpus);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls job(member) once on every member and returns when all are done. Jobs must not throw.
  void run(const std::function<void(int member)>& job);

  /// Splits [0, count) into one contiguous range per member, borders at multiples of `grain`.
  void run_ranges(std::int64_t count,
                  std::int64_t grain,
                  const std::function<void(int member, std::int64_t first, std::int64_t last)>& job);

 private:
  ThreadTeam() = default;
  void work(int member, int cpu);
  void wait_for_job(std::uint64_t seen);

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable job_ready_, job_done_;
  std::atomic<std::uint64_t> generation_{0};  ///< of the job; raised when there is a new one
  std::atomic<int> unfinished_{0};
  const std::function<void(int)>* job_ = nullptr;
  bool stop_ = false;
};

}  // namespace jissoku::backends::cpu
