// Numbers of one column: one unit, decimal points below each other, no more digits than the interval
// of each number warrants.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jissoku/numerics/statistics.hpp"

namespace jissoku::report {

using Figures = std::vector<std::optional<numerics::Estimate>>;

/// Times in ns: "970.3 ms". One unit for all where every number stays readable in it, else one each.
/// Absent and infinite figures give an empty text.
std::vector<std::string> format_times(const Figures& times_ns);
/// Rates in FLOP/s: "141.7 GFLOPS".
std::vector<std::string> format_rates(const Figures& rates_flops);
/// "0.93x" and "0.92..0.94".
std::vector<std::string> format_ratios(const Figures& ratios);
std::vector<std::string> format_ranges(const Figures& ratios);
/// "79 %".
std::vector<std::string> format_shares(const Figures& shares);
/// A plus-minus sign and "0.8 %".
std::vector<std::string> format_half_widths(const Figures& figures);

/// One number as it would stand in a column of its own.
std::string format_time(const numerics::Estimate& time_ns);
std::string format_rate(const numerics::Estimate& rate_flops);

/// Whether it can be printed: finite and above zero.
bool is_printable(const std::optional<numerics::Estimate>& figure);

}  // namespace jissoku::report
