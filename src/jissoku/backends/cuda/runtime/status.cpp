#include "jissoku/backends/cuda/runtime/status.hpp"

#include <cuda_runtime_api.h>
#include <utility>

#include "jissoku/backends/cuda/rules/errors.hpp"

static_assert(CUDART_VERSION >= 12020, "CUDA 12.2 or later is needed");

namespace jissoku::backends::cuda {
namespace {

// The numbers that the rules know are those of the headers this was built with.
static_assert(error_code::kInvalidValue == cudaErrorInvalidValue);
static_assert(error_code::kMemoryAllocation == cudaErrorMemoryAllocation);
static_assert(error_code::kInitialization == cudaErrorInitializationError);
static_assert(error_code::kStubLibrary == cudaErrorStubLibrary);
static_assert(error_code::kInsufficientDriver == cudaErrorInsufficientDriver);
static_assert(error_code::kDevicesUnavailable == cudaErrorDevicesUnavailable);
static_assert(error_code::kNoDevice == cudaErrorNoDevice);
static_assert(error_code::kNoKernelImage == cudaErrorNoKernelImageForDevice);
static_assert(error_code::kEccUncorrectable == cudaErrorECCUncorrectable);
static_assert(error_code::kOperatingSystem == cudaErrorOperatingSystem);
static_assert(error_code::kNotReady == cudaErrorNotReady);
static_assert(error_code::kIllegalAddress == cudaErrorIllegalAddress);
static_assert(error_code::kLaunchOutOfResources == cudaErrorLaunchOutOfResources);
static_assert(error_code::kLaunchTimeout == cudaErrorLaunchTimeout);
static_assert(error_code::kHardwareStack == cudaErrorHardwareStackError);
static_assert(error_code::kIllegalInstruction == cudaErrorIllegalInstruction);
static_assert(error_code::kMisalignedAddress == cudaErrorMisalignedAddress);
static_assert(error_code::kInvalidAddressSpace == cudaErrorInvalidAddressSpace);
static_assert(error_code::kInvalidPc == cudaErrorInvalidPc);
static_assert(error_code::kLaunchFailure == cudaErrorLaunchFailure);
static_assert(error_code::kSystemNotReady == cudaErrorSystemNotReady);
static_assert(error_code::kSystemDriverMismatch == cudaErrorSystemDriverMismatch);
static_assert(error_code::kMpsConnection == cudaErrorMpsConnectionFailed);
static_assert(error_code::kUnknown == cudaErrorUnknown);

Failure failure_of(int code, const char* call) {
  cudaGetLastError();
  return {code, cudaGetErrorString(static_cast<cudaError_t>(code)), call, {}, {}};
}

}  // namespace

core::Status check(int code, const char* call) {
  if (code == cudaSuccess) {
    return {};
  }
  return describe_failure(failure_of(code, call));
}

core::Status check_allocation(int code, const char* call, std::size_t size_bytes) {
  if (code == cudaSuccess) {
    return {};
  }
  Failure failure = failure_of(code, call);
  // A size beyond the address space is an invalid value to some drivers.
  if (code == cudaErrorMemoryAllocation || code == cudaErrorInvalidValue) {
    std::size_t free_bytes = 0, total_bytes = 0;
    const bool known = cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess;
    failure.code = cudaErrorMemoryAllocation;
    failure.size_bytes = static_cast<double>(size_bytes);
    failure.free_bytes = known ? static_cast<double>(free_bytes) : 0;
  }
  return describe_failure(failure);
}

core::Status enter_device(int ordinal) {
  return check(cudaSetDevice(ordinal), "cudaSetDevice");
}

}  // namespace jissoku::backends::cuda
