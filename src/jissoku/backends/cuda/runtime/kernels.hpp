// What runs on the GPU in code of ours (kernels.cu). Each enqueues and returns a cudaError_t.
#pragma once

#include <cstdint>

#include "jissoku/backends/cuda/rules/fill_formula.hpp"

struct CUstream_st;  // cudaStream_t points to it

namespace jissoku::backends::cuda {

/// A tensor as a kernel sees it: `data` is its first element.
struct DeviceView {
  void* data = nullptr;
  std::int64_t rows = 0, columns = 0, leading_dimension = 0, batch = 1, batch_stride = 0;
};

/// Elements only; what lies between rows stays as it is.
int launch_fill(const formula::Recipe& recipe,
                const DeviceView& out,
                int multiprocessors,
                CUstream_st* stream);

/// a = b + 3 c, in FP64, product and sum each rounded.
int launch_triad(
    const DeviceView& a, const DeviceView& b, const DeviceView& c, int multiprocessors, CUstream_st* stream);

/// out = in + bias in FP32, with `relu` 0 where that is negative; `bias` is one row. Not yet run on hardware.
int launch_bias_activation(const DeviceView& in,
                           const DeviceView& bias,
                           const DeviceView& out,
                           bool relu,
                           int multiprocessors,
                           CUstream_st* stream);

/// At least `flops` in multiply-adds of FP32, or of FP64.
int launch_fma_peak(bool fp64, double flops, int multiprocessors, CUstream_st* stream);

}  // namespace jissoku::backends::cuda
