#include "jissoku/report/matmul_facts.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "jissoku/core/units.hpp"
#include "jissoku/document/derive.hpp"
#include "jissoku/report/figures.hpp"
#include "jissoku/report/matmul_table.hpp"

namespace jissoku::report {
namespace {

using core::message;
using document::Ceiling;
using document::Row;
using document::RowStatus;

/// One ceiling as the rows of a device saw it: probed beside each of them, it varies a little.
struct SeenCeiling {
  std::string device, detail;
  double low = 0, high = 0;
};

class FactWriter {
 public:
  FactWriter(const document::Document& document, const Block& block, const core::Catalogue& catalogue)
      : document_(document), block_(block), catalogue_(catalogue) {}

  Facts write() {
    marks();
    impossible_shares();
    ceilings("measured_fma", "report.fact_peak");
    ceilings("datasheet", "report.fact_datasheet");
    memory();
    copies();
    clocks();
    proofs();
    return std::move(facts_);
  }

 private:
  std::string text(const core::Message& what) const { return catalogue_.render(what); }

  void add(const std::string& label_id, const core::Message& what, Tone tone = Tone::plain) {
    facts_.items.push_back({text(message(label_id)), text(what), tone, false});
  }

  /// Why rows with a number carry a star, and what to do.
  void marks() {
    for (const Row* row : block_.rows) {
      if (has_rate(*row) && row->status != RowStatus::converged) {
        facts_.items.push_back({"* " + label(*row, catalogue_), text(mark(*row)), Tone::caution, false});
      }
    }
  }

  static core::Message mark(const Row& row) {
    const std::vector<core::Message> reason = {row.reason};
    const bool silent = row.reason.empty();
    switch (row.status) {
      case RowStatus::ceiling:
        return silent ? message("report.mark_ceiling")
                      : message("report.mark_ceiling_why", {{"reason", reason}});
      case RowStatus::throttled:
        return silent ? message("report.mark_throttled")
                      : message("report.mark_throttled_why", {{"reason", reason}});
      default:
        return silent ? message("report.mark_noisy") : message("report.mark_noisy_why", {{"reason", reason}});
    }
  }

  /// A whole interval above 100 % is no achievement.
  void impossible_shares() {
    std::string names;
    double least = 0;
    for (const Row* row : block_.rows) {
      if (const double low = impossible_low(*row); low > 1) {
        names += (names.empty() ? "" : ", ") + label(*row, catalogue_);
        least = least > 0 ? std::min(least, low) : low;
      }
    }
    if (!names.empty()) {
      add("report.fact_impossible",
          message("report.impossible_share", {{"rows", names}, {"low", least}}),
          Tone::failure);
    }
  }

  /// Lower end of a share that lies above 1 as a whole; 0 where there is none. Not of the memory's
  /// bandwidth, which caches exceed.
  static double impossible_low(const Row& row) {
    for (const char* kind : {"measured_fma", "datasheet"}) {
      const auto share = document::share_of(row, kind);
      if (share && share->interval.low > 1) {
        return share->interval.low;
      }
    }
    return 0;
  }

  std::vector<SeenCeiling> seen(const char* kind) const {
    std::vector<SeenCeiling> out;
    for (const Row* row : block_.rows) {
      const Ceiling* ceiling = ceiling_of(*row, kind);
      if (ceiling == nullptr || !has_rate(*row)) {
        continue;
      }
      const document::DeviceRecord* record = device_of(document_, *row);
      const std::string device = record != nullptr ? record->id : row->device;
      const auto known = std::find_if(out.begin(), out.end(), [&](const SeenCeiling& one) {
        return one.device == device && one.detail == ceiling->detail;
      });
      if (known == out.end()) {
        out.push_back({device, ceiling->detail, ceiling->per_second, ceiling->per_second});
      } else {
        known->low = std::min(known->low, ceiling->per_second);
        known->high = std::max(known->high, ceiling->per_second);
      }
    }
    return out;
  }

