// Which operations a CUDA device does, from types, layout, variant and compute capability alone.
#pragma once

#include "jissoku/backends/cuda/rules/versions.hpp"
#include "jissoku/device/device.hpp"

namespace jissoku::backends::cuda {

inline constexpr char kGemmVariant[] = "cublaslt";
inline constexpr char kPeakVariant[] = "cuda_cores";

/// Of everything but the presence of cuBLASLt. `device` is the id for the texts.
device::Support supports(const device::Operation& operation,
                         const std::string& device,
                         const ComputeCapability& capability);

}  // namespace jissoku::backends::cuda
