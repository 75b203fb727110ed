// What the flags of `diagnose` mean.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jissoku/cli/parser.hpp"
#include "jissoku/report/diagnosis_tables.hpp"
#include "jissoku/timeline/diagnosis/causes.hpp"

namespace jissoku::cli {

/// --fail-on: a cause, or idle time above a share.
struct FailOn {
  std::optional<timeline::diagnosis::Cause> cause;
  double idle_share = 0;
};

struct DiagnoseOptions {
  std::vector<std::string> paths;
  std::optional<std::int64_t> step, gpu;
  /// ms from the first GPU work on.
  std::optional<double> from_ms, to_ms;
  std::optional<report::TableOptions> table;
  std::vector<FailOn> fail_on;
  std::optional<std::string> compare, export_to;
  bool explain = false;
};

core::Result<DiagnoseOptions> diagnose_options(const Parsed& parsed);

}  // namespace jissoku::cli
