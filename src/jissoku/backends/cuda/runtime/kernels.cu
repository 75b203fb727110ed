// The GPU code, built by nvcc for every architecture it knows, without contraction of multiply-adds
// (-fmad=false): fills must have the bits that a CPU gives them. Where a multiply-add is meant, fma() says so.
#include "jissoku/backends/cuda/runtime/kernels.hpp"

#include <cuda_runtime.h>

#include "jissoku/backends/cuda/rules/tensor_formula.hpp"

namespace jissoku::backends::cuda {
namespace {

constexpr int kThreads = 256;

__device__ std::int64_t offset_of(const DeviceView& view, std::int64_t element) {
  const std::int64_t row = element / view.columns;
  const std::int64_t column = element - row * view.columns;
  const std::int64_t batch = row / view.rows;
  return batch * view.batch_stride + (row - batch * view.rows) * view.leading_dimension + column;
}

template <typename Bits>
__global__ void fill(formula::Recipe recipe, DeviceView out, std::int64_t elements) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements;
       i += step) {
    static_cast<Bits*>(out.data)[offset_of(out, i)] =
        static_cast<Bits>(formula::element_bits(recipe, static_cast<std::uint64_t>(i)));
  }
}

__global__ void triad(DeviceView a, DeviceView b, DeviceView c, std::int64_t elements) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements;
       i += step) {
    const double product = 3.0 * static_cast<const double*>(c.data)[offset_of(c, i)];
    static_cast<double*>(a.data)[offset_of(a, i)] =
        static_cast<const double*>(b.data)[offset_of(b, i)] + product;
  }
}

/// The same of one row, without the divisions that would be its cost.
__global__ void triad_flat(double* a, const double* b, const double* c, std::int64_t elements) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements;
       i += step) {
    a[i] = b[i] + 3.0 * c[i];
  }
}

// Not yet run on hardware: its formula is tested on the host (tests/support/fake_cuda), its indices are fill's.
__global__ void bias_activation(
    DeviceView in, DeviceView bias, DeviceView out, bool relu, std::int64_t elements) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements;
       i += step) {
    static_cast<float*>(out.data)[offset_of(out, i)] =
        formula::bias_activation(static_cast<const float*>(in.data)[offset_of(in, i)],
                                 static_cast<const float*>(bias.data)[i % out.columns],
                                 relu);
  }
}

constexpr int kChains = 8;  // independent sums, to hide the latency of a multiply-add
constexpr int kFlopsPerStep = 2 * kChains;

__device__ float multiply_add(float a, float b, float c) { return fmaf(a, b, c); }
__device__ double multiply_add(double a, double b, double c) { return fma(a, b, c); }

/// x / 2 + 1 / 2 stays near 1. `half` comes from outside, and so does `never`, so that no compiler knows the
/// result or drops the work.
template <typename T>
__global__ void fma_peak(std::int64_t steps, T half, T never, T* nowhere) {
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t self = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int own_steps = static_cast<int>(steps / threads) + (self < steps % threads ? 1 : 0);
  T sums[kChains];
  for (int i = 0; i < kChains; ++i) {
    sums[i] = half * static_cast<T>(i + 1);
  }
#pragma unroll 16  // counting must not take the place of multiply-adds
  for (int step = 0; step < own_steps; ++step) {
#pragma unroll
    for (int i = 0; i < kChains; ++i) {
      sums[i] = multiply_add(sums[i], half, half);
    }
  }
  T sum = 0;
  for (int i = 0; i < kChains; ++i) {
    sum += sums[i];
  }
  if (sum == never) {
    *nowhere = sum;
  }
}

/// Enough to fill the GPU, each looping over what is left.
unsigned blocks_for(std::int64_t elements, int multiprocessors) {
  constexpr std::int64_t kBlocksEach = 32;
  const std::int64_t wanted = (elements + kThreads - 1) / kThreads;
  const std::int64_t most = kBlocksEach * multiprocessors;
  return static_cast<unsigned>(wanted < most ? wanted : most);
}

std::int64_t elements_of(const DeviceView& view) { return view.batch * view.rows * view.columns; }

}  // namespace

int launch_fill(const formula::Recipe& recipe,
                const DeviceView& out,
                int multiprocessors,
                CUstream_st* stream) {
  const std::int64_t elements = elements_of(out);
  const unsigned blocks = blocks_for(elements, multiprocessors);
  switch (recipe.format) {
    case formula::Format::f64:
      fill<std::uint64_t><<<blocks, kThreads, 0, stream>>>(recipe, out, elements);
      break;
    case formula::Format::f16:
    case formula::Format::bf16:
      fill<std::uint16_t><<<blocks, kThreads, 0, stream>>>(recipe, out, elements);
      break;
    default:
      fill<std::uint32_t><<<blocks, kThreads, 0, stream>>>(recipe, out, elements);
      break;
  }
  return cudaGetLastError();
}

int launch_triad(const DeviceView& a,
                 const DeviceView& b,
                 const DeviceView& c,
                 int multiprocessors,
                 CUstream_st* stream) {
  const std::int64_t elements = elements_of(a);
  const unsigned blocks = blocks_for(elements, multiprocessors);
  if (a.batch == 1 && a.rows == 1) {
    triad_flat<<<blocks, kThreads, 0, stream>>>(static_cast<double*>(a.data),
                                                static_cast<const double*>(b.data),
                                                static_cast<const double*>(c.data),
                                                elements);
  } else {
    triad<<<blocks, kThreads, 0, stream>>>(a, b, c, elements);
  }
  return cudaGetLastError();
}

int launch_bias_activation(const DeviceView& in,
                           const DeviceView& bias,
                           const DeviceView& out,
                           bool relu,
                           int multiprocessors,
                           CUstream_st* stream) {
  const std::int64_t elements = elements_of(out);
  bias_activation<<<blocks_for(elements, multiprocessors), kThreads, 0, stream>>>(
      in, bias, out, relu, elements);
  return cudaGetLastError();
}

int launch_fma_peak(bool fp64, double flops, int multiprocessors, CUstream_st* stream) {
  constexpr int kBlocksEach = 8;  // 2048 threads: all that a multiprocessor can hold
  const std::int64_t steps = static_cast<std::int64_t>(flops / kFlopsPerStep) + 1;
  const unsigned blocks = static_cast<unsigned>(kBlocksEach * multiprocessors);
  if (fp64) {
    fma_peak<double><<<blocks, kThreads, 0, stream>>>(steps, 0.5, -1.0, nullptr);
  } else {
    fma_peak<float><<<blocks, kThreads, 0, stream>>>(steps, 0.5F, -1.0F, nullptr);
  }
  return cudaGetLastError();
}

}  // namespace jissoku::backends::cuda
