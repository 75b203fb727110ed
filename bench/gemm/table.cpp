#include "bench/gemm/table.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "bench/gemm/options.hpp"

namespace jissoku::bench {
namespace {

constexpr std::size_t kShapeWidth = 16;
constexpr std::size_t kEngineWidth = 17;

/// In the order in which they first appear.
std::vector<std::string> engines_of(const std::vector<Cell>& cells) {
  std::vector<std::string> names;
  for (const Cell& cell : cells) {
    for (const Entry& entry : cell.entries) {
      if (std::find(names.begin(), names.end(), entry.engine) == names.end()) {
        names.push_back(entry.engine);
      }
    }
  }
  return names;
}

std::string padded(const std::string& text, std::size_t width) {
  return fmt::format("{:<{}}", text, width);
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// "81 %", or a word for what it has instead: "3 of 5 rounds" are too few for an interval.
std::string share_text(const Entry& entry, const Standing& standing) {
  if (entry.wrong) {
    return "WRONG";
  }
  if (standing.share_of_peak) {
    return core::format_percent(standing.share_of_peak->value);
  }
  if (standing.time_ns) {
    return core::format_time_ns(standing.time_ns->value);
  }
  if (!entry.reason.empty()) {
    return "-";
  }
  return entry.measurement.end == measure::SubjectEnd::dropped
             ? "dropped"
             : fmt::format("{} of {} rounds", entry.measurement.rounds.size(), numerics::kMinRounds);
}

/// "0.87 (0.84-0.90)"; the best library itself has no ratio.
std::string ratio_text(const Standing& standing, bool is_best) {
  if (is_best) {
    return "best library";
  }
  if (!standing.ratio) {
    return "";
  }
  const auto& [low, high] = standing.ratio->interval;
  return fmt::format("{:.2f} ({:.2f}-{:.2f})", standing.ratio->value, low, high);
}

struct Lines {
  std::string shares, ratios;
};

Lines lines_of(const Cell& cell, const std::vector<std::string>& engines) {
  const Verdict verdict = judge(cell);
  Lines lines{padded(to_string(cell.shape), kShapeWidth), std::string(kShapeWidth, ' ')};
  for (const std::string& engine : engines) {
    std::string share = "-", ratio;
    for (std::size_t i = 0; i < cell.entries.size(); ++i) {
      if (cell.entries[i].engine == engine) {
        share = share_text(cell.entries[i], verdict.standings[i]);
        ratio = ratio_text(verdict.standings[i], verdict.best_library == i);
      }
    }
    lines.shares += fmt::format(" {:<{}}", share, kEngineWidth);
    lines.ratios += fmt::format(" {:<{}}", ratio, kEngineWidth);
  }
  if (verdict.best_library) {
    lines.shares +=
        fmt::format(" {}{}", cell.entries[*verdict.best_library].engine, verdict.apart ? "" : " ~");
  }
  return lines;
}

/// What is wrong, or missing, in words; what holds for several shapes once.
std::string remarks(const std::vector<Cell>& cells) {
  std::vector<std::pair<std::string, std::string>> found;  // what, and the shapes that it holds for
  const auto add = [&found](const std::string& what, const Cell& cell) {
    const auto same = [&what](const auto& one) { return one.first == what; };
    const auto known = std::find_if(found.begin(), found.end(), same);
    if (known == found.end()) {
      found.emplace_back(what, to_string(cell.shape));
    } else {
      known->second += ", ";
      known->second += to_string(cell.shape);
    }
  };
  for (const Cell& cell : cells) {
    if (!cell.left_out.empty()) {
      add(fmt::format("left out: {}", cell.left_out), cell);
    }
    for (const Entry& entry : cell.entries) {
      if (!entry.reason.empty()) {
        add(fmt::format("{}: {}{}", entry.engine, entry.wrong ? "wrong: " : "", entry.reason), cell);
      }
    }
  }
  std::string text;
  for (const auto& [what, shapes] : found) {
    text += fmt::format("{} ({})\n", what, shapes);
  }
  return text;
}

/// "jissoku against the best library: 1.06 over 17 shapes (geometric mean), least 0.97 (64x64x64)".
std::string summary(const std::vector<Cell>& cells) {
  std::string engine;
  std::string least_shape;
  double least = 0, logarithms = 0;
  int shapes = 0;
  for (const Cell& cell : cells) {
    const Verdict verdict = judge(cell);
    for (std::size_t i = 0; i < cell.entries.size(); ++i) {
      if (!cell.entries[i].ours || !verdict.standings[i].ratio) {
        continue;
      }
      const double ratio = verdict.standings[i].ratio->value;
      engine = cell.entries[i].engine;
      logarithms += std::log(ratio);
      if (shapes++ == 0 || ratio < least) {
        least = ratio;
        least_shape = to_string(cell.shape);
      }
    }
  }
  if (shapes == 0) {
    return "";
  }
  return fmt::format("{} against the best library: {:.3f} over {} {} (geometric mean), least {:.2f} ({})\n",
                     engine,
                     std::exp(logarithms / shapes),
                     shapes,
                     shapes == 1 ? "shape" : "shapes",
                     least,
                     least_shape);
}

/// Where a side is 1 memory decides, not arithmetic: what the engines read and write of it.
std::string memory_rates(const std::vector<Cell>& cells) {
  std::string text;
  for (const Cell& cell : cells) {
    if ((cell.shape.m != 1 && cell.shape.n != 1) || !cell.left_out.empty()) {
      continue;
    }
    const auto [m, n, k] = std::tuple(static_cast<double>(cell.shape.m),
                                      static_cast<double>(cell.shape.n),
                                      static_cast<double>(cell.shape.k));
    const double bytes = (m * k + k * n + m * n) * numerics::storage_bits(cell.type) / 8.0;
    const Verdict verdict = judge(cell);
    std::string rates;
    for (std::size_t i = 0; i < cell.entries.size(); ++i) {
      if (verdict.standings[i].time_ns) {
        rates += fmt::format("{} {} {:.1f}",
                             rates.empty() ? "" : ",",
                             cell.entries[i].engine,
                             bytes / verdict.standings[i].time_ns->value);
      }
    }
    if (!rates.empty()) {
      text += fmt::format("{} is bound by memory, GB/s:{}{}\n",
                          to_string(cell.shape),
                          rates,
                          cell.memory_gbps > 0 ? fmt::format("; STREAM triad {:.1f}", cell.memory_gbps) : "");
    }
  }
  return text;
}

std::string csv_estimate(const std::optional<numerics::Estimate>& estimate) {
  return estimate
             ? fmt::format(
                   "{:.6g},{:.6g},{:.6g}", estimate->value, estimate->interval.low, estimate->interval.high)
             : ",,";
}

/// RFC 4180.
std::string csv_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char character : text) {
    quoted.append(character == '"' ? 2 : 1, character);
  }
  return quoted + "\"";
}

double mean_foreign_share(const measure::Measurement& measurement) {
  double sum = 0;
  for (const measure::Sample& sample : measurement.rounds) {
    sum += sample.foreign_cpu_share;
  }
  return measurement.rounds.empty() ? 0 : sum / static_cast<double>(measurement.rounds.size());
}

std::string status_of(const Entry& entry, const Standing& standing) {
  using enum measure::SubjectEnd;
  if (entry.wrong) {
    return "wrong";
  }
  if (!standing.time_ns) {
    return entry.measurement.end == dropped ? "dropped" : "none";
  }
  switch (entry.measurement.end) {
    case converged:
      return "converged";
    case noisy:
      return "noisy";
    case interrupted:
      return "interrupted";
    default:
      return "ceiling";
  }
}

}  // namespace

