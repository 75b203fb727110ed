// The request to stop early (Ctrl-C): set from a signal handler, polled between samples.
#pragma once

#include <atomic>

namespace jissoku::core {

class StopFlag {
 public:
  void request() { requested_.store(true, std::memory_order_relaxed); }
  bool requested() const { return requested_.load(std::memory_order_relaxed); }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free, "must be usable in a signal handler");
  std::atomic<bool> requested_{false};
};

}  // namespace jissoku::core
