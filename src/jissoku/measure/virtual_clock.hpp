// The clock of a modelled device, for the sampler: time passes only by the device's work and by waiting.
#pragma once

#include "jissoku/device/device.hpp"
#include "jissoku/measure/clock.hpp"

namespace jissoku::measure {

class VirtualClock final : public Clock {
 public:
  /// `time` must outlive the clock.
  explicit VirtualClock(device::VirtualTime& time) : time_(time) {}
  std::int64_t now_ns() override { return time_.now_ns(); }
  std::int64_t process_cpu_ns() override { return time_.now_ns(); }
  void sleep_ns(std::int64_t duration_ns) override { time_.advance_ns(duration_ns); }
  std::int64_t resolution_ns() override { return 1; }

 private:
  device::VirtualTime& time_;
};

}  // namespace jissoku::measure
