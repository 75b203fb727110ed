#include "jissoku/report/document_view.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "jissoku/document/derive.hpp"
#include "jissoku/report/devices_view.hpp"
#include "jissoku/report/matmul_view.hpp"
#include "jissoku/report/profile_view.hpp"
#include "jissoku/report/rows.hpp"

namespace jissoku::report {
namespace {

using core::message;
using document::Document;
using document::Finding;
using document::Row;

void append(Page& page, Page more) {
  page.insert(page.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

class Closing {
 public:
  Closing(const Document& document, const core::Catalogue& catalogue)
      : document_(document), catalogue_(catalogue) {}

  /// Conclusions, verdicts first.
  Facts findings() const {
    std::vector<const Finding*> ordered;
    for (const Finding& finding : document_.findings) {
      ordered.push_back(&finding);
    }
    std::stable_partition(ordered.begin(), ordered.end(), [](const Finding* finding) {
      return finding->id.rfind("verdict", 0) == 0;
    });
    Facts facts;
    for (const Finding* finding : ordered) {
      facts.items.push_back(fact(*finding));
    }
    return facts;
  }

  /// What holds for all numbers of the document.
  Facts small_print() const {
    Facts facts;
    const auto add = [&](const char* label_id, const core::Message& what, Tone tone) {
      facts.items.push_back({text(message(label_id)), text(what), tone, false});
    };
    if (document_.noise_floor > 0) {
      add("report.fact_noise",
          message("report.noise_floor", {{"floor", document_.noise_floor}}),
          Tone::plain);
    }
    constexpr double kWorthTelling = 0.005;
    constexpr double kDisturbing = 0.05;
    if (const double foreign = mean_foreign_share(); foreign >= kWorthTelling) {
      add("report.fact_load",
          foreign >= kDisturbing ? message("report.foreign_much", {{"share", foreign}})
                                 : message("report.foreign", {{"share", foreign}}),
          foreign >= kDisturbing ? Tone::caution : Tone::plain);
    }
    if (has_rows_of(document_, "matmul")) {
      facts.items.push_back({text(message("report.fact_machine")),
                             machine_line(document_.header.machine, catalogue_),
                             Tone::plain,
                             false});
    }
    add_notes(facts);
    add_left_out(facts);
    add_unknown(facts);
    return facts;
  }

 private:
  std::string text(const core::Message& what) const { return catalogue_.render(what); }

  Fact fact(const Finding& finding) const {
    const auto make = [&](const char* label_id, Tone tone) {
      return Fact{text(message(label_id)), text(finding.message), tone, false};
    };
    if (finding.severity == "failure") {
      return make("report.finding_failure", Tone::failure);
    }
    if (finding.severity == "warning") {
      return make("report.finding_warning", Tone::caution);
    }
    return finding.severity == "advice" ? make("report.finding_advice", Tone::plain)
                                        : make("report.finding_info", Tone::plain);
  }

  /// Mean over the rows that were sampled.
  double mean_foreign_share() const {
    double sum = 0;
    int count = 0;
    for (const Row& row : document_.rows) {
      if (row.experiment == "matmul" && !row.samples.empty()) {
        sum += document::foreign_cpu_share(row);
        ++count;
      }
    }
    return count > 0 ? sum / count : 0;
  }

  /// Notes of engines, each once, with the engines it is about.
  void add_notes(Facts& facts) const {
    std::vector<std::pair<core::Message, std::vector<std::string>>> notes;
    for (const Row& row : document_.rows) {
      // The engine's own row says what the row that `auto` chose would repeat.
      if (row.experiment != "matmul" || row.implementation.chosen) {
        continue;
      }
      for (const core::Message& note : row.implementation.notes) {
        auto known =
            std::find_if(notes.begin(), notes.end(), [&](const auto& one) { return one.first == note; });
        if (known == notes.end()) {
          known = notes.insert(notes.end(), {note, {}});
        }
        const std::string name = label(row, catalogue_);
        if (std::find(known->second.begin(), known->second.end(), name) == known->second.end()) {
          known->second.push_back(name);
        }
      }
    }
    for (const auto& [note, names] : notes) {
      std::string who;
      for (const std::string& name : names) {
        who += (who.empty() ? "" : ", ") + name;
      }
      facts.items.push_back({text(message("report.fact_note")),
                             text(message("report.note", {{"who", who}, {"note", std::vector{note}}})),
                             Tone::plain,
                             false});
    }
  }

  /// Planned cases without a row of their own.
  void add_left_out(Facts& facts) const {
    for (const document::PlannedCase& planned : document_.plan) {
      if (!planned.run && find_row(document_, planned.id) == nullptr) {
        const core::Message reason = planned.reason.empty() ? message("report.no_reason") : planned.reason;
        facts.items.push_back(
            {text(message("report.fact_left_out")),
             text(message("report.left_out", {{"id", planned.id}, {"reason", std::vector{reason}}})),
             Tone::plain,
             false});
      }
    }
  }

  /// Rows of a newer version's experiments.
  void add_unknown(Facts& facts) const {
    const auto count = std::count_if(document_.rows.begin(), document_.rows.end(), [](const Row& row) {
      return row.experiment != "matmul" && row.experiment != "devices" && row.experiment != "profile";
    });
    if (count > 0) {
      facts.items.push_back({text(message("report.fact_not_shown")),
                             text(message("report.unknown_rows", {{"count", std::int64_t{count}}})),
                             Tone::caution,
                             false});
    }
  }

  const Document& document_;
  const core::Catalogue& catalogue_;
};

Paragraph cut_short(const Document& document, const core::Catalogue& catalogue) {
  const auto rows = static_cast<std::int64_t>(document.rows.size());
  return {catalogue.render(message("report.cut_short", {{"rows", rows}})), Tone::caution};
}

/// Commands and paths to be copied.
Facts footer(const Document& document, const core::Catalogue& catalogue, const std::string& saved_path) {
  Facts facts;
  const auto add = [&](const core::Message& title, const std::string& line) {
    facts.items.push_back({catalogue.render(title), line, Tone::plain, true});
  };
  if (!document.header.command.empty()) {
    add(message("report.fact_again"), document.header.command);
  }
  if (!document.complete && !saved_path.empty()) {
    add(message("report.fact_continue"), "jissoku --resume " + saved_path);
  }
  if (!saved_path.empty()) {
    add(message("report.fact_saved"), saved_path);
  }
  return facts;
}

}  // namespace

Page document_page(const Document& document,
                   const core::Catalogue& catalogue,
                   const std::string& saved_path) {
  Page page;
  if (!document.complete) {
    page.emplace_back(cut_short(document, catalogue));
  }
  const bool measured =
      has_rows_of(document, "matmul") || has_rows_of(document, "profile") || !document.plan.empty();
  append(page, devices_page(document, catalogue, measured ? Detail::brief : Detail::full));
  append(page, matmul_page(document, catalogue));
  append(page, profile_page(document, catalogue));
  const Closing closing(document, catalogue);
  for (Facts facts : {closing.findings(), closing.small_print(), footer(document, catalogue, saved_path)}) {
    if (!facts.items.empty()) {
      page.emplace_back(std::move(facts));
    }
  }
  return page;
}

}  // namespace jissoku::report
