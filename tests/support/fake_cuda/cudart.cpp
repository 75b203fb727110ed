// A CUDA runtime without a GPU: device memory is the host's, streams do their work in the call, events carry
// the host's clock. Linked instead of libcudart_static and kernels.cu, it lets the plugin's own code run
// anywhere, and fail at any call. It says nothing about CUDA itself.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <map>
#include <string>
#include <thread>

#include "jissoku/backends/cuda/rules/tensor_formula.hpp"
#include "jissoku/backends/cuda/runtime/kernels.hpp"

struct CUstream_st {
  int unused;
};
struct CUevent_st {
  std::int64_t time_ns;
  bool recorded;
};

namespace {

constexpr std::size_t kMemoryBytes = std::size_t{2} << 30;

struct State {
  std::map<void*, std::size_t> memory;  // addresses given out, device and host
  std::size_t in_use = 0;
  int objects = 0;  // streams and events that live
  long calls = 0, fail_at = 0;
  int fail_code = 0;
  bool lost = false;
};
State state;

bool is_sticky(int code) {
  return code >= 700 && code < 720;
}

/// Counts a call that can fail, and gives the error it shall have.
cudaError_t call() {
  ++state.calls;
  if (state.lost) {
    return static_cast<cudaError_t>(state.fail_code);
  }
  if (state.calls == state.fail_at) {
    state.lost = is_sticky(state.fail_code);
    return static_cast<cudaError_t>(state.fail_code);
  }
  return cudaSuccess;
}

cudaError_t allocate(void** address, std::size_t size) {
  if (const cudaError_t code = call(); code != cudaSuccess) {
    return code;
  }
  if (size > kMemoryBytes - state.in_use) {
    return cudaErrorMemoryAllocation;
  }
  *address = std::aligned_alloc(256, (size + 255) / 256 * 256);
  state.memory[*address] = size;
  state.in_use += size;
  return cudaSuccess;
}

cudaError_t release(void* address) {
  const auto found = state.memory.find(address);
  if (found == state.memory.end()) {
    return address == nullptr ? cudaSuccess : cudaErrorInvalidValue;
  }
  state.in_use -= found->second;
  state.memory.erase(found);
  std::free(address);
  return cudaSuccess;
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)
/// The n-th call from now on fails with `code`, and if that is sticky all after it; 0: none does.
void fake_cuda_fail_at(long n, int code) {
  state.calls = 0;
  state.fail_at = n;
  state.fail_code = code;
  state.lost = false;
}
long fake_cuda_calls() {
  return state.calls;
}
/// Allocations, streams and events that were not given back.
long fake_cuda_live() {
  return static_cast<long>(state.memory.size()) + state.objects;
}
#pragma GCC visibility pop

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return call();
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::memset(properties, 0, sizeof *properties);
  std::strcpy(properties->name, "Fake GPU");
  properties->major = 9;
  properties->multiProcessorCount = 4;
  properties->totalGlobalMem = kMemoryBytes;
  return call();
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int size, int) {
  std::strncpy(id, "0000:01:00.0", static_cast<std::size_t>(size));
  return call();
}
cudaError_t cudaSetDevice(int ordinal) {
  return ordinal == 0 ? call() : cudaErrorInvalidDevice;
}
cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t) {
  return "as the test asked for";
}
cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  *total_bytes = kMemoryBytes;
  *free_bytes = kMemoryBytes - state.in_use;
  return call();
}
cudaError_t cudaMalloc(void** address, std::size_t size) {
  return allocate(address, size);
}
cudaError_t cudaHostAlloc(void** address, std::size_t size, unsigned) {
  return allocate(address, size);
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  return call();
}
cudaError_t cudaFree(void* address) {
  return address == nullptr ? call() : release(address);
}
cudaError_t cudaFreeHost(void* address) {
  return release(address);
}
cudaError_t cudaMemcpyAsync(void* dst, const void* src, std::size_t size, cudaMemcpyKind kind, cudaStream_t) {
  const cudaError_t code = kind == cudaMemcpyDefault ? call() : cudaErrorInvalidMemcpyDirection;
  if (code == cudaSuccess) {
    std::memmove(dst, src, size);
  }
  return code;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  const cudaError_t code = flags == cudaStreamNonBlocking ? call() : cudaErrorInvalidValue;
  if (code == cudaSuccess) {
    *stream = new CUstream_st{};
    ++state.objects;
  }
  return code;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  --state.objects;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return call();
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
  return call();
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  const cudaError_t code = call();
  if (code == cudaSuccess) {
    *event = new CUevent_st{};
    ++state.objects;
  }
  return code;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  --state.objects;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  const cudaError_t code = call();
  if (code == cudaSuccess) {
    event->time_ns = std::chrono::steady_clock::now().time_since_epoch().count();
    event->recorded = true;
  }
  return code;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!start->recorded || !end->recorded) {
    return cudaErrorInvalidResourceHandle;
  }
  *milliseconds = static_cast<float>(static_cast<double>(end->time_ns - start->time_ns) * 1e-6);
  return call();
}
}  // extern "C"

