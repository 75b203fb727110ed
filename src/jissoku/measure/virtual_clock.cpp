#include "jissoku/measure/virtual_clock.hpp"

namespace jissoku::measure {

void VirtualClock::sleep_ns(std::int64_t duration_ns) {
  if (duration_ns > 0) {
    time_.advance_ns(duration_ns);
  }
}

}  // namespace jissoku::measure
