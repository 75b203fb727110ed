// One element of the operations that a network does beside products, in a form that compiles for host and
// GPU. Built without contraction of multiply-adds, so that the bits are those of a CPU.
#pragma once

#include "jissoku/backends/cuda/rules/fill_formula.hpp"

namespace jissoku::backends::cuda::formula {

/// A NaN is not less than 0, and passes; so does -0.
JISSOKU_HOST_DEVICE inline float bias_activation(float in, float bias, bool relu) {
  const float sum = in + bias;
  return relu && sum < 0 ? 0.0F : sum;
}

}  // namespace jissoku::backends::cuda::formula
