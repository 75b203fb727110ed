#include "jissoku/report/profile_view.hpp"

#include <algorithm>
#include <utility>

#include "jissoku/document/derive.hpp"
#include "jissoku/report/diagnosis_tables.hpp"
#include "jissoku/report/diagnosis_view.hpp"
#include "jissoku/report/figures.hpp"
#include "jissoku/report/rows.hpp"
#include "jissoku/timeline/analysis/calls.hpp"
#include "jissoku/timeline/importers/import.hpp"

namespace jissoku::report {
namespace {

using core::message;
using document::Attachment;
using document::Row;
namespace analysis = timeline::analysis;
using timeline::diagnosis::Verdict;

/// Time of the host in the calls of one kind, as a share of the steps recorded.
double share_of_calls(const timeline::Timeline& trace, analysis::CallKind kind) {
  std::int64_t inside_ns = 0, begin_ns = 0, end_ns = 0;
  bool any = false;
  for (timeline::EventId id = 0; id < trace.events.size(); ++id) {
    const timeline::Category category = trace.events.category[id];
    if (category == timeline::Category::annotation) {
      begin_ns = any ? std::min(begin_ns, trace.events.start_ns[id]) : trace.events.start_ns[id];
      end_ns = any ? std::max(end_ns, trace.events.end_ns(id)) : trace.events.end_ns(id);
      any = true;
    }
    if (category == timeline::Category::runtime && analysis::call_kind(trace.name(id)) == kind) {
      inside_ns += trace.events.duration_ns[id];
    }
  }
  return end_ns > begin_ns ? static_cast<double>(inside_ns) / static_cast<double>(end_ns - begin_ns) : 0;
}

class View {
 public:
  View(const document::Document& document, const Row& row, const core::Catalogue& catalogue)
      : document_(document), row_(row), catalogue_(catalogue) {
    for (const Attachment& attachment : document.attachments) {
      trace_ = attachment.id == row.id && attachment.kind == "timeline" ? &attachment : trace_;
    }
  }

  Page page() {
    page_.push_back(Heading{text("profile.title", title())});
    const document::DeviceRecord* device = device_of(document_, row_);
    if (device != nullptr && device->modelled) {
      page_.push_back(Paragraph{text("report.modelled_words", {}), Tone::caution});
    }
    page_.push_back(Paragraph{conditions(device)});
    if (!has_rate(row_)) {
      page_.push_back(Paragraph{catalogue_.render(absence(row_)), Tone::failure});
      return std::move(page_);
    }
    facts();
    if (trace_ != nullptr) {
      timeline_part();
    }
    return std::move(page_);
  }

 private:
  std::string text(std::string id, std::vector<core::Argument> args) const {
    return catalogue_.render(message(std::move(id), std::move(args)));
  }

  /// What is kept beside the trace; nullptr if it is not there.
  const core::Value* find(std::string_view name) const {
    if (trace_ != nullptr) {
      for (const core::Argument& argument : trace_->parameters) {
        if (argument.name == name) {
          return &argument.value;
        }
      }
    }
    return nullptr;
  }
  std::string text_of(std::string_view name) const {
    const core::Value* value = find(name);
    const auto* words = value != nullptr ? std::get_if<std::string>(value) : nullptr;
    return words != nullptr ? *words : "";
  }
  std::int64_t number_of(std::string_view name, std::int64_t otherwise) const {
    const core::Value* value = find(name);
    const auto* number = value != nullptr ? std::get_if<std::int64_t>(value) : nullptr;
    return number != nullptr ? *number : otherwise;
  }

  std::vector<core::Argument> title() const {
    const std::string hidden = parameter_text(row_, "hidden");
    const std::string middle = hidden.empty() ? " -> " : " -> " + hidden + " -> " + hidden + " -> ";
    return {{"network", text("profile.network." + parameter_text(row_, "workload"), {})},
            {"sizes", parameter_text(row_, "k") + middle + parameter_text(row_, "n")},
            {"batch", parameter_text(row_, "m")},
            {"device", label(row_, catalogue_)}};
  }

  std::string conditions(const document::DeviceRecord* device) const {
    std::string out = device != nullptr && !device->name.empty() ? device->name + ", " : "";
    const document::Implementation& used = row_.implementation;
    if (!used.library.empty() || !used.variant.empty()) {
      out += (used.library.empty() ? used.variant : used.library) + ", ";
    }
    out += text("profile.conditions", {{"seed", parameter_text(row_, "seed")}, {"flops", row_.flops}});
    if (!row_.verification.done) {
      return out;
    }
    return out + ". " +
           text("profile.proof",
                {{"method", row_.verification.method},
                 {"compared", row_.verification.elements_compared},
                 {"elements", row_.verification.elements},
                 {"limit", row_.verification.detection_limit}});
  }

  void facts() {
    Facts facts;
    const auto add = [&](const char* label_id, std::string words, Tone tone = Tone::plain) {
      facts.items.push_back({text(label_id, {}), std::move(words), tone});
    };
    if (const auto time = document::time_ns(row_)) {
      std::string words = format_time(*time) + "  " + format_half_widths({time}).front();
      if (row_.status != document::RowStatus::converged) {
        words += "; " + catalogue_.render(row_.reason);
      }
      add("profile.fact_step", std::move(words));
    }
    const Row* recorded = nullptr;
    for (const Row& other : document_.rows) {
      recorded = other.experiment == "profile" && other.baseline == row_.id ? &other : recorded;
    }
    if (recorded != nullptr) {
      add("profile.fact_overhead", overhead(*recorded));
    }
    page_.push_back(std::move(facts));
  }

