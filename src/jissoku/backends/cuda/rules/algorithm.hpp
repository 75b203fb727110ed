// An algorithm that cuBLASLt offered: what it is, and whether it computes what was asked for.
#pragma once

#include <cstdint>
#include <string>

#include "jissoku/backends/cuda/rules/product.hpp"

namespace jissoku::backends::cuda {

/// As cublasLtMatmulAlgoConfigGetAttribute and cublasLtMatmulAlgoCapGetAttribute describe it.
struct Algorithm {
  int id = 0, tile = 0, stages = 0, split_k = 1;
  std::uint64_t implementation = 0;  ///< cublasLtNumericalImplFlags_t; 0 where it could not be read
};

/// False if it multiplies FP32 operands as something narrower although TF32 was not asked for (forced by
/// NVIDIA_TF32_OVERRIDE, or emulation).
bool keeps_precision(const Algorithm& algorithm, const Product& product);

/// "algo 66, tile 20, stages 15, split-k 1, HMMA TF32, sums FP32; fastest of 6". `tried` 0: no choice was
/// made by time, the library's first suggestion is used.
std::string kernel_text(const Algorithm& algorithm, int tried);

}  // namespace jissoku::backends::cuda
