// What the program itself costs: its start, and the proof of its results.
#pragma once

#include <string>
#include <vector>

#include "bench/overheads/report.hpp"

namespace jissoku::bench {

/// Wall time of the commands that people run without measuring anything; median of ten warm runs.
/// What cannot be measured is a line in `missing`.
std::vector<Overhead> start_overheads(const std::string& program, std::vector<std::string>& missing);

/// Cost of verification in ordinary runs of `matmul`, as a share of their measuring time.
std::vector<Overhead> verification_overheads(const std::string& program, std::vector<std::string>& missing);

}  // namespace jissoku::bench
