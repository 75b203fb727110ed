// The clock seam: measuring code reads time only through this, so that schedules, stopping rules
// and statistics are tested exactly on a fake clock.
#pragma once

#include <cstdint>

namespace jissoku::measure {

class Clock {
 public:
  virtual ~Clock() = default;
  /// Monotonic host time.
  virtual std::int64_t now_ns() = 0;
  /// CPU time of the whole process (all threads).
  virtual std::int64_t process_cpu_ns() = 0;
  virtual void sleep_ns(std::int64_t duration_ns) = 0;
  /// Smallest step between two different readings of now_ns().
  virtual std::int64_t resolution_ns() = 0;
};

/// CLOCK_MONOTONIC and CLOCK_PROCESS_CPUTIME_ID.
class SystemClock final : public Clock {
 public:
  std::int64_t now_ns() override;
  std::int64_t process_cpu_ns() override;
  void sleep_ns(std::int64_t duration_ns) override;
  std::int64_t resolution_ns() override;

 private:
  std::int64_t resolution_ns_ = 0;
};

}  // namespace jissoku::measure
