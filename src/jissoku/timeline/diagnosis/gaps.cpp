#include "jissoku/timeline/diagnosis/gaps.hpp"

#include <algorithm>
#include <map>

#include "jissoku/timeline/diagnosis/host_facts.hpp"
#include "jissoku/timeline/diagnosis/thresholds.hpp"
#include "jissoku/timeline/finish.hpp"

namespace jissoku::timeline::diagnosis {
namespace {

using analysis::Interval;
using analysis::Intervals;
using analysis::Place;

/// The event of `list` (by start) that overlaps `span` first; kNoEvent if none does.
EventId first_overlapping(const Events& events, const std::vector<EventId>& list, Interval span) {
  auto at = std::partition_point(
      list.begin(), list.end(), [&](EventId id) { return events.start_ns[id] < span.end_ns; });
  while (at != list.begin()) {
    --at;
    if (events.end_ns(*at) > span.begin_ns) {
      return *at;
    }
  }
  return kNoEvent;
}

class Explainer {
 public:
  Explainer(const analysis::HostThreads& threads,
            const analysis::Launches& launches,
            const analysis::DeviceActivity& activity)
      : threads_(threads),
        timeline_(threads.timeline()),
        events_(timeline_.events),
        launches_(launches),
        activity_(activity),
        facts_(find_host_facts(threads, launches, activity)) {}

  std::vector<Piece> explain() {
    std::size_t next = 0;
    for (const Interval& gap : activity_.idle) {
      while (next < activity_.work.size() && events_.start_ns[activity_.work[next]] < gap.end_ns) {
        ++next;
      }
      explain_gap(gap, next);
    }
    std::sort(pieces_.begin(), pieces_.end(), [](const Piece& left, const Piece& right) {
      return left.span.begin_ns < right.span.begin_ns;
    });
    return std::move(pieces_);
  }

 private:
  void add(Interval span, Cause cause, EventId owner) {
    if (span.begin_ns < span.end_ns) {
      pieces_.push_back({span, gap_, cause, owner});
    }
  }

  /// `next`: index of the first work that starts at or after the end of the gap.
  void explain_gap(Interval gap, std::size_t next) {
    gap_ = gap;
    if (gap.length_ns() < thresholds::kInherentGapNs) {
      add(gap, Cause::inherent, kNoEvent);
      return;
    }
    // Of the work that starts together, the one launched first had to come.
    EventId call = kNoEvent;
    EventId work = kNoEvent;
    for (std::size_t index = next; index < activity_.work.size(); ++index) {
      const EventId id = activity_.work[index];
      if (events_.start_ns[id] > gap.end_ns) {
        break;
      }
      work = work == kNoEvent ? id : work;
      const EventId launched_by = launches_.call_of(id);
      if (launched_by != kNoEvent &&
          (call == kNoEvent || events_.start_ns[launched_by] < events_.start_ns[call])) {
        call = launched_by;
      }
    }
    const Place place = call == kNoEvent ? Place{} : threads_.place_of(call);
    if (!place.known()) {
      add(gap, Cause::no_launch, kNoEvent);
    } else if (events_.start_ns[call] <= gap.begin_ns) {
      explain_device_side(gap, work, call);
    } else {
      explain_host(gap, place, call);
    }
  }

  /// The launch was made before the gap: the device waited for something else.
  void explain_device_side(Interval gap, EventId work, EventId call) {
    if (work != kNoEvent && is_collective(timeline_.name(work))) {
      add(gap, Cause::communication, call);
      return;
    }
    const bool launching = events_.end_ns(call) > gap.begin_ns;
    add(gap, launching ? Cause::launch_bound : Cause::device_wait, call);
  }

