// A diagnosis for people: the summary a manager understands, then causes with evidence and remedy.
#pragma once

#include <string>
#include <vector>

#include "jissoku/core/catalogue.hpp"
#include "jissoku/report/page.hpp"
#include "jissoku/timeline/diagnosis/diagnose.hpp"

namespace jissoku::report {

/// One trace and what was found in it.
struct Diagnosed {
  const timeline::Timeline* timeline = nullptr;
  const timeline::diagnosis::Diagnosis* diagnosis = nullptr;
  std::int64_t read_ns = 0;  ///< from opening the file to the end of the diagnosis
};

Page diagnosis_page(const Diagnosed& diagnosed, const core::Catalogue& catalogue);

/// Rules and thresholds, for --explain.
Page thresholds_page(const core::Catalogue& catalogue);

/// What changed from `base` to `now`, by device.
Page comparison_page(const Diagnosed& base, const Diagnosed& now, const core::Catalogue& catalogue);

/// "39.4 %".
std::string tenths(double share);
/// "1,203.4 .. 1,251.0 ms", from the start of the window.
std::string span_text(const timeline::analysis::Interval& span, std::int64_t origin_ns);

}  // namespace jissoku::report
