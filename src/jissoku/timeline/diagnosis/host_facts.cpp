#include "jissoku/timeline/diagnosis/host_facts.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "jissoku/timeline/analysis/steps.hpp"

namespace jissoku::timeline::diagnosis {
namespace {

using analysis::CallKind;
using analysis::Interval;

enum class NameKind : std::uint8_t { other, input, compilation };

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

NameKind name_kind(std::string_view name) {
  if (analysis::is_data_loader(name)) {
    return NameKind::input;
  }
  constexpr std::array<std::string_view, 9> kCompilers = {"torch/_dynamo/convert_frame",
                                                          "torch/_inductor/compile_fx",
                                                          "triton/compiler/compiler.py",
                                                          "triton/runtime/autotuner.py",
                                                          "CompiledFxGraph",
                                                          "dynamo_timed",
                                                          "compile_fx",
                                                          "nvrtcCompile",
                                                          "hiprtcCompile"};
  const bool compiles = std::any_of(
      kCompilers.begin(), kCompilers.end(), [name](std::string_view part) { return contains(name, part); });
  // Calls of code that was compiled before carry such names too.
  return compiles && !contains(name, "forward (dynamo_timed)") && !contains(name, ": __call__")
             ? NameKind::compilation
             : NameKind::other;
}

std::vector<NameKind> name_kinds(const Timeline& timeline) {
  std::vector<NameKind> out(timeline.strings.size());
  for (StringId id = 0; id < timeline.strings.size(); ++id) {
    out[id] = name_kind(timeline.strings[id]);
  }
  return out;
}

/// Copies that the host waited for: from or to pageable memory, or seen to end with the call.
std::unordered_set<EventId> waiting_copies(const Timeline& timeline,
                                           const analysis::Launches& launches,
                                           const analysis::DeviceActivity& device) {
  std::unordered_set<EventId> out;
  const Events& events = timeline.events;
  for (const EventId id : device.work) {
    const DeviceDetail* detail = timeline.device_detail(id);
    if (events.category[id] != Category::memcpy || detail == nullptr) {
      continue;
    }
    const EventId call = launches.call_of(id);
    const bool pageable = detail->from == Memory::pageable || detail->to == Memory::pageable;
    if (call != kNoEvent && (pageable || events.end_ns(call) >= events.end_ns(id))) {
      out.insert(call);
    }
  }
  return out;
}

analysis::Intervals ranges(const Events& events, const std::vector<EventId>& ids) {
  std::vector<Interval> out;
  for (const EventId id : ids) {
    out.push_back({events.start_ns[id], events.end_ns(id)});
  }
  return analysis::unite(std::move(out));
}

std::uint32_t find_main_thread(const analysis::HostThreads& threads, const analysis::Launches& launches) {
  std::uint32_t best = kNone;
  std::size_t most = 0;
  for (std::uint32_t index = 0; index < threads.threads().size(); ++index) {
    std::size_t count = 0;
    for (const EventId id : threads.threads()[index].events) {
      const bool call = threads.timeline().events.category[id] == Category::runtime;
      count += call && launches.kind_of(id) == CallKind::launch ? 1U : 0U;
    }
    if (count > most || best == kNone) {
      most = count;
      best = index;
    }
  }
  return best;
}

}  // namespace

Cause cause_of_wait(const analysis::HostThreads& threads, const analysis::Launches& launches, EventId call) {
  constexpr std::array<std::string_view, 6> kScalars = {"aten::item",
                                                        "aten::_local_scalar_dense",
                                                        "aten::is_nonzero",
                                                        "aten::nonzero",
                                                        "aten::equal",
                                                        "aten::unique_dim"};
  constexpr std::array<std::string_view, 4> kCopies = {
      "aten::copy_", "aten::to", "aten::_to_copy", "aten::clone"};
  const Timeline& timeline = threads.timeline();
  const auto op = threads.enclosing(threads.place_of(call), [&](EventId id) {
    const std::string_view name = timeline.name(id);
    return timeline.events.category[id] == Category::cpu_op &&
           (std::find(kScalars.begin(), kScalars.end(), name) != kScalars.end() ||
            std::find(kCopies.begin(), kCopies.end(), name) != kCopies.end());
  });
  if (op) {
    const std::string_view name = timeline.name(*op);
    return std::find(kScalars.begin(), kScalars.end(), name) != kScalars.end() ? Cause::sync_item
                                                                               : Cause::blocking_copy;
  }
  return launches.kind_of(call) == CallKind::synchronise ? Cause::sync_item : Cause::blocking_copy;
}

HostFacts find_host_facts(const analysis::HostThreads& threads,
                          const analysis::Launches& launches,
                          const analysis::DeviceActivity& device) {
  const Timeline& timeline = threads.timeline();
  const Events& events = timeline.events;
  const std::vector<NameKind> names = name_kinds(timeline);
  const std::unordered_set<EventId> copies = waiting_copies(timeline, launches, device);
  HostFacts facts;
  for (const analysis::HostThread& thread : threads.threads()) {
    ThreadFacts& mine = facts.threads.emplace_back();
    for (const EventId id : thread.events) {
      const CallKind kind = events.category[id] == Category::runtime ? launches.kind_of(id) : CallKind::other;
      if (names[events.name[id]] == NameKind::input) {
        mine.input_events.push_back(id);
      } else if (names[events.name[id]] == NameKind::compilation || kind == CallKind::load) {
        mine.compilation_events.push_back(id);
      } else if (events.category[id] == Category::overhead) {
        facts.overhead_events.push_back(id);
      } else if (kind == CallKind::allocate) {
        mine.allocator_events.push_back(id);
      } else if (kind == CallKind::synchronise || kind == CallKind::blocking_copy ||
                 (kind == CallKind::copy && copies.count(id) > 0)) {
        mine.waits.push_back(id);
      }
    }
    mine.input = ranges(events, mine.input_events);
    mine.compilation = ranges(events, mine.compilation_events);
    mine.allocator = ranges(events, mine.allocator_events);
  }
  std::sort(
      facts.overhead_events.begin(), facts.overhead_events.end(), [&events](EventId left, EventId right) {
        return events.start_ns[left] < events.start_ns[right];
      });
  facts.overhead = ranges(events, facts.overhead_events);
  facts.main_thread = find_main_thread(threads, launches);
  return facts;
}

}  // namespace jissoku::timeline::diagnosis
