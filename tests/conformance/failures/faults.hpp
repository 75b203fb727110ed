// How the calls that a device makes, to its driver and to the allocator, are made to fail. Each kind of
// device brings its own way (host_faults.cpp, opencl_faults.cpp, ...); failures_test.cpp drives them all.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "jissoku/device/device.hpp"
#include "support/tripwire.hpp"

namespace jissoku::tests {

struct Fault {
  std::string name;           ///< "out_of_memory"
  std::vector<Site> sites;    ///< the calls that can fail so
  int code = 0;               ///< what the driver returns, where it returns one
  bool loses_device = false;  ///< all later calls fail too, until the device is opened anew
  std::string message;        ///< id that most errors have; "": any
  long fewest_calls = 1;      ///< that a scenario makes: fewer, and the seam is cut
  /// It is tried with a driver that was started anew each time, so that what happens once happens.
  bool restarts = true;
  bool may_be_survived = false;  ///< some calls are for what the device can do without
};

/// Mappings of our own code that are not given back: the leak checker does not see them.
long live_mappings();

class FaultInjector {
 public:
  virtual ~FaultInjector() = default;
  virtual std::string name() const = 0;
  virtual std::vector<Fault> faults() const = 0;
  /// Whether its scenario has matrix products.
  virtual bool multiplies() const { return true; }
  /// Lets go of what the process keeps of the driver when no device is open. Returns how many mappings, and
  /// objects of a driver that tells, there are all the same.
  virtual long restart() { return live_mappings(); }
  virtual core::Result<std::unique_ptr<device::Device>> open() = 0;

  /// The call `at` (from 0) from now on fails.
  virtual void arm(const Fault& fault, long at) { tripwire().arm(fault.sites, at, fault.loses_device); }
  /// No call fails any more. Returns whether one did.
  virtual bool disarm() {
    const bool tripped = tripwire().tripped();
    tripwire().disarm();
    return tripped;
  }
};

using FaultInjectors = std::vector<std::unique_ptr<FaultInjector>>;
/// Of a device by id; none where nothing of it can be made to fail.
using MakeInjectors = std::function<FaultInjectors(const std::string& device)>;

inline std::vector<MakeInjectors>& injector_makers() {
  static std::vector<MakeInjectors> makers;
  return makers;
}
/// For a static variable of each file that has some.
inline bool offer_injectors(MakeInjectors make) {
  injector_makers().push_back(std::move(make));
  return true;
}

inline FaultInjectors injectors_of(const std::string& device) {
  FaultInjectors all;
  for (const MakeInjectors& make : injector_makers()) {
    for (auto& injector : make(device)) {
      all.push_back(std::move(injector));
    }
  }
  return all;
}

}  // namespace jissoku::tests
