#include "bench/overheads/report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace jissoku::bench {
namespace {

using nlohmann::json;

std::string with_unit(double value, const std::string& unit) {
  // Three significant digits, never in exponent form.
  const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
  return fmt::format("{:.{}f} {}", value, decimals, unit);
}

double number_in(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

double cost_in(const json& row, const char* verification) {
  const auto found = row.find(verification);
  return found != row.end() && found->is_object() ? number_in(*found, "cost_ns") : 0;
}

/// "cpu:openblas" is an engine; a bare "cpu" repeats the row of its best one.
bool is_engine(const json& row) {
  return row.value("device", "").find(':') != std::string::npos;
}

}  // namespace

bool met(const Overhead& overhead) {
  return !overhead.limit || overhead.value <= *overhead.limit;
}

std::string text_table(const std::vector<Overhead>& overheads) {
  std::size_t width = 0;
  for (const Overhead& overhead : overheads) {
    width = std::max(width, overhead.what.size());
  }
  std::string text;
  for (const Overhead& overhead : overheads) {
    text += fmt::format("{:<{}}  {:>10}", overhead.what, width, with_unit(overhead.value, overhead.unit));
    if (overhead.limit) {
      text += fmt::format(
          "  limit {:>8}  {}", with_unit(*overhead.limit, overhead.unit), met(overhead) ? "met" : "not met");
    }
    text += "\n";
  }
  return text;
}

std::optional<std::vector<VerificationCost>> verification_costs(std::string_view document) {
  const json parsed = json::parse(document, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("rows") || !parsed["rows"].is_array()) {
    return std::nullopt;
  }
  std::vector<VerificationCost> costs;
  for (const json& row : parsed["rows"]) {
    if (!row.is_object() || !row.contains("samples") || !row["samples"].is_array() ||
        row["samples"].empty() || !is_engine(row)) {
      continue;
    }
    VerificationCost& cost = costs.emplace_back();
    cost.row = row.value("id", "");
    cost.verifying_ns = cost_in(row, "verification") + cost_in(row, "timed_verification");
    cost.measuring_ns = number_in(row, "warmup_ns");
    for (const json& sample : row["samples"]) {
      cost.measuring_ns += number_in(sample, "launches") * number_in(sample, "host_ns");
    }
  }
  return costs;
}

double verification_share(const std::vector<VerificationCost>& costs) {
  double verifying_ns = 0, measuring_ns = 0;
  for (const VerificationCost& cost : costs) {
    verifying_ns += cost.verifying_ns;
    measuring_ns += cost.measuring_ns;
  }
  return measuring_ns > 0 ? verifying_ns / measuring_ns : 0;
}

}  // namespace jissoku::bench
