// Every number that a verdict hangs on, in one place; docs/diagnose.md gives the sources. Most were fixed
// before the real traces were looked at; docs/diagnose.md says which were not, and why.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace jissoku::timeline::diagnosis::thresholds {

// Shares of the window.
inline constexpr double kIdleNoted = 0.10;  ///< below it idle time has no cause worth naming
inline constexpr double kIdleProblem = 0.20;
inline constexpr double kIdleSevere = 0.50;
inline constexpr double kInput = 0.05;          ///< data loading that overlaps idle time
inline constexpr double kSync = 0.03;           ///< idle time that follows a synchronisation
inline constexpr double kCommunication = 0.05;  ///< exposed
inline constexpr double kExposedCopy = 0.05;
inline constexpr double kHostCause =
    0.05;  ///< launch_bound, host_work, allocator, compilation, profiler_overhead
inline constexpr double kStraggler = 0.05;

// Of busy time.
inline constexpr double kTransferOfBusy = 0.50;

// Of single gaps.
inline constexpr std::int64_t kInherentGapNs = 5'000;    ///< shorter ones cannot be avoided
inline constexpr std::int64_t kLaunchGapNs = 1'000'000;  ///< longer ones are not the cost of launching
inline constexpr std::int64_t kDrainNs = 5'000;        ///< device work a synchronisation must have waited for
inline constexpr std::int64_t kJustBeforeNs = 10'000;  ///< between the end of a call and the gap it caused

// Launching.
inline constexpr std::int64_t kShortKernelNs = 10'000;  ///< or the trace's own median launch call, if longer
inline constexpr double kShortKernels = 0.50;           ///< of kernels

// Advice.
inline constexpr double kFp32OfKernels = 0.20;
inline constexpr int kTensorCoreMajor = 7;
inline constexpr std::int64_t kPageableBytesPerStep = 1'000'000;
inline constexpr double kLowMemory = 0.50;

// Trust.
inline constexpr double kLostEvents = 0.01;        ///< of the events
inline constexpr double kOperatorsPresent = 0.25;  ///< of the numbers the profiler gave them
inline constexpr std::int64_t kOperatorsToJudge = 100;
inline constexpr double kLaunchesWithoutWork = 0.50;
inline constexpr double kLaunchesNoted = 0.10;
inline constexpr std::int64_t kBlockedNs = 1'000'000;  ///< a blocking call this long ...
inline constexpr double kBlockedCovered = 0.10;        ///< ... with device work in less than this of it ...
inline constexpr double kBlockedOfWindow = 0.10;  ///< ... for this much of the window: records are missing
inline constexpr double kSkewed = 0.05;
inline constexpr double kOverhead = 0.05;
inline constexpr std::int64_t kFewEvents = 50;

/// For --explain: the message "diagnose.threshold.<id>" says what `value` is compared with.
struct Row {
  std::string_view id;
  std::string_view value;
  std::string_view source;
};
std::span<const Row> table();

}  // namespace jissoku::timeline::diagnosis::thresholds
