// The one call that is to fail, counted over all places that ask it.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace jissoku::tests {

/// What a call that can fail goes to.
enum class Site {
  allocator,
  driver,
  setup,  ///< a driver too, by a call that is made once: contexts, programs
  compiler
};

class Tripwire {
 public:
  /// The call `at` (from 0) to one of `sites` fails from now on; `lasting`: and every one after it.
  void arm(std::vector<Site> sites, long at, bool lasting = false) {
    sites_ = std::move(sites);
    at_ = at;
    lasting_ = lasting;
    calls_ = 0;
  }
  void disarm() { arm({}, 0); }

  /// Asked once by each call, before it does anything: whether it fails.
  bool trips(Site site) {
    if (std::find(sites_.begin(), sites_.end(), site) == sites_.end()) {
      return false;
    }
    const long call = calls_++;
    return call == at_ || (lasting_ && call > at_);
  }
  bool tripped() const { return calls_ > at_; }

 private:
  std::vector<Site> sites_;
  long at_ = 0, calls_ = 0;
  bool lasting_ = false;
};

/// The process's: seams are plain functions.
inline Tripwire& tripwire() {
  static Tripwire wire;
  return wire;
}

}  // namespace jissoku::tests