  /// "477 .. 484 GFLOPS": the unit once where both have the same.
  static std::string span(const std::string& low, const std::string& high) {
    const std::size_t unit = low.find(' ');
    const bool same_unit = unit != std::string::npos && high.find(low.substr(unit)) != std::string::npos;
    return low == high ? low : (same_unit ? low.substr(0, unit) : low) + " .. " + high;
  }

  void ceilings(const std::string& kind, const std::string& label_id) {
    const std::vector<SeenCeiling> all = seen(kind.c_str());
    for (const SeenCeiling& ceiling : all) {
      const std::string rate =
          span(core::format_rate_flops(ceiling.low, 3), core::format_rate_flops(ceiling.high, 3));
      const std::string device = all.size() > 1 ? ceiling.device + ": " : "";
      if (kind == "datasheet") {
        add(label_id,
            message("report.datasheet", {{"device", device}, {"rate", rate}, {"detail", ceiling.detail}}));
      } else if (block_.modelled) {
        add(label_id,
            message("report.peak_modelled",
                    {{"device", device}, {"rate", rate}, {"detail", ceiling.detail}}));
      } else {
        add(label_id,
            message("report.peak", {{"device", device}, {"rate", rate}, {"detail", ceiling.detail}}));
      }
    }
  }

  void memory() {
    std::vector<std::string> told;
    for (const Row* row : block_.rows) {
      if (!has_rate(*row) || !is_memory_bound(*row)) {
        continue;
      }
      const Ceiling* bandwidth = ceiling_of(*row, "measured_memory");
      const core::Message what = message("report.memory_bound",
                                         {{"bandwidth", bandwidth->per_second},
                                          {"detail", bandwidth->detail},
                                          {"rate", core::format_rate_flops(memory_bound_rate(*row), 3)}});
      const std::string sentence = text(what);
      if (std::find(told.begin(), told.end(), sentence) == told.end()) {
        told.push_back(sentence);
        add("report.fact_memory", what);
      }
    }
  }

  void copies() {
    for (const Row* row : block_.rows) {
      if (with_copies(*row) && has_rate(*row)) {
        add("report.fact_copies", message("report.copies_words", {{"memory", row->implementation.paging}}));
        return;
      }
    }
  }

  /// Rows read on the device's own clock: what the host saw.
  void clocks() {
    if (block_.modelled) {
      return;  // both clocks are the model's
    }
    for (const Row* row : block_.rows) {
      const auto device = document::time_ns(*row);
      if (!device || row->timing != "device") {
        continue;
      }
      Row by_host = *row;
      by_host.timing = "host";
      if (const auto host = document::time_ns(by_host)) {
        add("report.fact_clock",
            message("report.host_time",
                    {{"row", label(*row, catalogue_)},
                     {"device", format_time(*device)},
                     {"host", format_time(*host)},
                     {"extra", std::max(0.0, host->value / device->value - 1)}}));
      }
    }
  }

  void proofs() {
    const Row* exact = nullptr;
    const Row* bounded = nullptr;
    bool self_tested = true;
    for (const Row* row : block_.rows) {
      if (!has_rate(*row)) {
        continue;
      }
      self_tested = self_tested && row->verification.self_test;
      const Row*& known = row->verification.method.rfind("exact", 0) == 0 ? exact : bounded;
      if (known == nullptr || row->verification.detection_limit > known->verification.detection_limit) {
        known = row;
      }
    }
    if (exact != nullptr) {
      add("report.fact_proof",
          message("report.proof_exact_words", {{"elements", exact->verification.elements}}));
    }
    if (bounded != nullptr) {
      add("report.fact_proof",
          message("report.proof_bounded_words",
                  {{"limit", format_small(bounded->verification.detection_limit)},
                   {"typical", format_small(bounded->verification.typical_value)}}));
    }
    if (!self_tested) {
      add("report.fact_proof", message("report.proof_without_self_test"), Tone::caution);
    }
  }

  const document::Document& document_;
  const Block& block_;
  const core::Catalogue& catalogue_;
  Facts facts_;
};

}  // namespace

Facts matmul_facts(const document::Document& document, const Block& block, const core::Catalogue& catalogue) {
  return FactWriter(document, block, catalogue).write();
}

}  // namespace jissoku::report
