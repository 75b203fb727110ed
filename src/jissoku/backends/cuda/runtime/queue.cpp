#include "jissoku/backends/cuda/runtime/queue.hpp"

#include <cuda_runtime_api.h>

#include "jissoku/backends/cuda/runtime/status.hpp"

namespace jissoku::backends::cuda {

using core::ExitCode;
using core::make_error;
using core::Status;

core::Result<std::unique_ptr<device::Stream>> CudaStream::create(int ordinal,
                                                                 std::atomic<std::int64_t>& in_use_bytes) {
  cudaStream_t handle = nullptr;
  const Status made =
      check(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  if (!made) {
    return made.error();
  }
  return std::unique_ptr<device::Stream>(new CudaStream(ordinal, handle, in_use_bytes));
}

CudaStream::~CudaStream() {
  cudaStreamDestroy(handle_);
  if (workspace_ != nullptr) {
    cudaFree(workspace_);  // waits for the kernels that use it
    in_use_bytes_ -= workspace_bytes_;
  }
}

core::Result<void*> CudaStream::workspace(std::int64_t size_bytes) {
  if (workspace_ == nullptr) {
    const auto size = static_cast<std::size_t>(size_bytes);
    if (Status done = check_allocation(cudaMalloc(&workspace_, size), "cudaMalloc", size); !done) {
      workspace_ = nullptr;
      return done.error();
    }
    workspace_bytes_ = size_bytes;
    in_use_bytes_ += size_bytes;
  }
  return workspace_;
}

core::Result<std::unique_ptr<CudaEvent>> CudaEvent::create() {
  cudaEvent_t handle = nullptr;
  if (const Status made = check(cudaEventCreate(&handle), "cudaEventCreate"); !made) {
    return made.error();
  }
  return std::unique_ptr<CudaEvent>(new CudaEvent(handle));
}

CudaEvent::~CudaEvent() {
  cudaEventDestroy(handle_);
}

Status CudaEvent::record(CudaStream& stream) {
  Status done = check(cudaEventRecord(handle_, stream.handle()), "cudaEventRecord");
  recorded_ = recorded_ || done.ok();
  return done;
}

core::Result<double> elapsed_ns(const CudaEvent& start, const CudaEvent& stop) {
  if (!start.recorded() || !stop.recorded()) {
    return make_error(ExitCode::usage, "device.event_not_recorded");
  }
  float milliseconds = 0;
  const cudaError_t code = cudaEventElapsedTime(&milliseconds, start.handle(), stop.handle());
  if (code == cudaErrorNotReady) {
    cudaGetLastError();
    return make_error(ExitCode::unavailable, "cuda.event_pending");
  }
  if (const Status done = check(code, "cudaEventElapsedTime"); !done) {
    return done.error();
  }
  return static_cast<double>(milliseconds) * 1e6;
}

}  // namespace jissoku::backends::cuda