  void explain_host(Interval gap, Place place, EventId call) {
    const std::int64_t launch = std::min(events_.start_ns[call], gap.end_ns);
    Intervals rest = {{gap.begin_ns, gap.end_ns}};
    take_known(place.thread, rest);
    if (facts_.main_thread != place.thread && facts_.main_thread != kNone) {
      take_known(facts_.main_thread, rest);
    }
    take(facts_.overhead, facts_.overhead_events, Cause::profiler_overhead, rest);
    take_waits(place.thread, launch, rest);
    if (facts_.main_thread != place.thread && facts_.main_thread != kNone) {
      take_waits(facts_.main_thread, launch, rest);
    }
    const bool long_gap = gap.length_ns() > thresholds::kLaunchGapNs;
    for (const Interval& span : rest) {
      add(span, long_gap ? Cause::host_work : Cause::launch_bound, owner_of(place.thread, span, launch));
    }
  }

  void take(const Intervals& set, const std::vector<EventId>& ids, Cause cause, Intervals& rest) {
    if (set.empty() || rest.empty()) {
      return;
    }
    const auto at = std::partition_point(
        set.begin(), set.end(), [&](const Interval& one) { return one.end_ns <= gap_.begin_ns; });
    Intervals near;
    for (auto one = at; one != set.end() && one->begin_ns < gap_.end_ns; ++one) {
      near.push_back(*one);
    }
    if (near.empty()) {
      return;
    }
    for (const Interval& span : intersect(rest, near)) {
      add(span, cause, first_overlapping(events_, ids, span));
    }
    rest = subtract(rest, near);
  }

  void take_known(std::uint32_t thread, Intervals& rest) {
    const ThreadFacts& facts = facts_.threads[thread];
    take(facts.input, facts.input_events, Cause::input_starvation, rest);
    take(facts.compilation, facts.compilation_events, Cause::compilation, rest);
    take(facts.allocator, facts.allocator_events, Cause::allocator, rest);
  }

  /// A call that waited until the device had nothing left to do cost the host its lead: without it the host
  /// could have launched earlier by as long as it waited, and no more.
  void take_waits(std::uint32_t thread, std::int64_t launch, Intervals& rest) {
    const std::vector<EventId>& waits = facts_.threads[thread].waits;
    auto at = std::partition_point(
        waits.begin(), waits.end(), [&](EventId id) { return events_.start_ns[id] < gap_.begin_ns; });
    if (at != waits.begin()) {
      const EventId wait = *(at - 1);
      Lead& lead = leads_[thread];
      if (lead.wait != wait) {
        const Interval blocked{events_.start_ns[wait], std::min(events_.end_ns(wait), gap_.begin_ns)};
        const std::int64_t waited = covered_ns(activity_.busy, blocked);
        const bool drained = waited >= thresholds::kDrainNs &&
                             events_.end_ns(wait) >= gap_.begin_ns - thresholds::kJustBeforeNs;
        lead = {wait, drained ? waited : 0};
      }
      const std::int64_t tail = std::max<std::int64_t>(events_.end_ns(wait) - gap_.begin_ns, 0);
      give_lead(wait, tail, lead, rest);
    }
    // Calls in the gap itself wait for nothing, but take their time.
    for (; at != waits.end() && events_.start_ns[*at] < std::min(launch, gap_.end_ns); ++at) {
      const Intervals span = {{events_.start_ns[*at], events_.end_ns(*at)}};
      for (const Interval& part : intersect(rest, span)) {
        add(part, cause_of_wait(threads_, launches_, *at), *at);
      }
      rest = subtract(rest, span);
    }
  }

  struct Lead {
    EventId wait = kNoEvent;
    std::int64_t left_ns = 0;  ///< of what it cost and no gap has taken yet
  };

  void give_lead(EventId wait, std::int64_t tail, Lead& lead, Intervals& rest) {
    std::int64_t budget = lead.left_ns + (lead.left_ns > 0 ? tail : 0);
    Intervals left;
    for (const Interval& span : rest) {
      const std::int64_t length = std::min(budget, span.length_ns());
      add({span.begin_ns, span.begin_ns + length}, cause_of_wait(threads_, launches_, wait), wait);
      budget -= length;
      if (length < span.length_ns()) {
        left.push_back({span.begin_ns + length, span.end_ns});
      }
    }
    lead.left_ns = std::min(lead.left_ns, budget);
    rest = std::move(left);
  }

