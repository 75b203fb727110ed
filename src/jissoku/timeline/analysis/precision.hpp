// In which number formats a device's matrix products ran, from what the operators were given first, and
// kernel names second: lists of names age.
#pragma once

#include <string_view>

#include "jissoku/timeline/analysis/device_activity.hpp"
#include "jissoku/timeline/analysis/host_threads.hpp"
#include "jissoku/timeline/analysis/launches.hpp"

namespace jissoku::timeline::analysis {

enum class MatrixFormat : std::uint8_t { not_matrix, unknown, fp32, tf32, half, fp8, fp64 };

/// What a kernel's name alone says.
MatrixFormat format_of_kernel(std::string_view name);

/// Summed kernel time in ns.
struct PrecisionUse {
  std::int64_t kernels_ns = 0;
  std::int64_t fp32_ns = 0;  ///< matrix products and convolutions outside of tensor cores
  std::int64_t tf32_ns = 0;
  std::int64_t half_ns = 0;     ///< FP16, BF16
  std::int64_t other_ns = 0;    ///< FP8, FP64
  std::int64_t unknown_ns = 0;  ///< matrix products whose format cannot be told
};

PrecisionUse precision_use(const HostThreads& threads,
                           const Launches& launches,
                           const DeviceActivity& activity);

}  // namespace jissoku::timeline::analysis
