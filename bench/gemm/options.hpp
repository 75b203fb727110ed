// What `./dev bench gemm` was asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jissoku/core/units.hpp"
#include "jissoku/numerics/data_type.hpp"

namespace jissoku::bench {

struct Options {
  std::vector<core::Shape> shapes;
  std::vector<numerics::DataType> types = {numerics::DataType::f32, numerics::DataType::f64};
  std::vector<int> threads;  ///< one process each; empty: one thread, then all usable
  double budget_s = 240;     ///< for all of it
  std::string csv;           ///< file to write, or ""
  bool append = false;       ///< to `csv`: the first process has written the header
  bool rivals = false;
  bool help = false;
};

/// Arguments as `--name VALUE`, lists separated by commas. nullopt: `fault` says what is wrong.
std::optional<Options> parse_options(const std::vector<std::string>& arguments, std::string& fault);

/// The arguments that make one process measure one thread count, with its share of the budget.
std::vector<std::string> arguments_for(const Options& options, int threads, double budget_s, bool append);

/// "4096x4096x4096": m x n x k.
std::string to_string(const core::Shape& shape);

extern const char* const kUsage;

}  // namespace jissoku::bench
