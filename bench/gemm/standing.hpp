// How the engines of one cell (a shape, a type, a number of threads) stand to each other. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jissoku/core/units.hpp"
#include "jissoku/measure/sampler.hpp"
#include "jissoku/numerics/data_type.hpp"
#include "jissoku/numerics/statistics.hpp"

namespace jissoku::bench {

/// One engine in one cell, measured.
struct Entry {
  std::string engine;   ///< "openblas"
  std::string library;  ///< "OpenBLAS 0.3.21"
  bool ours = false;    ///< never the library that others are compared with
  bool wrong = false;   ///< its result failed the check: not timed
  std::string reason;   ///< why it has no time; "" if it has
  measure::Measurement measurement;
};

struct Cell {
  core::Shape shape;
  numerics::DataType type = numerics::DataType::f32;
  int threads = 1;
  double flops = 0;        ///< per launch
  double probe_flops = 0;  ///< per run of the FMA probe beside each sample; 0: there is none
  double memory_gbps = 0;  ///< of STREAM's triad, where a side is 1; 0: not measured
  std::vector<Entry> entries;
  std::string left_out;  ///< why nothing of it was measured; "" if it was
};

/// What is printed of an entry; absent where there are fewer than numerics::kMinRounds rounds for it.
struct Standing {
  std::optional<numerics::Estimate> time_ns;        ///< per launch
  std::optional<numerics::Estimate> share_of_peak;  ///< taken round by round
  std::optional<numerics::Estimate> ratio;          ///< its rate over that of the best library
};

struct Verdict {
  std::optional<std::size_t> best_library;  ///< index in Cell::entries
  /// The best was chosen on odd rounds and the ratios are of even rounds, so that the best of several
  /// noisy medians does not flatter itself. False where rounds were too few for that: all served both.
  bool apart = false;
  std::vector<Standing> standings;  ///< one per entry
};

Verdict judge(const Cell& cell);

/// True if any entry's result was wrong.
bool has_wrong_result(const Cell& cell);

}  // namespace jissoku::bench