std::string text_table(const std::vector<Cell>& cells) {
  if (cells.empty()) {
    return "";
  }
  const std::vector<std::string> engines = engines_of(cells);
  std::string text = fmt::format(
      "{}, {} {}: share of the FMA peak probed beside each sample; below, rate against the best library\n",
      numerics::display_name(cells.front().type),
      cells.front().threads,
      cells.front().threads == 1 ? "thread" : "threads");
  std::string header = padded("m x n x k", kShapeWidth);
  for (const std::string& engine : engines) {
    header += fmt::format(" {:<{}}", engine, kEngineWidth);
  }
  text += without_trailing_blanks(header + " best library");
  for (const Cell& cell : cells) {
    if (cell.left_out.empty()) {
      const Lines lines = lines_of(cell, engines);
      text += without_trailing_blanks(lines.shares) + without_trailing_blanks(lines.ratios);
    }
  }
  return text + remarks(cells) + memory_rates(cells) + summary(cells);
}

std::string csv_header() {
  return "type,threads,m,n,k,engine,library,status,rounds,time_ns,time_low_ns,time_high_ns,gflops,peak_share,"
         "peak_share_low,peak_share_high,best_library,ratio,ratio_low,ratio_high,foreign_cpu_share,reason\n";
}

std::string csv_rows(const std::vector<Cell>& cells) {
  std::string text;
  for (const Cell& cell : cells) {
    const Verdict verdict = judge(cell);
    const std::string best = verdict.best_library ? cell.entries[*verdict.best_library].engine : "";
    for (std::size_t i = 0; i < cell.entries.size(); ++i) {
      const Entry& entry = cell.entries[i];
      const Standing& standing = verdict.standings[i];
      const std::string gflops =
          standing.time_ns ? fmt::format("{:.6g}", cell.flops / standing.time_ns->value) : "";
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.3g},{}\n",
                          numerics::to_string(cell.type),
                          cell.threads,
                          cell.shape.m,
                          cell.shape.n,
                          cell.shape.k,
                          entry.engine,
                          csv_text(entry.library),
                          status_of(entry, standing),
                          entry.measurement.rounds.size(),
                          csv_estimate(standing.time_ns),
                          gflops,
                          csv_estimate(standing.share_of_peak),
                          best,
                          csv_estimate(standing.ratio),
                          mean_foreign_share(entry.measurement),
                          csv_text(entry.reason));
    }
  }
  return text;
}

}  // namespace jissoku::bench
