#include "jissoku/measure/clock.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace jissoku::measure {

namespace {

std::int64_t read_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// clock_getres() says 1 ns whatever the hardware does, so the step is observed.
std::int64_t smallest_step_ns() {
  constexpr int kSteps = 100;
  std::int64_t smallest = 1'000'000'000;
  for (int i = 0; i < kSteps; ++i) {
    const std::int64_t before = read_ns(CLOCK_MONOTONIC);
    std::int64_t after = before;
    while (after == before) {
      after = read_ns(CLOCK_MONOTONIC);
    }
    smallest = std::min(smallest, after - before);
  }
  return smallest;
}

}  // namespace

std::int64_t SystemClock::now_ns() {
  return read_ns(CLOCK_MONOTONIC);
}

std::int64_t SystemClock::process_cpu_ns() {
  return read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void SystemClock::sleep_ns(std::int64_t duration_ns) {
  const std::int64_t end = now_ns() + duration_ns;
  timespec until{};
  until.tv_sec = static_cast<time_t>(end / 1'000'000'000);
  until.tv_nsec = static_cast<long>(end % 1'000'000'000);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

std::int64_t SystemClock::resolution_ns() {
  if (resolution_ns_ == 0) {
    resolution_ns_ = smallest_step_ns();
  }
  return resolution_ns_;
}

}  // namespace jissoku::measure
