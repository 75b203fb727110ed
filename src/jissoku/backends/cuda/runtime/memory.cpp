#include "jissoku/backends/cuda/runtime/memory.hpp"

#include <cuda_runtime_api.h>

#include "jissoku/backends/cuda/runtime/status.hpp"
#include "jissoku/core/machine.hpp"

namespace jissoku::backends::cuda {

using core::ExitCode;
using core::make_error;
using core::Status;
using device::MemoryKind;

core::Result<std::unique_ptr<device::Buffer>> CudaBuffer::allocate(int ordinal,
                                                                   std::size_t size_bytes,
                                                                   MemoryKind kind,
                                                                   std::atomic<std::int64_t>& in_use_bytes) {
  if (size_bytes == 0) {
    return make_error(ExitCode::usage, "device.empty_buffer");
  }
  std::unique_ptr<CudaBuffer> buffer(new CudaBuffer(ordinal, size_bytes, kind, in_use_bytes));
  const bool on_device = kind == MemoryKind::device;
  if (Status allocated = on_device ? buffer->allocate_on_device() : buffer->allocate_on_host(); !allocated) {
    return allocated.error();
  }
  return std::unique_ptr<device::Buffer>(std::move(buffer));
}

Status CudaBuffer::allocate_on_device() {
  void* address = nullptr;
  if (Status done = check_allocation(cudaMalloc(&address, size_bytes_), "cudaMalloc", size_bytes_); !done) {
    return done;
  }
  device_ = static_cast<std::byte*>(address);
  in_use_bytes_ += static_cast<std::int64_t>(size_bytes_);
  return {};
}

Status CudaBuffer::allocate_on_host() {
  // Locked pages are there at once: more than the machine has would end this process, not the call.
  const double available = static_cast<double>(core::available_memory_bytes());
  if (static_cast<double>(size_bytes_) > available) {
    return make_error(ExitCode::unavailable,
                      "device.out_of_memory",
                      {{"size", static_cast<double>(size_bytes_)}, {"available", available}});
  }
  const unsigned flags = kind_ == MemoryKind::mapped ? cudaHostAllocMapped : cudaHostAllocDefault;
  void* address = nullptr;
  if (const cudaError_t code = cudaHostAlloc(&address, size_bytes_, flags); code != cudaSuccess) {
    if (code == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      return make_error(
          ExitCode::unavailable, "cuda.no_pinned_memory", {{"size", static_cast<double>(size_bytes_)}});
    }
    return check(code, "cudaHostAlloc");
  }
  host_ = static_cast<std::byte*>(address);
  void* seen_by_device = nullptr;
  if (Status done = check(cudaHostGetDevicePointer(&seen_by_device, address, 0), "cudaHostGetDevicePointer");
      !done) {
    return done;
  }
  device_ = static_cast<std::byte*>(seen_by_device);
  return {};
}

CudaBuffer::~CudaBuffer() {
  // Of a lost device these fail, and there is nobody to tell; the call that lost it has said so.
  if (host_ != nullptr) {
    cudaFreeHost(host_);
  } else if (device_ != nullptr) {
    cudaFree(device_);
    in_use_bytes_ -= static_cast<std::int64_t>(size_bytes_);
  }
}

}  // namespace jissoku::backends::cuda
