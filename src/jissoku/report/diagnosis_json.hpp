// A diagnosis for scripts. Keys are a contract: devices[].window_us busy_us idle_percent, verdict,
// findings[].cause share_percent evidence fix gain_upper_percent, advice[], trust[].
#pragma once

#include <string>
#include <vector>

#include "jissoku/core/catalogue.hpp"
#include "jissoku/report/diagnosis_view.hpp"

namespace jissoku::report {

/// One trace: an object; several: {"traces": [...]}. The one compared with, if any, is its member "compare".
/// Ends with a line break.
std::string diagnosis_json(const std::vector<Diagnosed>& all,
                           const std::vector<Diagnosed>& compared,
                           const core::Catalogue& catalogue);

}  // namespace jissoku::report
