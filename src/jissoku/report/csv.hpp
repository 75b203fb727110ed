// The rows for a spreadsheet or a script.
#pragma once

#include <string>

#include "jissoku/document/model.hpp"

namespace jissoku::report {

/// RFC 4180: a header, then one record per row, each ended by CR LF. Numbers are plain and
/// locale-independent, units are in the column names, what there is no value for is empty. After the fixed
/// columns comes one per parameter that any row has.
std::string render_csv(const document::Document& document);

}  // namespace jissoku::report
