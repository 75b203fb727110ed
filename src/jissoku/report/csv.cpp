#include "jissoku/report/csv.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "jissoku/core/units.hpp"
#include "jissoku/document/derive.hpp"
#include "jissoku/report/rows.hpp"

namespace jissoku::report {
namespace {

using document::Document;
using document::Row;
using numerics::Estimate;

using Value = std::function<std::string(const Document&, const Row&)>;

struct CsvColumn {
  std::string name;
  Value value;
};

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string out = "\"";
  for (const char character : text) {
    out += character == '"' ? "\"\"" : std::string(1, character);
  }
  return out + "\"";
}

std::string number(double value) {
  return std::isfinite(value) ? core::format_number(value) : "";
}

/// 0 stands for "unknown" in fields where it cannot be a value.
std::string number_or_empty(double value) {
  return value > 0 ? number(value) : "";
}

std::string flag(bool value) {
  return value ? "true" : "false";
}

using Figure = std::function<std::optional<Estimate>(const Document&, const Row&)>;

/// NAME, NAME with _low and _high before the unit.
void add_figure(std::vector<CsvColumn>& columns,
                const std::string& name,
                const std::string& unit,
                const Figure& figure) {
  const auto add = [&](const std::string& part, double (*pick)(const Estimate&)) {
    columns.push_back({name + part + unit, [figure, pick](const Document& document, const Row& row) {
                         const auto estimate = figure(document, row);
                         return estimate ? number(pick(*estimate)) : std::string();
                       }});
  };
  add("", [](const Estimate& estimate) { return estimate.value; });
  add("_low", [](const Estimate& estimate) { return estimate.interval.low; });
  add("_high", [](const Estimate& estimate) { return estimate.interval.high; });
}

Figure share_of(const std::string& kind) {
  return [kind](const Document&, const Row& row) { return document::share_of(row, kind); };
}

Value ceiling(const std::string& kind) {
  return [kind](const Document&, const Row& row) {
    const document::Ceiling* found = ceiling_of(row, kind);
    return found != nullptr ? number(found->per_second) : std::string();
  };
}

void add_identity(std::vector<CsvColumn>& columns) {
  const auto add = [&](const char* name, std::string (*value)(const Row&)) {
    columns.push_back({name, [value](const Document&, const Row& row) { return value(row); }});
  };
  add("id", [](const Row& row) { return row.id; });
  add("experiment", [](const Row& row) { return row.experiment; });
  add("device", [](const Row& row) { return row.device; });
  add("status", [](const Row& row) { return std::string(document::to_string(row.status)); });
  add("reason", [](const Row& row) { return row.reason.id; });
  add("engine", [](const Row& row) { return row.implementation.variant; });
  add("engine_library", [](const Row& row) { return row.implementation.library; });
  add("engine_file", [](const Row& row) { return row.implementation.file; });
  add("engine_kernel", [](const Row& row) { return row.implementation.kernel; });
  add("engine_threads", [](const Row& row) { return number_or_empty(row.implementation.threads); });
  add("engine_pinning", [](const Row& row) { return row.implementation.pinning; });
  add("engine_paging", [](const Row& row) { return row.implementation.paging; });
  add("engine_chosen", [](const Row& row) { return flag(row.implementation.chosen); });
}

void add_measured(std::vector<CsvColumn>& columns) {
  const auto add = [&](const char* name, std::string (*value)(const Row&)) {
    columns.push_back({name, [value](const Document&, const Row& row) { return value(row); }});
  };
  add("timing", [](const Row& row) { return row.samples.empty() ? std::string() : row.timing; });
  add("rounds", [](const Row& row) { return number_or_empty(static_cast<double>(row.samples.size())); });
  add("work_flop", [](const Row& row) { return number_or_empty(row.flops); });
  add("traffic_bytes", [](const Row& row) { return number_or_empty(row.bytes); });
  add_figure(columns, "time", "_ns", [](const Document&, const Row& row) { return document::time_ns(row); });
  add_figure(columns, "rate", "_flop_per_s", [](const Document&, const Row& row) {
    return document::flops_per_second(row);
  });
  add_figure(columns, "traffic", "_bytes_per_s", [](const Document&, const Row& row) {
    return document::bytes_per_second(row);
  });
  add_figure(columns, "share_of_measured_peak", "", share_of("measured_fma"));
  add_figure(columns, "share_of_measured_memory", "", share_of("measured_memory"));
  add_figure(columns, "share_of_datasheet", "", share_of("datasheet"));
  columns.push_back({"measured_peak_flop_per_s", ceiling("measured_fma")});
  columns.push_back({"measured_memory_bytes_per_s", ceiling("measured_memory")});
  columns.push_back({"datasheet_peak_flop_per_s", ceiling("datasheet")});
  add("baseline", [](const Row& row) { return row.baseline; });
  add_figure(columns, "speed_up", "", [](const Document& document, const Row& row) {
    const Row* base = row.baseline.empty() ? nullptr : find_row(document, row.baseline);
    return base != nullptr ? document::speed_up(*base, row) : std::nullopt;
  });
  add("threads_at_work", [](const Row& row) { return number_or_empty(document::threads_at_work(row)); });
  add("foreign_cpu_share", [](const Row& row) {
    return row.samples.empty() ? std::string() : number(document::foreign_cpu_share(row));
  });
  add("warmup_ns", [](const Row& row) { return number_or_empty(row.warmup_ns); });
}

void add_proof(std::vector<CsvColumn>& columns) {
  const auto add = [&](const char* name, std::string (*value)(const numerics::Verification&)) {
    columns.push_back({name, [value](const Document&, const Row& row) {
                         return row.verification.done ? value(row.verification) : std::string();
                       }});
  };
  using Proof = numerics::Verification;
  add("proof", [](const Proof& proof) { return proof.method; });
  add("proof_passed", [](const Proof& proof) { return flag(proof.passed); });
  add("proof_self_test", [](const Proof& proof) { return flag(proof.self_test); });
  add("proof_detection_limit", [](const Proof& proof) { return number(proof.detection_limit); });
  add("proof_typical_value", [](const Proof& proof) { return number(proof.typical_value); });
  add("proof_largest_error", [](const Proof& proof) { return number(proof.largest_error); });
  add("proof_elements", [](const Proof& proof) { return number(static_cast<double>(proof.elements)); });
  add("proof_elements_compared",
      [](const Proof& proof) { return number(static_cast<double>(proof.elements_compared)); });
}

void add_parameters(std::vector<CsvColumn>& columns, const Document& document) {
  std::vector<std::string> names;
  for (const Row& row : document.rows) {
    for (const core::Argument& parameter : row.parameters) {
      if (std::find(names.begin(), names.end(), parameter.name) == names.end()) {
        names.push_back(parameter.name);
      }
    }
  }
  for (const std::string& name : names) {
    const bool taken = std::any_of(
        columns.begin(), columns.end(), [&](const CsvColumn& column) { return column.name == name; });
    columns.push_back({(taken ? "parameter_" : "") + name,
                       [name](const Document&, const Row& row) { return parameter_text(row, name); }});
  }
}

}  // namespace

std::string render_csv(const Document& document) {
  std::vector<CsvColumn> columns;
  add_identity(columns);
  add_measured(columns);
  add_proof(columns);
  columns.push_back({"again", [](const Document&, const Row& row) { return row.again; }});
  add_parameters(columns, document);
  std::string out;
  const auto add_record = [&](const std::function<std::string(const CsvColumn&)>& field) {
    for (std::size_t index = 0; index < columns.size(); ++index) {
      out += (index == 0 ? "" : ",") + quoted(field(columns[index]));
    }
    out += "\r\n";
  };
  add_record([](const CsvColumn& column) { return column.name; });
  for (const Row& row : document.rows) {
    add_record([&](const CsvColumn& column) { return column.value(document, row); });
  }
  return out;
}

}  // namespace jissoku::report
