#include "jissoku/timeline/analysis/steps.hpp"

#include <algorithm>
#include <limits>

#include "jissoku/timeline/finish.hpp"

namespace jissoku::timeline::analysis {
namespace {

constexpr std::string_view kMark = "ProfilerStep#";
constexpr double kWholeStep = 0.8;
constexpr auto kParts = static_cast<std::size_t>(StepPart::kCount);

std::vector<Step> marks(const Timeline& timeline) {
  std::vector<Step> steps;
  const Events& events = timeline.events;
  for (const auto& lane : timeline.by_lane) {
    for (const EventId id : lane) {
      if (is_host(events.category[id]) && timeline.name(id).starts_with(kMark)) {
        const Interval mark{events.start_ns[id], events.end_ns(id)};
        steps.push_back({.name = std::string(timeline.name(id)), .mark = mark, .range = mark});
      }
    }
  }
  std::sort(steps.begin(), steps.end(), [](const Step& left, const Step& right) {
    return left.mark.begin_ns < right.mark.begin_ns;
  });
  return steps;
}

/// The step whose mark holds `time_ns`, or nullptr.
Step* step_at(std::vector<Step>& steps, std::int64_t time_ns) {
  auto after = std::partition_point(
      steps.begin(), steps.end(), [time_ns](const Step& step) { return step.mark.begin_ns <= time_ns; });
  if (after == steps.begin()) {
    return nullptr;
  }
  --after;
  return time_ns < after->mark.end_ns ? &*after : nullptr;
}

StepPart part_of(const Timeline& timeline, EventId id) {
  const std::string_view name = timeline.name(id);
  switch (timeline.events.category[id]) {
    case Category::kernel:
      return is_collective(name) ? StepPart::communication : StepPart::kernel;
    case Category::memcpy:
      return StepPart::memcpy;
    case Category::memset:
      return StepPart::memset;
    case Category::runtime:
      return StepPart::runtime;
    case Category::cpu_op:
    case Category::annotation:
      return is_data_loader(name)        ? StepPart::data_loader
             : name.starts_with(kMark)   ? StepPart::other
             : name.starts_with("nccl:") ? StepPart::communication
                                         : StepPart::cpu;
    default:
      return StepPart::other;
  }
}

void stretch(const Timeline& timeline, const Launches& launches, std::vector<Step>& steps) {
  const Events& events = timeline.events;
  for (std::size_t lane = 0; lane < timeline.by_lane.size(); ++lane) {
    for (const EventId id : timeline.by_lane[lane]) {
      if (!is_device_work(events.category[id])) {
        continue;
      }
      const EventId call = launches.call_of(id);
      Step* step = call == kNoEvent ? nullptr : step_at(steps, events.start_ns[call]);
      if (step != nullptr) {
        step->range.end_ns = std::max(step->range.end_ns, events.end_ns(id));
        ++step->device_events;
      }
    }
  }
  for (std::size_t index = 1; index < steps.size(); ++index) {
    steps[index].range.begin_ns = std::max(steps[index].range.begin_ns, steps[index - 1].range.end_ns);
  }
}

void drop_cut_off_steps(std::vector<Step>& steps) {
  while (steps.size() > 1) {
    double sum = 0;
    for (std::size_t index = 0; index + 1 < steps.size(); ++index) {
      sum += static_cast<double>(steps[index].device_events);
    }
    const double mean = sum / static_cast<double>(steps.size() - 1);
    if (static_cast<double>(steps.back().device_events) >= kWholeStep * mean) {
      return;
    }
    steps.pop_back();
  }
}

void fill_parts(const Timeline& timeline, std::vector<Step>& steps) {
  std::array<std::vector<Interval>, kParts> all;
  const Events& events = timeline.events;
  for (const auto& lane : timeline.by_lane) {
    for (const EventId id : lane) {
      all[static_cast<std::size_t>(part_of(timeline, id))].push_back(
          {events.start_ns[id], events.end_ns(id)});
    }
  }
  constexpr auto kOther = static_cast<std::size_t>(StepPart::other);
  std::array<Intervals, kParts> sets;
  for (std::size_t part = 0; part < kOther; ++part) {
    sets[part] = unite(std::move(all[part]));
  }
  for (Step& step : steps) {
    Intervals left = unite({step.range});
    for (std::size_t part = 0; part < kOther; ++part) {
      const Intervals rest = subtract(left, sets[part]);
      step.parts_ns[part] = length_ns(left) - length_ns(rest);
      left = rest;
    }
    step.parts_ns[kOther] = length_ns(left);
  }
}

}  // namespace

bool is_data_loader(std::string_view name) {
  return name.starts_with("enumerate(DataLoader)#") || name.starts_with("enumerate(DataPipe)#");
}

std::vector<Step> find_steps(const Timeline& timeline, const Launches& launches) {
  std::vector<Step> steps = marks(timeline);
  if (steps.empty()) {
    return steps;
  }
  stretch(timeline, launches, steps);
  drop_cut_off_steps(steps);
  fill_parts(timeline, steps);
  return steps;
}

}  // namespace jissoku::timeline::analysis
