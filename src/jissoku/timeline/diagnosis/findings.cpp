#include "jissoku/timeline/diagnosis/findings.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "jissoku/timeline/diagnosis/thresholds.hpp"

namespace jissoku::timeline::diagnosis {
namespace {

using analysis::Interval;

constexpr std::size_t kShown = 3;

double share(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Whether kernels end before the next one can be launched: most are shorter than what a launch takes.
bool kernels_are_short(const Timeline& timeline, const DeviceDiagnosis& device) {
  const std::int64_t limit = std::max(thresholds::kShortKernelNs, device.launches.median_call_ns);
  std::int64_t count = 0;
  for (const EventId id : device.activity.work) {
    count +=
        timeline.events.category[id] == Category::kernel && timeline.events.duration_ns[id] < limit ? 1 : 0;
  }
  return share(count, device.launches.kernels) > thresholds::kShortKernels;
}

std::vector<Evidence> largest(const std::map<std::string, Evidence>& all) {
  std::vector<Evidence> out;
  for (const auto& [name, evidence] : all) {
    out.push_back(evidence);
  }
  std::stable_sort(out.begin(), out.end(), [](const Evidence& left, const Evidence& right) {
    return left.time_ns > right.time_ns;
  });
  out.resize(std::min(out.size(), kShown));
  return out;
}

std::vector<Interval> longest(std::vector<Interval> spans) {
  std::stable_sort(spans.begin(), spans.end(), [](const Interval& left, const Interval& right) {
    return left.length_ns() > right.length_ns();
  });
  spans.resize(std::min(spans.size(), kShown));
  std::sort(spans.begin(), spans.end(), [](const Interval& left, const Interval& right) {
    return left.begin_ns < right.begin_ns;
  });
  return spans;
}

/// Collects the pieces of one cause.
class Merge {
 public:
  explicit Merge(const analysis::HostThreads& threads) : threads_(threads) {}

  void add(const Piece& piece) {
    const std::int64_t time = piece.span.length_ns();
    finding_.time_ns += time;
    if (spans_.empty() || !(spans_.back() == piece.gap)) {
      spans_.push_back(piece.gap);
      ++finding_.gaps;
    }
    if (piece.owner == kNoEvent) {
      return;
    }
    std::string name(threads_.timeline().name(piece.owner));
    Evidence& evidence = names_[name];
    evidence.name = std::move(name);
    evidence.time_ns += time;
    evidence.count += piece.owner == last_owner_ ? 0 : 1;
    last_owner_ = piece.owner;
    const Origin origin = origin_of(threads_, piece.owner);
    add(ops_, origin.op, time);
    add(annotations_, origin.annotation, time);
    add(modules_, origin.module, time);
    add(sources_, origin.source, time);
  }

  Finding finish(Cause cause, std::int64_t window) {
    finding_.cause = cause;
    finding_.share = share(finding_.time_ns, window);
    finding_.gain_upper = gain_upper(window, finding_.time_ns - finding_.gaps * thresholds::kInherentGapNs);
    finding_.evidence = largest(names_);
    finding_.look_at = longest(std::move(spans_));
    finding_.op = most(ops_);
    finding_.annotation = most(annotations_);
    finding_.module = most(modules_);
    finding_.source = most(sources_);
    return std::move(finding_);
  }

 private:
  using Times = std::map<std::string, std::int64_t, std::less<>>;

  static void add(Times& times, std::string_view name, std::int64_t time) {
    const auto found = times.find(name);
    if (found != times.end()) {
      found->second += time;
    } else if (!name.empty()) {
      times.emplace(std::string(name), time);
    }
  }

  /// The name with most of the time, if that is a good part of the cause.
  std::string most(const Times& times) const {
    const auto best = std::max_element(times.begin(), times.end(), [](const auto& left, const auto& right) {
      return left.second < right.second;
    });
    constexpr std::int64_t kGoodPart = 4;
    return best == times.end() || best->second * kGoodPart < finding_.time_ns ? std::string() : best->first;
  }

  const analysis::HostThreads& threads_;
  Finding finding_;
  std::map<std::string, Evidence> names_;
  Times ops_, annotations_, modules_, sources_;
  std::vector<Interval> spans_;
  EventId last_owner_ = kNoEvent;
};

double least_share(Cause cause) {
  switch (cause) {
    case Cause::input_starvation:
      return thresholds::kInput;
    case Cause::sync_item:
    case Cause::blocking_copy:
      return thresholds::kSync;
    case Cause::communication:
      return thresholds::kCommunication;
    case Cause::transfer_bound:
      return thresholds::kExposedCopy;
    default:
      return thresholds::kHostCause;
  }
}

/// Time in which the device did nothing but move data: a cause although it is busy.
void add_busy_causes(const Timeline& timeline,
                     const DeviceDiagnosis& device,
                     std::map<Cause, Finding>& found) {
  const analysis::DeviceActivity& activity = device.activity;
  const std::int64_t window = activity.window_ns();
  const analysis::Intervals link = link_copies(timeline, activity);
  const analysis::Intervals exposed = subtract(subtract(link, activity.compute), activity.communication);
  const std::int64_t exposed_ns = length_ns(exposed);
  if (share(length_ns(link), activity.busy_ns()) > thresholds::kTransferOfBusy ||
      share(exposed_ns, window) > thresholds::kExposedCopy) {
    Finding finding;
    finding.cause = Cause::transfer_bound;
    finding.time_ns = exposed_ns;
    finding.share = share(exposed_ns, window);
    finding.gain_upper = gain_upper(window, exposed_ns);
    finding.look_at = longest(exposed);
    std::map<std::string, Evidence> names;
    for (const EventId id : activity.work) {
      if (timeline.events.category[id] == Category::memcpy) {
        std::string name(timeline.name(id));
        Evidence& evidence = names[name];
        evidence.name = std::move(name);
        evidence.time_ns += timeline.events.duration_ns[id];
        ++evidence.count;
      }
    }
    finding.evidence = largest(names);
    found[Cause::transfer_bound] = std::move(finding);
  }
}

void add_communication(const Timeline& timeline,
                       const DeviceDiagnosis& device,
                       std::map<Cause, Finding>& found) {
  const analysis::DeviceActivity& activity = device.activity;
  if (activity.exposed_communication_ns == 0) {
    return;
  }
  const std::int64_t window = activity.window_ns();
  Finding& finding = found[Cause::communication];
  finding.cause = Cause::communication;
  finding.time_ns += activity.exposed_communication_ns;
  finding.share = share(finding.time_ns, window);
  finding.gain_upper = gain_upper(window, finding.time_ns);
  const analysis::Intervals exposed = subtract(activity.communication, activity.compute);
  finding.look_at = longest(exposed);
  std::map<std::string, Evidence> names;
  for (const EventId id : activity.work) {
    const Interval span{timeline.events.start_ns[id], timeline.events.end_ns(id)};
    if (timeline.events.category[id] == Category::kernel && covered_ns(activity.communication, span) > 0 &&
        covered_ns(exposed, span) > 0 && covered_ns(activity.compute, span) < span.length_ns()) {
      std::string name(timeline.name(id));
      Evidence& evidence = names[name];
      evidence.name = std::move(name);
      evidence.time_ns += covered_ns(exposed, span);
      ++evidence.count;
    }
  }
  finding.evidence = largest(names);
}

std::map<Cause, Finding> merge_gaps(const analysis::HostThreads& threads,
                                    const analysis::Launches& launches,
                                    const DeviceDiagnosis& device) {
  const bool short_kernels = kernels_are_short(threads.timeline(), device);
  std::map<Cause, Merge> merges;
  for (const Piece& piece : explain_gaps(threads, launches, device.activity)) {
    // Slow launching with long kernels is no matter of launches, but of what the host does between them.
    const Cause cause = piece.cause == Cause::launch_bound && !short_kernels ? Cause::host_work : piece.cause;
    merges.try_emplace(cause, threads).first->second.add(piece);
  }
  std::map<Cause, Finding> found;
  for (auto& [cause, merge] : merges) {
    found[cause] = merge.finish(cause, device.activity.window_ns());
  }
  return found;
}

}  // namespace

double gain_upper(std::int64_t window_ns, std::int64_t saved_ns) {
  const std::int64_t saved = std::clamp<std::int64_t>(saved_ns, 0, window_ns);
  return window_ns - saved <= 0 ? 1e6
                                : static_cast<double>(window_ns) / static_cast<double>(window_ns - saved);
}

void conclude(const analysis::HostThreads& threads,
              const analysis::Launches& launches,
              DeviceDiagnosis& device) {
  const double idle = device.activity.idle_share();
  std::map<Cause, Finding> found;
  if (idle >= thresholds::kIdleNoted) {
    found = merge_gaps(threads, launches, device);
  }
  const auto without_finding = [&found](Cause cause) {
    const auto one = found.find(cause);
    const double part = one == found.end() ? 0.0 : one->second.share;
    found.erase(cause);
    return part;
  };
  device.inherent_share = without_finding(Cause::inherent);
  device.device_wait_share = without_finding(Cause::device_wait);
  device.no_launch_share = without_finding(Cause::no_launch);
  add_busy_causes(threads.timeline(), device, found);
  add_communication(threads.timeline(), device, found);
  for (auto& [cause, finding] : found) {
    if (finding.share >= least_share(cause)) {
      device.findings.push_back(std::move(finding));
    } else if (cause != Cause::transfer_bound) {
      device.small_causes_share += finding.share;
    }
  }
  std::stable_sort(device.findings.begin(),
                   device.findings.end(),
                   [](const Finding& left, const Finding& right) { return left.share > right.share; });
  device.verdict = !device.findings.empty()         ? Verdict::cause
                   : idle >= thresholds::kIdleNoted ? Verdict::unexplained
                                                    : Verdict::healthy;
}

}  // namespace jissoku::timeline::diagnosis
