// The life of a measuring command: options, checks of the outputs, journal, interrupt, progress,
// results. A command only says what to measure.
#pragma once

#include <functional>
#include <vector>

#include "jissoku/cli/invocation.hpp"
#include "jissoku/experiments/context.hpp"
#include "jissoku/experiments/matmul/matmul.hpp"

namespace jissoku::cli {

struct Job {
  std::function<core::Status(const experiments::Context&)> run;
  std::vector<core::Message> cases = {};  ///< what it would measure, for --describe
  bool explains_products = true;          ///< --describe lists the columns of the tables of products
  /// Writes what the command writes beside the results; may be empty.
  std::function<core::Status(const document::Document&)> write_more = {};
};
/// Turns options into work; errors of the command line belong here, before anything is written.
using Prepare = std::function<core::Result<Job>(const Parsed&, const MeasureOptions&)>;

/// One sentence per product that `params` asks for.
std::vector<core::Message> describe_cases(const experiments::matmul::Params& params);

core::Result<core::ExitCode> measure(Invocation& invocation, const Prepare& prepare);

}  // namespace jissoku::cli
