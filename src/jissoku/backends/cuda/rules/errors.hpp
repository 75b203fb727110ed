// Errors of CUDA and cuBLASLt by number, as messages with a remedy. The numbers are part of NVIDIA's binary
// interface; the runtime folder checks them against the headers it is built with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "jissoku/core/result.hpp"

namespace jissoku::backends::cuda {

/// Those of cudaError_t that get a text of their own.
namespace error_code {
inline constexpr int kInvalidValue = 1;
inline constexpr int kMemoryAllocation = 2;
inline constexpr int kInitialization = 3;
inline constexpr int kStubLibrary = 34;
inline constexpr int kInsufficientDriver = 35;
inline constexpr int kDevicesUnavailable = 46;
inline constexpr int kNoDevice = 100;
inline constexpr int kNoKernelImage = 209;
inline constexpr int kEccUncorrectable = 214;
inline constexpr int kOperatingSystem = 304;
inline constexpr int kNotReady = 600;
inline constexpr int kIllegalAddress = 700;
inline constexpr int kLaunchOutOfResources = 701;
inline constexpr int kLaunchTimeout = 702;
inline constexpr int kHardwareStack = 714;
inline constexpr int kIllegalInstruction = 715;
inline constexpr int kMisalignedAddress = 716;
inline constexpr int kInvalidAddressSpace = 717;
inline constexpr int kInvalidPc = 718;
inline constexpr int kLaunchFailure = 719;
inline constexpr int kSystemNotReady = 802;
inline constexpr int kSystemDriverMismatch = 803;
inline constexpr int kMpsConnection = 805;
inline constexpr int kUnknown = 999;
}  // namespace error_code

struct Failure {
  int code = 0;
  std::string text;  ///< "out of memory", as cudaGetErrorString says
  std::string call;  ///< "cudaMalloc"
  /// Bytes asked for and free, for a failed allocation.
  std::optional<double> size_bytes, free_bytes;
};

/// After these the device's context is gone: every later call of this process fails with the same.
bool is_sticky(int code);

/// Exit code `unavailable`; `internal` for codes that only a mistake of ours can bring.
core::Error describe_failure(const Failure& failure);

/// "not supported" for 15: the names of cublasStatus_t, "status N" for others.
std::string cublas_status_text(int status);
core::Error describe_cublas_failure(int status, const std::string& call);

}  // namespace jissoku::backends::cuda
