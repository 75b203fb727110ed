#include "jissoku/backends/cuda/rules/errors.hpp"

namespace jissoku::backends::cuda {
namespace {

using core::ExitCode;
using core::make_error;
using namespace error_code;

core::Error out_of_memory(const Failure& failure) {
  if (failure.size_bytes && failure.free_bytes) {
    return make_error(ExitCode::unavailable,
                      "device.out_of_memory",
                      {{"size", *failure.size_bytes}, {"available", *failure.free_bytes}});
  }
  return make_error(ExitCode::unavailable, "cuda.out_of_memory", {{"call", failure.call}});
}

core::Error failed(const Failure& failure) {
  return make_error(failure.code == kInvalidValue ? ExitCode::internal : ExitCode::unavailable,
                    "cuda.call_failed",
                    {{"call", failure.call}, {"code", std::int64_t{failure.code}}, {"text", failure.text}});
}

core::Error lost(const Failure& failure) {
  return make_error(ExitCode::unavailable,
                    "cuda.lost",
                    {{"call", failure.call}, {"code", std::int64_t{failure.code}}, {"text", failure.text}});
}

}  // namespace

bool is_sticky(int code) {
  switch (code) {
    case kEccUncorrectable:
    case kIllegalAddress:
    case kLaunchTimeout:
    case kHardwareStack:
    case kIllegalInstruction:
    case kMisalignedAddress:
    case kInvalidAddressSpace:
    case kInvalidPc:
    case kLaunchFailure:
      return true;
    default:
      return false;
  }
}

core::Error describe_failure(const Failure& failure) {
  if (is_sticky(failure.code)) {
    return lost(failure);
  }
  switch (failure.code) {
    case kMemoryAllocation:
      return out_of_memory(failure);
    case kDevicesUnavailable:
      return make_error(ExitCode::unavailable, "cuda.busy");
    case kNoKernelImage:
      return make_error(ExitCode::unavailable, "cuda.no_kernel_image", {{"call", failure.call}});
    case kLaunchOutOfResources:
      return make_error(ExitCode::unavailable, "cuda.out_of_resources", {{"call", failure.call}});
    case kSystemNotReady:
      return make_error(ExitCode::unavailable, "cuda.system_not_ready");
    case kSystemDriverMismatch:
      return make_error(ExitCode::unavailable, "cuda.driver_mismatch");
    case kMpsConnection:
      return make_error(ExitCode::unavailable, "cuda.mps");
    case kInitialization:
    case kOperatingSystem:
    case kUnknown:
      return make_error(ExitCode::unavailable,
                        "cuda.initialisation",
                        {{"code", std::int64_t{failure.code}}, {"text", failure.text}});
    default:
      return failed(failure);
  }
}

std::string cublas_status_text(int status) {
  switch (status) {
    case 1:
      return "not initialised";
    case 3:
      return "out of memory";
    case 7:
      return "invalid value";
    case 8:
      return "architecture mismatch";
    case 11:
      return "mapping error";
    case 13:
      return "execution failed";
    case 14:
      return "internal error";
    case 15:
      return "not supported";
    default:
      return "status " + std::to_string(status);
  }
}

core::Error describe_cublas_failure(int status, const std::string& call) {
  return make_error(ExitCode::unavailable,
                    "cuda.cublas_failed",
                    {{"call", call}, {"status", std::int64_t{status}}, {"text", cublas_status_text(status)}});
}

}  // namespace jissoku::backends::cuda
