// What flag values mean: text to typed options, checked. Pure, except that devices are looked up in
// the registry.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "jissoku/cli/parser.hpp"
#include "jissoku/cli/terminal.hpp"
#include "jissoku/core/machine.hpp"
#include "jissoku/device/backend.hpp"
#include "jissoku/experiments/matmul/matmul.hpp"

namespace jissoku::cli {

/// Where results go. "-" is standard output; at most one of the three formats has it.
struct OutputOptions {
  std::optional<std::string> folder, json, csv, markdown;
  bool quiet = false;

  bool text_on_stdout() const { return json != "-" && csv != "-" && markdown != "-"; }
};
core::Result<OutputOptions> output_options(const Parsed& parsed);

ColorMode color_mode(const Parsed& parsed);

/// What every measuring command is told.
struct MeasureOptions {
  std::vector<device::Selection> devices;  ///< without --device: all but oracles and models
  std::int64_t seed = 0;
  int threads = 0;  ///< 0 = all usable
  std::int64_t budget_ns = 0;
  std::function<bool(const std::string& row_id)> selected;  ///< empty without --filter
};
core::Result<MeasureOptions> measure_options(const Parsed& parsed,
                                             const device::Registry& registry,
                                             const core::Machine& machine);

core::Result<experiments::matmul::Params> matmul_params(const Parsed& parsed, const MeasureOptions& measure);

/// The value of a flag, or its default. Error (usage): no integer, or not from `least` to `most`.
core::Result<std::int64_t> integer(const Parsed& parsed,
                                   std::string_view flag,
                                   std::int64_t least,
                                   std::int64_t most);

/// Largest matrix dimension: beyond it the byte counts of three operands no longer fit 64 bits.
inline constexpr std::int64_t kMaxDimension = std::int64_t{1} << 24;

}  // namespace jissoku::cli
