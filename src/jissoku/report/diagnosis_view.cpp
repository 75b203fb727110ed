#include "jissoku/report/diagnosis_view.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "jissoku/core/units.hpp"
#include "jissoku/timeline/diagnosis/thresholds.hpp"

namespace jissoku::report {
namespace {

using core::message;
using timeline::Timeline;
using timeline::diagnosis::AdviceNote;
using timeline::diagnosis::DeviceDiagnosis;
using timeline::diagnosis::Diagnosis;
using timeline::diagnosis::Evidence;
using timeline::diagnosis::Finding;
using timeline::diagnosis::TrustNote;
using timeline::diagnosis::Verdict;

/// A name of the trace as a person reads it: long C++ signatures are cut.
std::string short_name(std::string_view name) {
  constexpr std::size_t kMost = 72;
  return name.size() <= kMost ? std::string(name) : std::string(name.substr(0, kMost - 3)) + "...";
}

class View {
 public:
  View(const Diagnosed& diagnosed, const core::Catalogue& catalogue)
      : timeline_(*diagnosed.timeline),
        diagnosis_(*diagnosed.diagnosis),
        read_ns_(diagnosed.read_ns),
        catalogue_(catalogue) {}

  Page page() {
    if (diagnosis_.devices.empty()) {
      add_without_work();
      return std::move(page_);
    }
    for (const DeviceDiagnosis& device : diagnosis_.devices) {
      add_device(device);
    }
    page_.push_back(Paragraph{text("diagnose.rules")});
    return std::move(page_);
  }

 private:
  std::string text(std::string id, std::vector<core::Argument> args = {}) const {
    return catalogue_.render(message(std::move(id), std::move(args)));
  }
  std::string label(std::string_view id) const { return text("diagnose.label." + std::string(id)); }

  std::string format_name() const {
    constexpr std::string_view kNames[] = {"kineto", "chrome", "nsight", "rocprof", "jissoku"};
    return text("diagnose.format." + std::string(kNames[static_cast<std::size_t>(timeline_.format)]));
  }

  void add_without_work() {
    page_.push_back(Heading{
        text("diagnose.no_gpu_work",
             {{"path", timeline_.path}, {"format", format_name()}, {"events", timeline_.events_in_file}})});
    Facts facts;
    for (const timeline::DeviceInfo& info : timeline_.devices) {
      facts.items.push_back({label("device"), info.name});
    }
    for (const core::Message& reason : diagnosis_.no_work_reasons) {
      facts.items.push_back({label("reason"), catalogue_.render(reason)});
    }
    add_trust(diagnosis_.trust, facts);
    page_.push_back(std::move(facts));
  }

  void add_trust(const std::vector<TrustNote>& notes, Facts& facts) const {
    for (const TrustNote& note : notes) {
      facts.items.push_back(
          {label("trust"), catalogue_.render(note.text), note.fatal ? Tone::failure : Tone::caution});
    }
  }

  std::string device_name(const DeviceDiagnosis& device) const {
    const timeline::DeviceInfo* info = timeline_.device_info(device.activity.device);
    return info == nullptr || info->name.empty() ? text("diagnose.gpu", {{"gpu", device.activity.device}})
                                                 : info->name;
  }

  void add_device(const DeviceDiagnosis& device) {
    page_.push_back(Heading{text("diagnose.title",
                                 {{"device", device_name(device)},
                                  {"gpu", device.activity.device},
                                  {"format", format_name()},
                                  {"window", static_cast<double>(device.activity.window_ns())},
                                  {"steps", static_cast<std::int64_t>(diagnosis_.steps.size())},
                                  {"events", timeline_.events_in_file},
                                  {"time", static_cast<double>(read_ns_)}})});
    page_.push_back(Paragraph{summary(device)});
    page_.push_back(overview(device));
    int number = 1;
    for (const Finding& finding : device.findings) {
      add_finding(device, finding, number++);
    }
    add_rest(device);
    add_advice(device);
  }

  std::string summary(const DeviceDiagnosis& device) const {
    const std::string busy = tenths(1 - device.activity.idle_share());
    switch (device.verdict) {
      case Verdict::untrusted:
        return text("diagnose.summary.untrusted");
      case Verdict::healthy:
        return text("diagnose.summary.healthy", {{"busy", busy}});
      case Verdict::unexplained:
        return text("diagnose.summary.unexplained", {{"busy", busy}});
      default:
        break;
    }
    const Finding& first = device.findings.front();
    return text("diagnose.summary.cause",
                {{"busy", busy},
                 {"cause", text("diagnose.cause." + std::string(id_of(first.cause)))},
                 {"share", tenths(first.share)},
                 {"gain", first.gain_upper}});
  }

