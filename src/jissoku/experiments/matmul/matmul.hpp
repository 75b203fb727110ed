// The matmul experiment: one GEMM on several devices and engines, side by side in rounds, verified.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "jissoku/core/units.hpp"
#include "jissoku/device/backend.hpp"
#include "jissoku/experiments/context.hpp"
#include "jissoku/numerics/data_type.hpp"
#include "jissoku/numerics/random.hpp"

namespace jissoku::experiments::matmul {

struct Problem {
  core::Shape shape;
  numerics::DataType type = numerics::DataType::f32;  ///< of A, B and, for FP32 and FP64, of C
  numerics::Data data = numerics::Data::normal;
};

struct Params {
  std::vector<Problem> problems;
  std::vector<device::Selection> devices;  ///< a bare "cpu" means: measure every engine, name the best
  bool transpose_a = false, transpose_b = false;
  double alpha = 1, beta = 0;
  std::int64_t seed = 42;
  int threads = 0;                                          ///< 0 = all usable
  std::int64_t budget_ns = 60'000'000'000;                  ///< for the whole command
  std::function<bool(const std::string& row_id)> selected;  ///< --filter; empty = all
};

/// One row per (problem, device, variant), plus one per device measured in `auto` with
/// Implementation::chosen. Failing rows are rows; only what stops the whole experiment is an error
/// (a device asked for is not available, operands larger than memory).
core::Status run(const Context& context, const Params& params);

}  // namespace jissoku::experiments::matmul
