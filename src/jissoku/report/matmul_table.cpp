#include "jissoku/report/matmul_table.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "jissoku/document/derive.hpp"
#include "jissoku/report/figures.hpp"

namespace jissoku::report {
namespace {

using core::message;
using document::Row;
using document::RowStatus;

/// What a row is read against: nullptr where that row is not in the document.
using Baselines = std::vector<const Row*>;

std::string engine_cell(const Row& row, const Block& block, const core::Catalogue& catalogue) {
  const bool same_threads = std::all_of(block.rows.begin(), block.rows.end(), [&](const Row* other) {
    return other->implementation.threads == row.implementation.threads ||
           other->implementation.threads == 0 || row.implementation.threads == 0;
  });
  std::string name = engine(row);
  if (same_threads) {
    return name;
  }
  const std::string threads =
      catalogue.render(message("report.threads", {{"count", std::int64_t{row.implementation.threads}}}));
  return name.empty() ? threads : name + ", " + threads;
}

std::string proof_cell(const Row& row, const core::Catalogue& catalogue) {
  const numerics::Verification& proof = row.verification;
  if (!proof.done || !proof.passed) {
    return {};
  }
  if (proof.method.rfind("exact", 0) == 0) {
    return catalogue.render(message("report.proof_exact"));
  }
  return catalogue.render(message("report.proof_bounded", {{"limit", format_small(proof.detection_limit)}}));
}

bool is_marked(const Row& row) {
  return row.status != RowStatus::converged;
}

Tone tone_of(const Row& row, bool best) {
  switch (row.status) {
    case RowStatus::wrong:
    case RowStatus::error:
      return Tone::failure;
    case RowStatus::noisy:
    case RowStatus::throttled:
    case RowStatus::ceiling:
      return Tone::caution;
    default:
      return best ? Tone::best : Tone::plain;
  }
}

/// Against what: one name if all rows share it.
std::string baseline_title(const Baselines& baselines, const core::Catalogue& catalogue) {
  const Row* shared = nullptr;
  for (const Row* baseline : baselines) {
    if (baseline != nullptr && shared != nullptr && baseline != shared) {
      return catalogue.render(message("report.column_baseline"));
    }
    shared = baseline != nullptr ? baseline : shared;
  }
  if (shared == nullptr) {
    return {};
  }
  if (shared->implementation.chosen) {
    return catalogue.render(message("report.column_against_best", {{"device", shared->device}}));
  }
  return catalogue.render(message("report.column_against", {{"device", label(*shared, catalogue)}}));
}

std::vector<Column> columns(const Block& block,
                            const Baselines& baselines,
                            const core::Catalogue& catalogue) {
  const auto title = [&](const core::Message& text) { return catalogue.render(text); };
  // Where memory is the limit, the share of it says more than that of the arithmetic's peak.
  const bool memory_bound =
      std::any_of(block.rows.begin(), block.rows.end(), [](const Row* row) { return is_memory_bound(*row); });
  const int peak_rank = memory_bound ? 1 : 0;
  // What is dropped first on a narrow terminal is what changes a decision least.
  return {{title(message("report.column_device")), Align::left, 0, false},
          {title(message("report.column_engine")), Align::left, 5, false},
          {title(message("report.column_kernel")), Align::left, 9, false},
          {title(message("report.column_time")), Align::right, 0, false},
          {"", Align::left, 0, true},
          {title(message("report.column_rate")), Align::right, 0, false},
          {title(message("report.column_of_peak")), Align::right, peak_rank, false},
          {title(message("report.column_of_memory")), Align::right, 0, false},
          {title(message("report.column_of_datasheet")), Align::right, 3, false},
          {baseline_title(baselines, catalogue), Align::right, 0, false},
          {"", Align::left, 4, true},
          {title(message("report.column_proof")), Align::left, 6, false}};
}

/// One entry per row of the block.
struct Columns {
  std::vector<std::string> times, half_widths, rates, of_peak, of_memory, of_datasheet, ratios, ranges;
};

Columns figures_of(const Block& block, const Baselines& baselines) {
  const auto collect = [&](const auto& figure) {
    Figures figures;
    for (std::size_t index = 0; index < block.rows.size(); ++index) {
      figures.push_back(figure(*block.rows[index], baselines[index]));
    }
    return figures;
  };
  const auto share = [&](const char* kind) {
    return collect([kind](const Row& row, const Row*) { return document::share_of(row, kind); });
  };
  const Figures times = collect([](const Row& row, const Row*) { return document::time_ns(row); });
  const Figures ratios = collect([](const Row& row, const Row* baseline) {
    return baseline != nullptr ? document::speed_up(*baseline, row) : std::nullopt;
  });
  const Figures memory = collect([](const Row& row, const Row*) {
    return is_memory_bound(row) ? document::share_of(row, "measured_memory") : std::nullopt;
  });
  return {format_times(times),
          format_half_widths(times),
          format_rates(collect([](const Row& row, const Row*) { return document::flops_per_second(row); })),
          format_shares(share("measured_fma")),
          format_shares(memory),
          format_shares(share("datasheet")),
          format_ratios(ratios),
          format_ranges(ratios)};
}

}  // namespace

Table matmul_table(const document::Document& document, const Block& block, const core::Catalogue& catalogue) {
  Baselines baselines;
  for (const Row* row : block.rows) {
    baselines.push_back(row->baseline.empty() ? nullptr : find_row(document, row->baseline));
  }
  const Columns figures = figures_of(block, baselines);
  Table table{columns(block, baselines, catalogue), {}};
  for (std::size_t index = 0; index < block.rows.size(); ++index) {
    const Row& row = *block.rows[index];
    const bool best = index == 0 && block.rows.size() > 1 && has_rate(row);
    TableRow& line = table.rows.emplace_back();
    line.tone = tone_of(row, best);
    line.cells = {label(row, catalogue)};
    if (!has_rate(row)) {
      line.remark = catalogue.render(absence(row));
      continue;
    }
    line.cells.insert(line.cells.end(),
                      {engine_cell(row, block, catalogue),
                       row.implementation.kernel,
                       figures.times[index],
                       figures.half_widths[index] + (is_marked(row) ? " *" : ""),
                       figures.rates[index],
                       figures.of_peak[index],
                       figures.of_memory[index],
                       figures.of_datasheet[index],
                       figures.ratios[index],
                       figures.ranges[index],
                       proof_cell(row, catalogue)});
  }
  return table;
}

double memory_bound_rate(const Row& row) {
  const document::Ceiling* memory = ceiling_of(row, "measured_memory");
  return memory != nullptr && row.bytes > 0 ? memory->per_second * row.flops / row.bytes : 0;
}

bool is_memory_bound(const Row& row) {
  const document::Ceiling* arithmetic = ceiling_of(row, "measured_fma");
  const double allowed = memory_bound_rate(row);
  return arithmetic != nullptr && allowed > 0 && allowed < arithmetic->per_second;
}

std::string format_small(double value) {
  if (!std::isfinite(value)) {
    return "?";
  }
  std::string text = fmt::format("{:.2g}", value);
  // "3.1e-05" reads "3.1e-5".
  if (const std::size_t exponent = text.find('e'); exponent != std::string::npos) {
    const std::size_t zero = exponent + 2;
    if (zero + 1 < text.size() && text[zero] == '0') {
      text.erase(zero, 1);
    }
  }
  return text;
}

}  // namespace jissoku::report