  Facts overview(const DeviceDiagnosis& device) const {
    const auto& activity = device.activity;
    const auto part = [&activity](std::int64_t time) {
      return tenths(static_cast<double>(time) /
                    static_cast<double>(std::max<std::int64_t>(activity.window_ns(), 1)));
    };
    Facts facts;
    facts.items.push_back({label("gpu"),
                           text("diagnose.overview",
                                {{"busy", part(activity.busy_ns())},
                                 {"idle", tenths(activity.idle_share())},
                                 {"compute", part(activity.compute_ns)},
                                 {"copies", part(activity.exposed_copy_ns)},
                                 {"communication", part(activity.exposed_communication_ns)}})});
    std::vector<TrustNote> notes = diagnosis_.trust;
    notes.insert(notes.end(), device.trust.begin(), device.trust.end());
    if (notes.empty()) {
      facts.items.push_back({label("trust"), text("diagnose.trust_good", {{"count", device.launches.work}})});
    }
    add_trust(notes, facts);
    return facts;
  }

  void add_finding(const DeviceDiagnosis& device, const Finding& finding, int number) {
    const std::string id(id_of(finding.cause));
    page_.push_back(Heading{text("diagnose.finding",
                                 {{"number", std::int64_t{number}},
                                  {"cause", text("diagnose.cause." + id)},
                                  {"share", tenths(finding.share)},
                                  {"id", id}})});
    Facts facts;
    for (const Evidence& evidence : finding.evidence) {
      facts.items.push_back({label("seen"),
                             text("diagnose.evidence",
                                  {{"name", short_name(evidence.name)},
                                   {"time", static_cast<double>(evidence.time_ns)},
                                   {"count", evidence.count}})});
    }
    if (finding.cause == timeline::diagnosis::Cause::straggler) {
      facts.items.push_back({label("seen"), text("diagnose.straggler", {{"rank", finding.rank}})});
    }
    add_origin(finding, facts);
    facts.items.push_back({label("do"), text("diagnose.fix." + id), Tone::best});
    facts.items.push_back({label("gain"), text("diagnose.gain", {{"gain", finding.gain_upper}})});
    std::string spans;
    for (const auto& span : finding.look_at) {
      spans += (spans.empty() ? "" : ", ") + span_text(span, device.activity.window.begin_ns);
    }
    if (!spans.empty()) {
      facts.items.push_back({label("look"), spans});
    }
    page_.push_back(std::move(facts));
  }

  void add_origin(const Finding& finding, Facts& facts) const {
    const auto add = [&](std::string_view kind, const std::string& value) {
      if (!value.empty()) {
        facts.items.push_back(
            {label("where"), text("diagnose.origin." + std::string(kind), {{"name", short_name(value)}})});
      }
    };
    add("source", finding.source);
    add("module", finding.module);
    add("annotation", finding.annotation);
    add("op", finding.op);
  }

  void add_rest(const DeviceDiagnosis& device) {
    constexpr double kWorthSaying = 0.01;
    Facts facts;
    const auto add = [&](std::string_view kind, double part) {
      if (part >= kWorthSaying) {
        facts.items.push_back(
            {label("rest"), text("diagnose.rest." + std::string(kind), {{"share", tenths(part)}})});
      }
    };
    add("device_wait", device.device_wait_share);
    add("no_launch", device.no_launch_share);
    add("inherent", device.inherent_share);
    add("small_causes", device.small_causes_share);
    if (!facts.items.empty()) {
      page_.push_back(std::move(facts));
    }
  }

  void add_advice(const DeviceDiagnosis& device) {
    Facts facts;
    for (const AdviceNote& note : device.advice) {
      facts.items.push_back({label("advice"),
                             text("diagnose.advice." + std::string(id_of(note.advice)),
                                  {{"share", tenths(note.share)}, {"amount", note.amount}})});
    }
    if (!facts.items.empty()) {
      page_.push_back(std::move(facts));
    }
  }

