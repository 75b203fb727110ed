// A clock that moves only when told to: schedules and statistics become exact.
#pragma once

#include "jissoku/measure/clock.hpp"

namespace jissoku::tests {

class FakeClock final : public measure::Clock {
 public:
  std::int64_t now_ns() override { return now_ns_; }
  std::int64_t process_cpu_ns() override { return cpu_ns_; }
  void sleep_ns(std::int64_t duration_ns) override { now_ns_ += duration_ns; }
  std::int64_t resolution_ns() override { return resolution_ns_; }

  /// Time passes; `threads` CPUs of this process were busy meanwhile.
  void advance(std::int64_t duration_ns, double threads = 1) {
    now_ns_ += duration_ns;
    cpu_ns_ += static_cast<std::int64_t>(static_cast<double>(duration_ns) * threads);
  }
  void set_resolution_ns(std::int64_t resolution_ns) { resolution_ns_ = resolution_ns; }

 private:
  std::int64_t now_ns_ = 1'000'000'000;
  std::int64_t cpu_ns_ = 0;
  std::int64_t resolution_ns_ = 20;
};

}  // namespace jissoku::tests