namespace jissoku::backends::cuda {
namespace {

/// visit(place of the element, its number) for every element.
template <typename Visit>
void for_each_element(const DeviceView& view, Visit visit) {
  std::uint64_t number = 0;
  for (std::int64_t batch = 0; batch < view.batch; ++batch) {
    for (std::int64_t row = 0; row < view.rows; ++row) {
      for (std::int64_t column = 0; column < view.columns; ++column) {
        visit(batch * view.batch_stride + row * view.leading_dimension + column, number++);
      }
    }
  }
}

template <typename Bits>
void fill(const formula::Recipe& recipe, const DeviceView& out) {
  for_each_element(out, [&](std::int64_t place, std::uint64_t number) {
    static_cast<Bits*>(out.data)[place] = static_cast<Bits>(formula::element_bits(recipe, number));
  });
}

}  // namespace

int launch_fill(const formula::Recipe& recipe, const DeviceView& out, int, CUstream_st*) {
  const cudaError_t code = call();
  if (code == cudaSuccess) {
    switch (recipe.format) {
      case formula::Format::f64:
        fill<std::uint64_t>(recipe, out);
        break;
      case formula::Format::f16:
      case formula::Format::bf16:
        fill<std::uint16_t>(recipe, out);
        break;
      default:
        fill<std::uint32_t>(recipe, out);
    }
  }
  return code;
}

int launch_triad(const DeviceView& a, const DeviceView& b, const DeviceView& c, int, CUstream_st*) {
  const cudaError_t code = call();
  const auto* const right = static_cast<const double*>(c.data);
  const auto* const left = static_cast<const double*>(b.data);
  for (std::int64_t i = 0; code == cudaSuccess && i < a.columns; ++i) {
    static_cast<double*>(a.data)[i] = left[i] + 3.0 * right[i];
  }
  return code;
}

int launch_bias_activation(
    const DeviceView& in, const DeviceView& bias, const DeviceView& out, bool relu, int, CUstream_st*) {
  const cudaError_t code = call();
  if (code != cudaSuccess) {
    return code;
  }
  const auto* const terms = static_cast<const float*>(bias.data);
  const auto* const values = static_cast<const float*>(in.data);
  for_each_element(out, [&](std::int64_t place, std::uint64_t number) {
    const auto element = static_cast<std::int64_t>(number);
    const std::int64_t row = element / in.columns;
    const std::int64_t from =
        row / in.rows * in.batch_stride + row % in.rows * in.leading_dimension + element % in.columns;
    static_cast<float*>(out.data)[place] =
        formula::bias_activation(values[from], terms[element % in.columns], relu);
  });
  return code;
}

int launch_fma_peak(bool, double flops, int, CUstream_st*) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<std::int64_t>(flops / 100)));
  return call();
}

}  // namespace jissoku::backends::cuda
