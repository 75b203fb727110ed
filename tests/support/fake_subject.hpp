// Subjects that take a scripted time on the fake clock and write down that they ran.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jissoku/measure/sampler.hpp"
#include "support/fake_clock.hpp"

namespace jissoku::tests {

/// Time of one launch in ns, in the subject's n-th run (from 0).
using LaunchTime = std::function<double(std::size_t run)>;

inline LaunchTime always(double launch_ns) {
  return [launch_ns](std::size_t) { return launch_ns; };
}
/// One time per run; the last one from there on.
inline LaunchTime scripted(std::vector<double> launch_ns) {
  return [times = std::move(launch_ns)](std::size_t run) {
    return times[run < times.size() ? run : times.size() - 1];
  };
}

/// What ran, in order: "A3" for three launches of A.
using RunLog = std::vector<std::string>;

class FakeSubject final : public measure::Subject {
 public:
  FakeSubject(FakeClock& clock, std::string name, LaunchTime launch_ns, RunLog* log = nullptr)
      : clock_(clock), name_(std::move(name)), launch_ns_(std::move(launch_ns)), log_(log) {}

  core::Result<measure::BatchTiming> run(std::int64_t launches) override {
    const std::size_t run = runs_++;
    if (log_ != nullptr) {
      log_->push_back(name_ + std::to_string(launches));
    }
    if (on_run) {
      on_run();
    }
    if (run >= fails_from) {
      return core::make_error(core::ExitCode::internal, "test.failed", {{"subject", name_}});
    }
    const auto duration_ns = std::llround(launch_ns_(run) * static_cast<double>(launches));
    clock_.advance(duration_ns, threads);
    measure::BatchTiming timing;
    timing.host_ns = static_cast<double>(duration_ns);
    if (device_share.has_value()) {
      timing.device_ns = timing.host_ns * *device_share;
    }
    return timing;
  }

  std::size_t runs() const { return runs_; }

  std::size_t fails_from = SIZE_MAX;   ///< the run from which on run() fails
  std::optional<double> device_share;  ///< device time over host time
  double threads = 1;
  std::function<void()> on_run;

 private:
  FakeClock& clock_;
  std::string name_;
  LaunchTime launch_ns_;
  RunLog* log_;
  std::size_t runs_ = 0;
};

}  // namespace jissoku::tests
