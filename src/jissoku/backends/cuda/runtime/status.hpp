// CUDA's return codes as our errors.
#pragma once

#include <cstddef>

#include "jissoku/core/result.hpp"

namespace jissoku::backends::cuda {

/// `code` is a cudaError_t; errors name the call. Clears the runtime's memory of the last error, so that it
/// does not appear again from an unrelated call.
core::Status check(int code, const char* call);

/// As check, for an allocation of that size on the current device.
core::Status check_allocation(int code, const char* call, std::size_t size_bytes);

/// Makes the device current for the calling thread.
core::Status enter_device(int ordinal);

}  // namespace jissoku::backends::cuda
