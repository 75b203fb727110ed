// The ceiling probes as kernels: multiply-adds in registers, and STREAM's triad.
#pragma once

#include "jissoku/backends/opencl/stream.hpp"
#include "jissoku/device/operation.hpp"

namespace jissoku::backends::opencl {

/// How kernels/probes.cl is compiled and spread for a device.
struct ProbeConfig {
  int width = 4;         ///< of its vectors
  int chains = 8;        ///< independent sums of a work-item
  int local = 1;         ///< work-items of a group
  int items = 256;       ///< in total; a multiple of local
  bool strided = false;  ///< neighbouring work-items do neighbouring elements of the triad
};
ProbeConfig probe_config(const Facts& facts, bool is_double);

/// Rounds of the first `longer` work-items, and of the others one less, so that together they do at least
/// `flops` and less than a round too much.
struct Rounds {
  std::uint64_t rounds = 0, longer = 0;
};
Rounds share_rounds(double flops, const ProbeConfig& config);

/// Enqueue. Precondition: the device supports the operation.
core::Status launch_fma_peak(OpenClStream& stream, const device::FmaPeak& peak, Commands& commands);
core::Status launch_triad(
    OpenClStream& stream, const device::MemoryTriad& triad, cl_mem a, cl_mem b, cl_mem c, Commands& commands);

}  // namespace jissoku::backends::opencl
