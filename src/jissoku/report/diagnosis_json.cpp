#include "jissoku/report/diagnosis_json.hpp"

#include <nlohmann/json.hpp>

#include "jissoku/timeline/utf8.hpp"

namespace jissoku::report {
namespace {

using Json = nlohmann::ordered_json;
using timeline::diagnosis::DeviceDiagnosis;
using timeline::diagnosis::Diagnosis;
using timeline::diagnosis::Finding;
using timeline::diagnosis::TrustNote;
using timeline::diagnosis::Verdict;

double us(std::int64_t time_ns) {
  return static_cast<double>(time_ns) / 1e3;
}

std::string verdict_id(Verdict verdict, const std::vector<Finding>& findings) {
  switch (verdict) {
    case Verdict::cause:
      return findings.empty() ? "unexplained" : std::string(id_of(findings.front().cause));
    case Verdict::healthy:
      return "healthy";
    case Verdict::unexplained:
      return "unexplained";
    case Verdict::untrusted:
      return "untrusted";
    case Verdict::no_gpu_work:
      return "no_gpu_work";
  }
  return {};
}

Json trust_json(const std::vector<TrustNote>& notes, const core::Catalogue& catalogue) {
  Json out = Json::array();
  for (const TrustNote& note : notes) {
    out.push_back({{"id", note.text.id.substr(note.text.id.rfind('.') + 1)},
                   {"fatal", note.fatal},
                   {"text", timeline::to_valid_utf8(catalogue.render(note.text))}});
  }
  return out;
}

Json finding_json(const Finding& finding, std::int64_t origin_ns, const core::Catalogue& catalogue) {
  const std::string id(id_of(finding.cause));
  Json evidence = Json::array();
  for (const auto& one : finding.evidence) {
    evidence.push_back(
        {{"name", timeline::to_valid_utf8(one.name)}, {"time_us", us(one.time_ns)}, {"count", one.count}});
  }
  Json spans = Json::array();
  for (const auto& span : finding.look_at) {
    spans.push_back({us(span.begin_ns - origin_ns), us(span.end_ns - origin_ns)});
  }
  Json out = {{"cause", id},
              {"share_percent", 100 * finding.share},
              {"time_us", us(finding.time_ns)},
              {"gaps", finding.gaps},
              {"evidence", std::move(evidence)},
              {"look_at_us", std::move(spans)},
              {"fix", catalogue.render(core::message("diagnose.fix." + id))},
              {"gain_upper_percent", 100 * (finding.gain_upper - 1)}};
  for (const auto& [key, value] : {std::pair{"operator", &finding.op},
                                   std::pair{"annotation", &finding.annotation},
                                   std::pair{"module", &finding.module},
                                   std::pair{"source", &finding.source}}) {
    if (!value->empty()) {
      out[key] = timeline::to_valid_utf8(*value);
    }
  }
  if (finding.rank >= 0) {
    out["rank"] = finding.rank;
  }
  return out;
}

Json device_json(const timeline::Timeline& timeline,
                 const DeviceDiagnosis& device,
                 const core::Catalogue& catalogue) {
  const auto& activity = device.activity;
  const timeline::DeviceInfo* info = timeline.device_info(activity.device);
  Json findings = Json::array();
  for (const Finding& finding : device.findings) {
    findings.push_back(finding_json(finding, activity.window.begin_ns, catalogue));
  }
  Json advice = Json::array();
  for (const auto& note : device.advice) {
    advice.push_back(
        {{"id", id_of(note.advice)}, {"share_percent", 100 * note.share}, {"amount", note.amount}});
  }
  return {{"device", activity.device},
          {"name", timeline::to_valid_utf8(info == nullptr ? "" : info->name)},
          {"gpu_events", activity.work.size()},
          {"window_us", us(activity.window_ns())},
          {"busy_us", us(activity.busy_ns())},
          {"idle_percent", 100 * activity.idle_share()},
          {"compute_us", us(activity.compute_ns)},
          {"exposed_copy_us", us(activity.exposed_copy_ns)},
          {"exposed_communication_us", us(activity.exposed_communication_ns)},
          {"device_wait_percent", 100 * device.device_wait_share},
          {"no_launch_percent", 100 * device.no_launch_share},
          {"inherent_percent", 100 * device.inherent_share},
          {"small_causes_percent", 100 * device.small_causes_share},
          {"verdict", verdict_id(device.verdict, device.findings)},
          {"findings", std::move(findings)},
          {"advice", std::move(advice)},
          {"trust", trust_json(device.trust, catalogue)}};
}

Json trace_json(const Diagnosed& one, const core::Catalogue& catalogue) {
  const Diagnosis& diagnosis = *one.diagnosis;
  const DeviceDiagnosis* first = diagnosis.devices.empty() ? nullptr : &diagnosis.devices.front();
  for (const DeviceDiagnosis& device : diagnosis.devices) {
    if (device.verdict == diagnosis.verdict && first->verdict != diagnosis.verdict) {
      first = &device;
    }
  }
  Json devices = Json::array();
  // Findings of all devices once more, for who reads no further.
  Json findings = Json::array();
  for (const DeviceDiagnosis& device : diagnosis.devices) {
    devices.push_back(device_json(*one.timeline, device, catalogue));
  }
  if (first != nullptr) {
    for (const Finding& finding : first->findings) {
      findings.push_back(finding_json(finding, first->activity.window.begin_ns, catalogue));
    }
  }
  Json reasons = Json::array();
  for (const core::Message& reason : diagnosis.no_work_reasons) {
    reasons.push_back(catalogue.render(reason));
  }
  Json steps = Json::array();
  constexpr std::string_view kParts[] = {
      "kernel", "memcpy", "memset", "communication", "runtime", "data_loader", "cpu", "other"};
  for (const auto& step : diagnosis.steps) {
    Json row = {{"name", step.name}, {"time_us", us(step.range.length_ns())}};
    for (std::size_t part = 0; part < step.parts_ns.size(); ++part) {
      row[std::string(kParts[part]) + "_us"] = us(step.parts_ns[part]);
    }
    steps.push_back(std::move(row));
  }
  return {
      {"path", timeline::to_valid_utf8(one.timeline->path)},
      {"rank", one.timeline->rank},
      {"events", one.timeline->events_in_file},
      {"raw_bytes", one.timeline->raw_bytes},
      {"verdict", verdict_id(diagnosis.verdict, first == nullptr ? std::vector<Finding>() : first->findings)},
      {"findings", std::move(findings)},
      {"advice", first == nullptr ? Json::array() : devices[0]["advice"]},
      {"trust", trust_json(diagnosis.trust, catalogue)},
      {"reasons", std::move(reasons)},
      {"devices", std::move(devices)},
      {"steps", std::move(steps)}};
}

}  // namespace

std::string diagnosis_json(const std::vector<Diagnosed>& all,
                           const std::vector<Diagnosed>& compared,
                           const core::Catalogue& catalogue) {
  constexpr int kIndent = 2;
  Json out = Json::object();
  if (all.size() == 1) {
    out = trace_json(all.front(), catalogue);
  } else {
    out["traces"] = Json::array();
    for (const Diagnosed& one : all) {
      out["traces"].push_back(trace_json(one, catalogue));
    }
  }
  if (!compared.empty()) {
    out["compare"] = trace_json(compared.front(), catalogue);
  }
  return out.dump(kIndent) + "\n";
}

}  // namespace jissoku::report