  /// The innermost event of the thread that fills most of the span, seen at a few moments of it.
  EventId owner_of(std::uint32_t thread, Interval span, std::int64_t launch) const {
    constexpr int kMoments = 7;
    const std::int64_t end = std::max(std::min(span.end_ns, launch), span.begin_ns + 1);
    std::map<EventId, int> seen;
    for (int moment = 0; moment < kMoments; ++moment) {
      const std::int64_t time = span.begin_ns + (end - span.begin_ns) * (2 * moment + 1) / (2 * kMoments);
      const Place place = threads_.innermost(thread, time);
      if (place.known()) {
        ++seen[threads_.event_at(place)];
      }
    }
    EventId best = kNoEvent;
    int most = 0;
    for (const auto& [id, count] : seen) {
      if (count > most) {
        most = count;
        best = id;
      }
    }
    return best;
  }

  const analysis::HostThreads& threads_;
  const Timeline& timeline_;
  const Events& events_;
  const analysis::Launches& launches_;
  const analysis::DeviceActivity& activity_;
  HostFacts facts_;
  std::map<std::uint32_t, Lead> leads_;
  Interval gap_;
  std::vector<Piece> pieces_;
};

/// "train.py(42): step", not a file of the framework.
bool is_user_source(std::string_view name) {
  return name.find(".py(") != std::string_view::npos && name.find("torch/") == std::string_view::npos &&
         name.find("site-packages") == std::string_view::npos && !name.starts_with("<");
}

/// The first frame of a stack "a.py(1): f;b.py(2): g" that is the user's; else the first.
std::string_view frame_of(std::string_view stack) {
  const std::string_view first = stack.substr(0, stack.find(';'));
  while (!stack.empty()) {
    const std::size_t end = std::min(stack.find(';'), stack.size());
    if (is_user_source(stack.substr(0, end))) {
      return stack.substr(0, end);
    }
    stack.remove_prefix(std::min(end + 1, stack.size()));
  }
  return first;
}

}  // namespace

std::vector<Piece> explain_gaps(const analysis::HostThreads& threads,
                                const analysis::Launches& launches,
                                const analysis::DeviceActivity& activity) {
  return Explainer(threads, launches, activity).explain();
}

Origin origin_of(const analysis::HostThreads& threads, EventId id) {
  Origin origin;
  const Timeline& timeline = threads.timeline();
  std::string_view any_source;
  for (Place place = threads.place_of(id); place.known(); place = threads.parent(place)) {
    const EventId event = threads.event_at(place);
    const std::string_view name = timeline.name(event);
    switch (timeline.events.category[event]) {
      case Category::cpu_op: {
        origin.op = origin.op.empty() ? name : origin.op;
        const OpDetail* detail = timeline.op_detail(event);
        if (detail != nullptr && origin.source.empty()) {
          origin.source = frame_of(timeline.strings[detail->call_stack]);
        }
        break;
      }
      case Category::annotation:
        if (origin.annotation.empty() && !name.starts_with("ProfilerStep#")) {
          origin.annotation = name;
        }
        break;
      case Category::python:
        if (name.starts_with("nn.Module: ")) {
          origin.module = origin.module.empty() ? name.substr(11) : origin.module;
        } else if (is_user_source(name) && origin.source.empty()) {
          origin.source = name;
        } else if (any_source.empty() && name.find(".py(") != std::string_view::npos) {
          any_source = name;
        }
        break;
      default:
        break;
    }
  }
  origin.source = origin.source.empty() ? any_source : origin.source;
  return origin;
}

}  // namespace jissoku::timeline::diagnosis
