// The table of one product.
#pragma once

#include "jissoku/core/catalogue.hpp"
#include "jissoku/document/model.hpp"
#include "jissoku/report/page.hpp"
#include "jissoku/report/rows.hpp"

namespace jissoku::report {

/// Columns without any entry are there and empty: who lays the table out leaves them away.
Table matmul_table(const document::Document& document, const Block& block, const core::Catalogue& catalogue);

/// The rate that memory allows a row: its bandwidth times FLOPs per byte. 0 unknown.
double memory_bound_rate(const document::Row& row);
/// Whether memory, not arithmetic, limits the row.
bool is_memory_bound(const document::Row& row);

/// A small number in two digits: "3.1e-5", "0.02"; "?" for what is none.
std::string format_small(double value);

}  // namespace jissoku::report
