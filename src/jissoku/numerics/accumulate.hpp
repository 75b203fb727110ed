// How matrix units add products up: models for showing what an accumulator costs, slow on purpose. Facts from
// MMA-Sim (arXiv 2511.10909), which its authors checked against hardware.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace jissoku::numerics {

/// One fused step takes `step` products and the sum so far: products are exact, every term is cut off
/// `fraction` bits below the largest exponent among them (a product's is the sum of its operands' exponents),
/// the terms are added exactly, and the result is cut off to FP32, or to e8m13.
struct AccumulatorModel {
  std::string_view name;
  int fraction = 24;
  int step = 8;
  bool e8m13 = false;  ///< sums keep 13 fraction bits
};

/// "volta", "turing", "ampere", "ada_fp8", "hopper", "hopper_fp8", "blackwell".
std::span<const AccumulatorModel> accumulator_models();
std::optional<AccumulatorModel> find_accumulator(std::string_view name);

/// One step on c. a and b have the same size, at most 64, and hold values of at most 11 significant bits
/// (TF32 and smaller formats). NaN anywhere, inf * 0 and inf - inf give the NaN 0x7FFFFFFF; overflow gives
/// infinity.
float fused_step(std::span<const float> a, std::span<const float> b, float c, const AccumulatorModel& model);

/// The dot product of a and b, step by step from 0. `promote` > 0: after that many products the sum is added
/// to one in FP32 (round to nearest) and starts anew; a multiple of model.step.
float dot(std::span<const float> a, std::span<const float> b, const AccumulatorModel& model, int promote = 0);

/// The exact dot product of values of at most 11 significant bits and moderate range, rounded once to FP32.
/// Exact while all products lie within 2^-100 .. 2^100 times 1 and there are fewer than 2^20.
float exact_dot(std::span<const float> a, std::span<const float> b);

}  // namespace jissoku::numerics
