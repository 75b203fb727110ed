// The clock for modelled devices: host time as they make it pass. Not for real ones, which do not wait
// for it.
#pragma once

#include "jissoku/device/device.hpp"
#include "jissoku/measure/clock.hpp"

namespace jissoku::measure {

/// All devices that are timed together must share `time`, which must outlive the clock.
class VirtualClock final : public Clock {
 public:
  explicit VirtualClock(device::VirtualTime& time) : time_(time) {}

  std::int64_t now_ns() override { return time_.now_ns(); }
  /// As if one thread were always at work.
  std::int64_t process_cpu_ns() override { return time_.now_ns(); }
  /// Returns at once; the time has passed.
  void sleep_ns(std::int64_t duration_ns) override;
  std::int64_t resolution_ns() override { return 1; }

 private:
  device::VirtualTime& time_;
};

}  // namespace jissoku::measure