  const Timeline& timeline_;
  const Diagnosis& diagnosis_;
  std::int64_t read_ns_;
  const core::Catalogue& catalogue_;
  Page page_;
};

/// Share of a cause in a device's findings; 0 where it is none.
double share_of(const DeviceDiagnosis& device, timeline::diagnosis::Cause cause) {
  for (const Finding& finding : device.findings) {
    if (finding.cause == cause) {
      return finding.share;
    }
  }
  return 0;
}

auto find_device(const std::vector<DeviceDiagnosis>& devices, std::int64_t device) {
  return std::find_if(devices.begin(), devices.end(), [device](const DeviceDiagnosis& one) {
    return one.activity.device == device;
  });
}

/// Which word says how a cause changed. What reads the same is the same.
std::string change_of(double was, double is) {
  if (is == 0 || was == 0) {
    return is == 0 ? "gone" : "new";
  }
  return tenths(was) == tenths(is) ? "same" : is < was ? "less" : "more";
}

void add_comparison(Page& page,
                    const DeviceDiagnosis& before,
                    const DeviceDiagnosis& after,
                    const core::Catalogue& catalogue) {
  const auto text = [&catalogue](std::string id, std::vector<core::Argument> args) {
    return catalogue.render(message(std::move(id), std::move(args)));
  };
  Facts facts;
  facts.items.push_back({text("diagnose.compare.window", {}),
                         text("diagnose.compare.times",
                              {{"before", static_cast<double>(before.activity.window_ns())},
                               {"after", static_cast<double>(after.activity.window_ns())}})});
  const std::string idle_before = tenths(before.activity.idle_share());
  const std::string idle_after = tenths(after.activity.idle_share());
  facts.items.push_back({text("diagnose.compare.idle", {}),
                         text("diagnose.compare.shares", {{"before", idle_before}, {"after", idle_after}})});
  bool changed = before.activity.window_ns() != after.activity.window_ns() || idle_before != idle_after;
  for (std::size_t index = 0; index < static_cast<std::size_t>(timeline::diagnosis::Cause::inherent);
       ++index) {
    const auto cause = static_cast<timeline::diagnosis::Cause>(index);
    const double was = share_of(before, cause);
    const double is = share_of(after, cause);
    if (was == 0 && is == 0) {
      continue;
    }
    const std::string change = change_of(was, is);
    changed = changed || change != "same";
    facts.items.push_back({text("diagnose.compare." + change, {}),
                           text("diagnose.compare.cause",
                                {{"cause", text("diagnose.cause." + std::string(id_of(cause)), {})},
                                 {"before", tenths(was)},
                                 {"after", tenths(is)}}),
                           change == "same" ? Tone::plain
                           : is < was       ? Tone::best
                                            : Tone::caution});
  }
  page.push_back(std::move(facts));
  if (!changed) {
    page.push_back(Paragraph{text("diagnose.compare.nothing", {})});
  }
}

}  // namespace

std::string tenths(double share) {
  return fmt::format("{:.1f} %", share * 100);
}

std::string span_text(const timeline::analysis::Interval& span, std::int64_t origin_ns) {
  const auto ms = [origin_ns](std::int64_t time) { return static_cast<double>(time - origin_ns) / 1e6; };
  // Short spans need more digits to be told apart.
  constexpr std::int64_t kLongNs = 10'000'000;
  const int digits = span.length_ns() >= kLongNs ? 1 : 3;
  return fmt::format("{:.{}f} .. {:.{}f} ms", ms(span.begin_ns), digits, ms(span.end_ns), digits);
}

Page diagnosis_page(const Diagnosed& diagnosed, const core::Catalogue& catalogue) {
  return View(diagnosed, catalogue).page();
}

Page thresholds_page(const core::Catalogue& catalogue) {
  namespace thresholds = timeline::diagnosis::thresholds;
  const auto text = [&catalogue](std::string id) { return catalogue.render(message(std::move(id))); };
  Page page;
  page.push_back(Heading{text("diagnose.explain.title")});
  for (const std::string_view part : {"window", "trust", "gap", "sync", "merge"}) {
    page.push_back(Paragraph{text("diagnose.explain." + std::string(part))});
  }
  Table table;
  table.columns = {{text("diagnose.explain.column_rule")},
                   {text("diagnose.explain.column_value")},
                   {text("diagnose.explain.column_source"), Align::left, 1}};
  for (const thresholds::Row& row : thresholds::table()) {
    table.rows.emplace_back().cells = {
        text("diagnose.threshold." + std::string(row.id)), std::string(row.value), std::string(row.source)};
  }
  page.push_back(std::move(table));
  return page;
}

Page comparison_page(const Diagnosed& base, const Diagnosed& now, const core::Catalogue& catalogue) {
  Page page;
  const auto text = [&catalogue](std::string id, std::vector<core::Argument> args) {
    return catalogue.render(message(std::move(id), std::move(args)));
  };
  if (base.diagnosis->devices.empty() || now.diagnosis->devices.empty()) {
    page.push_back(Heading{text("diagnose.compare.impossible", {})});
    return page;
  }
  page.push_back(
      Heading{text("diagnose.compare.title", {{"base", base.timeline->path}, {"now", now.timeline->path}})});
  const auto& olds = base.diagnosis->devices;
  const auto& news = now.diagnosis->devices;
  if (olds.size() == 1 && news.size() == 1) {  // whatever their numbers
    add_comparison(page, olds.front(), news.front(), catalogue);
    return page;
  }
  for (const DeviceDiagnosis& before : olds) {
    const auto after = find_device(news, before.activity.device);
    if (after == news.end()) {
      page.push_back(Heading{text("diagnose.compare.one_only", {{"gpu", before.activity.device}})});
      continue;
    }
    page.push_back(Heading{text("diagnose.gpu", {{"gpu", before.activity.device}})});
    add_comparison(page, before, *after, catalogue);
  }
  for (const DeviceDiagnosis& after : news) {
    if (find_device(olds, after.activity.device) == olds.end()) {
      page.push_back(Heading{text("diagnose.compare.one_only", {{"gpu", after.activity.device}})});
    }
  }
  return page;
}

}  // namespace jissoku::report
