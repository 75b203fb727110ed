// A table for a terminal. Columns are aligned in display cells; where the table is wider than the
// terminal, columns that may go are dropped, and if that is not enough every row becomes a small
// list with all its cells. No line is ever wider than the terminal.
#pragma once

#include <string>

#include "jissoku/report/layout.hpp"
#include "jissoku/report/page.hpp"

namespace jissoku::report {

/// Lines, each ended. Texts must be `printable` already.
std::string render_table(const Table& table, const Style& style);

}  // namespace jissoku::report
