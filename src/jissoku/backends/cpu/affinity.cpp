#include "jissoku/backends/cpu/affinity.hpp"

#include <cstddef>
#include <fstream>
#include <memory>
#include <sched.h>
#include <set>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace jissoku::backends::cpu {
namespace {

constexpr int kMaxCpus = 8192;  // the kernel's limit on x86-64

struct FreeCpuSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};
using CpuSet = std::unique_ptr<cpu_set_t, FreeCpuSet>;

bool set_cpus_of(int thread, const std::vector<int>& cpus) {
  const CpuSet set(CPU_ALLOC(kMaxCpus));
  const std::size_t bytes = CPU_ALLOC_SIZE(kMaxCpus);
  if (!set || cpus.empty()) {
    return false;
  }
  CPU_ZERO_S(bytes, set.get());
  for (const int cpu : cpus) {
    CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set.get());
  }
  return sched_setaffinity(thread, bytes, set.get()) == 0;
}

int current_thread() {
  return static_cast<int>(syscall(SYS_gettid));
}

}  // namespace

std::vector<int> thread_cpus() {
  std::vector<int> cpus;
  const CpuSet set(CPU_ALLOC(kMaxCpus));
  const std::size_t bytes = CPU_ALLOC_SIZE(kMaxCpus);
  if (!set || sched_getaffinity(0, bytes, set.get()) != 0) {
    return cpus;
  }
  for (int cpu = 0; cpu < kMaxCpus; ++cpu) {
    if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, set.get())) {
      cpus.push_back(cpu);
    }
  }
  return cpus;
}

bool set_thread_cpus(const std::vector<int>& cpus) {
  return set_cpus_of(0, cpus);
}

std::vector<int> spread_over_cores(const std::vector<int>& allowed,
                                   int threads,
                                   std::string (*core_of)(int cpu)) {
  std::set<std::string> used_cores;
  std::vector<int> firsts;
  std::vector<int> siblings;
  for (const int cpu : allowed) {
    (used_cores.insert(core_of(cpu)).second ? firsts : siblings).push_back(cpu);
  }
  firsts.insert(firsts.end(), siblings.begin(), siblings.end());
  if (std::cmp_less(firsts.size(), threads)) {
    return {};
  }
  firsts.resize(static_cast<std::size_t>(threads));
  return firsts;
}

std::string core_of_cpu(int cpu) {
  const std::string number = std::to_string(cpu);
  std::ifstream file("/sys/devices/system/cpu/cpu" + number + "/topology/thread_siblings_list");
  std::string siblings;
  return std::getline(file, siblings) && !siblings.empty() ? siblings : number;
}

std::string join_cpus(const std::vector<int>& cpus) {
  std::string text;
  for (const int cpu : cpus) {
    if (!text.empty()) {
      text += ',';
    }
    text += std::to_string(cpu);
  }
  return text;
}

CallerPin::CallerPin(std::vector<int> cpus) : cpus_(std::move(cpus)) {}

CallerPin::~CallerPin() {
  release();
}

void CallerPin::pin() {
  if (cpus_.empty() || thread_ != 0) {
    return;
  }
  before_ = thread_cpus();
  if (!before_.empty() && set_thread_cpus({cpus_.front()})) {
    thread_ = current_thread();
  }
}

void CallerPin::release() {
  if (thread_ != 0) {
    set_cpus_of(thread_, before_);
    thread_ = 0;
  }
}

}  // namespace jissoku::backends::cpu
