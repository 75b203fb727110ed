// What a device's recorder hook and the program's own ranges tell, and how it becomes a timeline.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jissoku/device/device.hpp"
#include "jissoku/measure/clock.hpp"
#include "jissoku/timeline/model.hpp"

namespace jissoku::experiments::profile {

/// A stretch of the program that has a name. Texts as in a trace: "[[32, 128], [10, 128]]", "[\"float\"]".
struct Range {
  std::string name;
  bool annotation = false;  ///< a part of the program; otherwise an operator
  std::string shapes, types;
};

/// Where a copy goes, in the words of traces: "HtoD (Pinned -> Device)".
struct CopyFacts {
  std::string way;
  std::int64_t bytes = 0;
};

class Recording final : public device::Recorder {
 public:
  struct OpenRange {
    const Range* range = nullptr;  ///< not owned
    std::int64_t start_ns = 0, end_ns = -1;
  };
  struct Call {
    device::Activity activity = device::Activity::launch;
    std::string name;
    std::int64_t correlation = 0, start_ns = 0, end_ns = 0;
    const CopyFacts* copy = nullptr;  ///< not owned
  };
  struct Work {
    device::Activity activity = device::Activity::launch;
    std::string name;
    std::int64_t correlation = 0, start_ns = 0, end_ns = 0;  ///< device clock
  };

  /// `clock` is the host's, on which the device reports its calls.
  explicit Recording(measure::Clock& clock) : clock_(clock) {}

  void clear();
  void enter(const Range& range);
  void leave();
  /// The next call is this copy.
  void expect(const CopyFacts& copy) { expected_ = &copy; }

  void host_call(device::Activity activity,
                 const std::string& name,
                 std::int64_t correlation,
                 std::int64_t start_ns,
                 std::int64_t end_ns) override;
  void device_work(device::Activity activity,
                   const std::string& name,
                   std::int64_t correlation,
                   std::int64_t start_ns,
                   std::int64_t end_ns) override;

  const std::vector<OpenRange>& ranges() const { return ranges_; }
  const std::vector<Call>& calls() const { return calls_; }
  const std::vector<Work>& works() const { return works_; }
  std::size_t events() const { return ranges_.size() + calls_.size() + works_.size(); }

 private:
  measure::Clock& clock_;
  std::vector<OpenRange> ranges_;
  std::vector<std::size_t> open_;
  std::vector<Call> calls_;
  std::vector<Work> works_;
  const CopyFacts* expected_ = nullptr;
};

/// How the device's clock lies against the host's: add `offset_ns` to device times. Work starts after the
/// call that asks for it has begun, and ends before the next wait returns: that bounds the offset from both
/// sides. What the device measured itself is taken if it lies between the bounds, else their middle; it is
/// wrong by at most `uncertainty_ns`.
struct ClockFit {
  std::int64_t offset_ns = 0;
  std::int64_t uncertainty_ns = 0;
  /// The bounds contradict each other by this much: the clocks drift, or work was reported wrongly.
  std::int64_t contradiction_ns = 0;
};
/// `measured_ns`: Device::host_minus_device_ns.
ClockFit fit_clocks(const Recording& recording, std::optional<std::int64_t> measured_ns);

/// In order (`finish` has run); time 0 is where the recording starts.
timeline::Timeline to_timeline(const Recording& recording,
                               const ClockFit& clocks,
                               const device::Info& device);

}  // namespace jissoku::experiments::profile
