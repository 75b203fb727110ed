// A profiled network: the step, what recording it costs, the operator table, and where the time goes.
#pragma once

#include "jissoku/core/catalogue.hpp"
#include "jissoku/document/model.hpp"
#include "jissoku/report/page.hpp"

namespace jissoku::report {

/// A section per row of experiment "profile" that was not recorded itself; empty without any. The table is
/// made from the timeline kept with the row.
Page profile_page(const document::Document& document, const core::Catalogue& catalogue);

}  // namespace jissoku::report
