// One process's work: all cells of one thread count, planned within a budget and measured.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/gemm/options.hpp"
#include "bench/gemm/rival.hpp"
#include "bench/gemm/standing.hpp"
#include "jissoku/experiments/ceilings.hpp"
#include "jissoku/experiments/matmul/operands.hpp"
#include "jissoku/experiments/session.hpp"
#include "jissoku/measure/planner.hpp"

namespace jissoku::bench {

/// Sentences of the product's layers in words.
using Words = std::function<std::string(const core::Message&)>;

class Contest {
 public:
  /// `session`: of the device "cpu" with that many threads. All references outlive this.
  Contest(
      experiments::Session& session, const Rivals& rivals, int threads, measure::Clock& clock, Words words);

  /// What each cell may cost: cells in the order of types, then shapes.
  measure::Plan plan(const Options& options);
  Cell measure(const core::Shape& shape, numerics::DataType type, const measure::PlannedCase& planned);

 private:
  struct Contestant;
  using Problem = experiments::matmul::Problem;

  const std::optional<experiments::FmaCeiling>& ceiling(numerics::DataType type);
  double memory_gbps();
  std::vector<device::Variant> engines(const Problem& problem) const;
  measure::CaseCost predict(const core::Shape& shape, numerics::DataType type);
  void enter_engines(Cell& cell, std::vector<Contestant>& contestants, const Problem& problem) const;
  void enter_rivals(Cell& cell, std::vector<Contestant>& contestants) const;
  void prove(Entry& entry, Contestant& contestant, experiments::matmul::Operands& operands, bool exact);
  core::Result<numerics::Verification> verify_rival(Rival& rival,
                                                    experiments::matmul::Operands& operands,
                                                    bool exact);
  void make_subject(Entry& entry, Contestant& contestant, experiments::matmul::Operands& operands);
  void run(Cell& cell, std::vector<Contestant>& contestants, std::int64_t budget_ns);
  std::string words(const core::Error& error) const;

  experiments::Session& session_;
  const Rivals& rivals_;
  int threads_;
  measure::Clock& clock_;
  Words words_;
  std::map<numerics::DataType, std::optional<experiments::FmaCeiling>> ceilings_;
  std::optional<double> memory_gbps_;  ///< 0 if it cannot be measured
};

}  // namespace jissoku::bench
