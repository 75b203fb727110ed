// Which CPUs the threads of a device run on, and pinning them there.
#pragma once

#include <string>
#include <vector>

namespace jissoku::backends::cpu {

/// The mask of the calling thread, ascending; empty if the system does not tell.
std::vector<int> thread_cpus();
/// False if the system refuses (a CPU that is offline or outside the cgroup).
bool set_thread_cpus(const std::vector<int>& cpus);

/// `threads` distinct CPUs of `allowed`, one per core first; `core_of` names the core of a CPU. Empty
/// if there are fewer CPUs than threads: several pinned to one would wait for each other.
std::vector<int> spread_over_cores(const std::vector<int>& allowed,
                                   int threads,
                                   std::string (*core_of)(int cpu));
/// The hardware threads of a CPU's core as the kernel lists them ("0,64"); the number alone if unknown.
std::string core_of_cpu(int cpu);

/// "0,1"; "" for none.
std::string join_cpus(const std::vector<int>& cpus);

/// Pins the calling thread while it computes. Not for longer: threads that others start meanwhile
/// would inherit the one CPU.
class CallerPin {
 public:
  explicit CallerPin(std::vector<int> cpus);  ///< cpus[0] is the caller's; empty: never pins
  ~CallerPin();
  CallerPin(const CallerPin&) = delete;
  CallerPin& operator=(const CallerPin&) = delete;

  void pin();
  void release();

 private:
  std::vector<int> cpus_;
  std::vector<int> before_;
  int thread_ = 0;  ///< kernel id of the thread that is pinned; 0 = none
};

}  // namespace jissoku::backends::cpu
