// The tables of `./dev bench gemm`: text for people, CSV for programs.
#pragma once

#include <string>
#include <vector>

#include "bench/gemm/standing.hpp"

namespace jissoku::bench {

/// A table of the cells, which share type and threads: per shape one line with shares of the FMA peak,
/// and below it the rates against the best library with their intervals.
std::string text_table(const std::vector<Cell>& cells);

/// One line per entry, in bare numbers; the header is `csv_header`.
std::string csv_rows(const std::vector<Cell>& cells);
std::string csv_header();

}  // namespace jissoku::bench
