#include "jissoku/timeline/diagnosis/trust.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <unordered_set>

#include "jissoku/timeline/diagnosis/thresholds.hpp"

namespace jissoku::timeline::diagnosis {
namespace {

using analysis::CallKind;
using analysis::Interval;
using core::message;

double share(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Names of Repair, as in "timeline.repair.<name>".
constexpr std::array<std::string_view, static_cast<std::size_t>(Repair::kCount)> kRepairs = {
    "lost_events",
    "truncated",
    "corrupt_stream",
    "unescaped_quotes",
    "bare_tokens",
    "control_characters",
    "invalid_utf8",
    "no_time",
    "negative_durations",
    "absurd_durations",
    "overlaps_cut",
    "unmatched_ends",
    "absurd_times"};

void check_damage(const Timeline& timeline, std::vector<TrustNote>& notes) {
  for (std::size_t index = 0; index < kRepairs.size(); ++index) {
    const std::int64_t count = timeline.repairs.counts[index];
    if (count == 0) {
      continue;
    }
    const auto repair = static_cast<Repair>(index);
    const bool fatal = repair == Repair::truncated || repair == Repair::corrupt_stream ||
                       (repair == Repair::lost_events &&
                        share(count, timeline.events_in_file + count) > thresholds::kLostEvents);
    notes.push_back({fatal, message("timeline.repair." + std::string(kRepairs[index]), {{"count", count}})});
  }
}

/// The profiler numbers operators one by one: where most numbers are missing, so are their events.
void check_operators(const Timeline& timeline, std::vector<TrustNote>& notes) {
  std::int64_t count = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
  for (EventId id = 0; id < timeline.events.size(); ++id) {
    const OpDetail* op = timeline.events.category[id] == Category::cpu_op ? timeline.op_detail(id) : nullptr;
    if (op != nullptr && op->external_id > 0) {
      ++count;
      least = std::min(least, op->external_id);
      most = std::max(most, op->external_id);
    }
  }
  const double present =
      count == 0 ? 1.0 : static_cast<double>(count) / (static_cast<double>(most - least) + 1);
  if (count >= thresholds::kOperatorsToJudge && present < thresholds::kOperatorsPresent) {
    notes.push_back({true, message("timeline.trust.operators_missing", {{"present", present}})});
  }
}

void check_profiler(const Timeline& timeline, std::vector<TrustNote>& notes) {
  std::vector<Interval> overhead, all;
  bool stacks = false;
  const Events& events = timeline.events;
  for (EventId id = 0; id < events.size(); ++id) {
    stacks = stacks || events.category[id] == Category::python;
    if (is_host(events.category[id])) {
      all.push_back({events.start_ns[id], events.end_ns(id)});
      if (events.category[id] == Category::overhead) {
        overhead.push_back(all.back());
      }
    }
  }
  if (!overhead.empty()) {
    const double weight =
        share(length_ns(analysis::unite(std::move(overhead))), length_ns(analysis::unite(std::move(all))));
    if (weight > thresholds::kOverhead) {
      notes.push_back({false, message("timeline.trust.overhead", {{"share", weight}})});
    }
  }
  if (stacks) {
    notes.push_back({false, message("timeline.trust.python_stacks")});
  }
}

/// Calls that waited long while the device is said to have done nothing.
void check_blocked(const analysis::HostThreads& threads,
                   const analysis::Launches& launches,
                   const analysis::DeviceActivity& activity,
                   std::vector<TrustNote>& notes) {
  const Timeline& timeline = threads.timeline();
  const Events& events = timeline.events;
  std::vector<Interval> blocked;
  EventId longest = kNoEvent;
  for (const analysis::HostThread& thread : threads.threads()) {
    for (const EventId id : thread.events) {
      if (events.category[id] != Category::runtime || events.duration_ns[id] < thresholds::kBlockedNs) {
        continue;
      }
      const CallKind kind = launches.kind_of(id);
      const Interval span{events.start_ns[id], events.end_ns(id)};
      const double covered = share(covered_ns(activity.busy, span), span.length_ns());
      if ((kind == CallKind::synchronise || kind == CallKind::blocking_copy) &&
          covered < thresholds::kBlockedCovered) {
        blocked.push_back(span);
        longest = longest == kNoEvent || events.duration_ns[id] > events.duration_ns[longest] ? id : longest;
      }
    }
  }
  const std::int64_t time = length_ns(intersect(analysis::unite(std::move(blocked)), {activity.window}));
  if (longest != kNoEvent && share(time, activity.window_ns()) > thresholds::kBlockedOfWindow) {
    const Interval span{events.start_ns[longest], events.end_ns(longest)};
    notes.push_back({true,
                     message("timeline.trust.work_missing",
                             {{"call", std::string(timeline.name(longest))},
                              {"time", static_cast<double>(span.length_ns())},
                              {"work", static_cast<double>(covered_ns(activity.busy, span))}})});
  }
}

/// Launches of kernels that no device work belongs to. Only those between a thread's first and last launch
/// with work: before and after, the queue may reach beyond the recording.
void check_launches(const analysis::HostThreads& threads,
                    const analysis::Launches& launches,
                    std::vector<TrustNote>& notes) {
  const Timeline& timeline = threads.timeline();
  std::unordered_set<std::int64_t> recorded;
  for (const DeviceDetail& detail : timeline.device_details) {
    recorded.insert(detail.correlation);
  }
  std::int64_t count = 0;
  std::int64_t missing = 0;
  for (const analysis::HostThread& thread : threads.threads()) {
    bool begun = false;
    std::int64_t pending = 0;
    for (const EventId id : thread.events) {
      const CallDetail* call = timeline.call_detail(id);
      if (call == nullptr || call->correlation < 0 || launches.kind_of(id) != CallKind::launch) {
        continue;
      }
      if (recorded.count(call->correlation) == 0) {
        pending += begun ? 1 : 0;
        continue;
      }
      begun = true;
      count += 1 + pending;
      missing += pending;
      pending = 0;
    }
  }
  const double without = share(missing, count);
  if (without > thresholds::kLaunchesNoted) {
    notes.push_back(
        {without > thresholds::kLaunchesWithoutWork,
         message("timeline.trust.launches_without_work", {{"missing", missing}, {"count", count}})});
  }
}

}  // namespace

std::vector<TrustNote> check_trace(const analysis::HostThreads& threads) {
  std::vector<TrustNote> notes;
  const Timeline& timeline = threads.timeline();
  check_damage(timeline, notes);
  check_operators(timeline, notes);
  check_profiler(timeline, notes);
  return notes;
}

std::vector<TrustNote> check_device(const analysis::HostThreads& threads,
                                    const analysis::Launches& launches,
                                    const analysis::DeviceActivity& activity,
                                    const analysis::LaunchStatistics& statistics) {
  std::vector<TrustNote> notes;
  // Our own recorder is told of every piece of work by the device itself: a long wait is a device that
  // started late (threads that had to wake up, a host without a free CPU), and never a lost record.
  if (threads.timeline().format != Format::jissoku) {
    check_blocked(threads, launches, activity, notes);
  }
  check_launches(threads, launches, notes);
  if (statistics.linked == 0) {
    notes.push_back({false, message("timeline.trust.no_launches", {{"count", statistics.work}})});
  } else if (statistics.linked < statistics.work) {
    notes.push_back(
        {false,
         message("timeline.trust.work_without_launch",
                 {{"missing", statistics.work - statistics.linked}, {"count", statistics.work}})});
  }
  if (share(statistics.before_launch, statistics.linked) > thresholds::kSkewed) {
    notes.push_back({false,
                     message("timeline.trust.skew",
                             {{"count", statistics.before_launch},
                              {"share", share(statistics.before_launch, statistics.linked)}})});
  }
  if (statistics.work < thresholds::kFewEvents) {
    notes.push_back({false, message("timeline.trust.few_events", {{"count", statistics.work}})});
  }
  return notes;
}

}  // namespace jissoku::timeline::diagnosis
