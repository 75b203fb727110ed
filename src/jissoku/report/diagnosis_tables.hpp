// The tables behind a diagnosis: operators, kernels, copies, waits, launches, steps.
#pragma once

#include <optional>
#include <string>

#include "jissoku/core/catalogue.hpp"
#include "jissoku/core/result.hpp"
#include "jissoku/report/diagnosis_view.hpp"

namespace jissoku::report {

struct TableOptions {
  std::string name;  ///< operators, modules, annotations, kernels, copies, syncs, launches, steps
  bool by_shape = false;
  std::string sort;         ///< of operators, modules and annotations; empty: self_device_time_total
  std::int64_t limit = -1;  ///< rows; -1: all
};

/// Errors (usage): an unknown sort key, shapes of a trace that has none.
core::Result<Page> diagnosis_table(const Diagnosed& diagnosed,
                                   const TableOptions& options,
                                   const core::Catalogue& catalogue);

}  // namespace jissoku::report
