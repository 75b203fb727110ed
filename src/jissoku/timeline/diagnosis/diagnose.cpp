#include "jissoku/timeline/diagnosis/diagnose.hpp"

#include <algorithm>

#include "jissoku/timeline/diagnosis/findings.hpp"
#include "jissoku/timeline/diagnosis/thresholds.hpp"

namespace jissoku::timeline::diagnosis {
namespace {

using analysis::Interval;
using core::message;

bool is_fatal(const std::vector<TrustNote>& notes) {
  return std::any_of(notes.begin(), notes.end(), [](const TrustNote& note) { return note.fatal; });
}

/// "ProfilerStep#7" -> 7.
std::optional<std::int64_t> number_of(const std::string& name) {
  const std::size_t hash = name.find('#');
  if (hash == std::string::npos) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  for (const char c : name.substr(hash + 1)) {
    if (c < '0' || c > '9') {
      return std::nullopt;
    }
    value = value * 10 + (c - '0');
  }
  return value;
}

core::Result<std::optional<Interval>> range_of(const Part& part, const std::vector<analysis::Step>& steps) {
  if (!part.step) {
    return part.range;
  }
  for (const analysis::Step& step : steps) {
    if (number_of(step.name) == part.step) {
      return std::optional<Interval>(step.range);
    }
  }
  return core::make_error(
      core::ExitCode::usage,
      "timeline.no_such_step",
      {{"step", *part.step},
       {"steps", steps.empty() ? std::string("-") : steps.front().name + " .. " + steps.back().name}});
}

/// The first that applies is the verdict of all.
Verdict worst(const std::vector<DeviceDiagnosis>& devices) {
  for (const Verdict verdict : {Verdict::untrusted, Verdict::cause, Verdict::unexplained, Verdict::healthy}) {
    if (std::any_of(
            devices.begin(), devices.end(), [verdict](const auto& one) { return one.verdict == verdict; })) {
      return verdict;
    }
  }
  return Verdict::no_gpu_work;
}

std::vector<core::Message> reasons_without_work(const Timeline& timeline) {
  std::vector<core::Message> out;
  if (timeline.has_accelerator) {
    out.push_back(message("timeline.no_work.accelerator"));
    return out;
  }
  if (timeline.has_host_calls) {
    out.push_back(message("timeline.no_work.calls_only"));
  } else if (timeline.format == Format::kineto) {
    out.push_back(message("timeline.no_work.activities"));
    out.push_back(message("timeline.no_work.not_on_gpu"));
  } else {
    out.push_back(message("timeline.no_work.other_tool"));
  }
  return out;
}

DeviceDiagnosis diagnose_device(const analysis::HostThreads& threads,
                                const analysis::Launches& launches,
                                analysis::DeviceActivity activity,
                                const std::vector<analysis::Step>& steps,
                                bool trusted) {
  const Timeline& timeline = threads.timeline();
  DeviceDiagnosis device;
  device.activity = std::move(activity);
  device.launches = launch_statistics(timeline, launches, device.activity);
  device.precision = precision_use(threads, launches, device.activity);
  device.copies = copy_groups(timeline, device.activity);
  device.trust = check_device(threads, launches, device.activity, device.launches);
  if (trusted && !is_fatal(device.trust)) {
    conclude(threads, launches, device);
    const auto inside = std::count_if(steps.begin(), steps.end(), [&](const analysis::Step& step) {
      return step.range.begin_ns < device.activity.window.end_ns &&
             step.range.end_ns > device.activity.window.begin_ns;
    });
    device.advice = advise(threads, device, inside);
  } else {
    device.verdict = Verdict::untrusted;
  }
  return device;
}

}  // namespace

core::Result<Diagnosis> diagnose(const Timeline& timeline, const Part& part) {
  const analysis::HostThreads threads(timeline);
  const analysis::Launches launches(timeline);
  Diagnosis out;
  out.steps = find_steps(timeline, launches);
  const auto range = range_of(part, out.steps);
  if (!range) {
    return range.error();
  }
  out.trust = check_trace(threads);
  const bool trusted = !is_fatal(out.trust);
  for (analysis::DeviceActivity& activity : device_activities(timeline, *range)) {
    if (!part.device || *part.device == activity.device) {
      out.devices.push_back(diagnose_device(threads, launches, std::move(activity), out.steps, trusted));
    }
  }
  if (out.devices.empty() && part.device) {
    return core::make_error(core::ExitCode::usage, "timeline.no_such_gpu", {{"gpu", *part.device}});
  }
  out.verdict = worst(out.devices);
  if (out.devices.empty()) {
    out.no_work_reasons = reasons_without_work(timeline);
    out.verdict = trusted ? Verdict::no_gpu_work : Verdict::untrusted;
  }
  return out;
}

void find_stragglers(const std::vector<Timeline>& timelines, std::vector<Diagnosis>& diagnoses) {
  // Who waits least for the others in collectives is the one they wait for.
  std::vector<DeviceDiagnosis*> devices;
  std::vector<std::int64_t> ranks;
  for (std::size_t index = 0; index < diagnoses.size(); ++index) {
    if (!diagnoses[index].devices.empty() && diagnoses[index].devices.front().verdict != Verdict::untrusted) {
      devices.push_back(&diagnoses[index].devices.front());
      ranks.push_back(timelines[index].rank);
    }
  }
  if (devices.size() < 2) {
    return;
  }
  std::size_t least = 0;
  double sum = 0;
  const auto waiting = [&devices](std::size_t index) {
    return length_ns(devices[index]->activity.communication);
  };
  for (std::size_t index = 0; index < devices.size(); ++index) {
    least = waiting(index) < waiting(least) ? index : least;
    sum += static_cast<double>(waiting(index));
  }
  const double others = (sum - static_cast<double>(waiting(least))) / static_cast<double>(devices.size() - 1);
  const std::int64_t lost = static_cast<std::int64_t>(others) - waiting(least);
  DeviceDiagnosis& slow = *devices[least];
  const double part =
      static_cast<double>(lost) / static_cast<double>(std::max<std::int64_t>(slow.activity.window_ns(), 1));
  if (part < thresholds::kStraggler) {
    return;
  }
  for (DeviceDiagnosis* device : devices) {
    Finding finding;
    finding.cause = Cause::straggler;
    finding.time_ns = lost;
    finding.share = part;
    finding.gain_upper = gain_upper(device->activity.window_ns(), lost);
    finding.rank = ranks[least];
    device->findings.push_back(std::move(finding));
    device->verdict = Verdict::cause;
  }
}

}  // namespace jissoku::timeline::diagnosis