  std::string overhead(const Row& recorded) const {
    const auto time = document::time_ns(recorded);
    const auto plain = document::time_ns(row_);
    const auto ratio = document::speed_up(recorded, row_);  // recorded over plain
    if (!time || !plain || !ratio) {
      return catalogue_.render(absence(recorded));
    }
    const std::int64_t steps = number_of("steps", 0);
    const std::int64_t events = number_of("events", 0);
    const double each = steps > 0 ? static_cast<double>(events) / static_cast<double>(steps) : 0;
    return text(ratio->interval.low > 1 ? "profile.overhead" : "profile.overhead_unseen",
                {{"time", format_time(*time)},
                 {"ratio", ratio->value - 1},
                 {"low", ratio->interval.low - 1},
                 {"high", ratio->interval.high - 1},
                 {"events", each},
                 {"per_event", each > 0 ? std::max(0.0, time->value - plain->value) / each : 0.0}});
  }

  void timeline_part() {
    auto trace = timeline::importers::import_text(row_.id, trace_->content);
    if (!trace) {
      page_.push_back(Paragraph{catalogue_.render(trace.error().message), Tone::caution});
      return;
    }
    const auto diagnosis = timeline::diagnosis::diagnose(*trace, {});
    if (!diagnosis) {
      page_.push_back(Paragraph{catalogue_.render(diagnosis.error().message), Tone::caution});
      return;
    }
    const TableOptions options{
        "operators", text_of("by_shape") == "yes", text_of("sort"), number_of("limit", -1)};
    auto table = diagnosis_table({&*trace, &*diagnosis, 0}, options, catalogue_);
    if (!table) {
      page_.push_back(Paragraph{catalogue_.render(table.error().message), Tone::caution});
    } else {
      std::move(table->begin(), table->end(), std::back_inserter(page_));
    }
    Facts facts;
    const auto add = [&](const char* label_id, std::string words) {
      facts.items.push_back({text(label_id, {}), std::move(words)});
    };
    for (const auto& device : diagnosis->devices) {
      add("profile.fact_device",
          text("profile.device_share",
               {{"busy", tenths(1 - device.activity.idle_share())},
                {"window", static_cast<double>(device.activity.window_ns())},
                {"steps", number_of("steps", 0)}}));
      add("profile.fact_why", why(device));
    }
    const double waiting = share_of_calls(*trace, analysis::CallKind::synchronise);
    const double asking =
        share_of_calls(*trace, analysis::CallKind::launch) + share_of_calls(*trace, analysis::CallKind::copy);
    add("profile.fact_host",
        text("profile.host_share",
             {{"asking", tenths(asking)},
              {"waiting", tenths(waiting)},
              {"rest", tenths(std::max(0.0, 1 - asking - waiting))}}));
    add("profile.fact_clocks", clocks());
    page_.push_back(std::move(facts));
  }

  std::string why(const timeline::diagnosis::DeviceDiagnosis& device) const {
    const auto* queued = find("queued");
    if (queued != nullptr && *queued == core::Value(false)) {
      return text("profile.why.within_call", {});
    }
    const std::string busy = tenths(1 - device.activity.idle_share());
    if (device.verdict == Verdict::untrusted) {
      return text("profile.why.untrusted", {});
    }
    if (device.findings.empty()) {
      const bool healthy = device.verdict == Verdict::healthy;
      return text(healthy ? "profile.why.healthy" : "profile.why.unexplained", {{"busy", busy}});
    }
    const auto& first = device.findings.front();
    return text("profile.why.cause",
                {{"busy", busy},
                 {"cause", text("diagnose.cause." + std::string(id_of(first.cause)), {})},
                 {"share", tenths(first.share)},
                 {"gain", first.gain_upper}});
  }

  std::string clocks() const {
    const auto offset = number_of("clock_offset_ns", 0);
    const auto contradiction = number_of("clock_contradiction_ns", 0);
    const std::vector<core::Argument> args = {
        {"uncertainty", static_cast<double>(number_of("clock_uncertainty_ns", 0))},
        {"contradiction", static_cast<double>(contradiction)}};
    if (contradiction > 0) {
      return text("profile.clocks_contradict", args);
    }
    return text(offset == 0 ? "profile.clocks_agree" : "profile.clocks_fitted", args);
  }

  const document::Document& document_;
  const Row& row_;
  const core::Catalogue& catalogue_;
  const Attachment* trace_ = nullptr;
  Page page_;
};

}  // namespace

Page profile_page(const document::Document& document, const core::Catalogue& catalogue) {
  Page page;
  for (const Row& row : document.rows) {
    if (row.experiment == "profile" && row.baseline.empty()) {
      Page more = View(document, row, catalogue).page();
      std::move(more.begin(), more.end(), std::back_inserter(page));
    }
  }
  return page;
}

}  // namespace jissoku::report
