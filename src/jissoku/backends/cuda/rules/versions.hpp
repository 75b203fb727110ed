// Version numbers of the CUDA runtime, its driver and cuBLAS, and what of a GPU this build has code for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jissoku::backends::cuda {

/// What a GPU can do, by NVIDIA's numbering: H200 is 9.0.
struct ComputeCapability {
  int major = 0, minor = 0;
};
std::string to_string(const ComputeCapability& capability);
bool at_least(const ComputeCapability& capability, int major, int minor);

/// 13000, as cudaRuntimeGetVersion and cudaDriverGetVersion give it, is "13.0".
std::string format_cuda_version(int version);

/// As cublasLtGetVersion gives it: 130100 is "13.1.0", and 11402 (up to cuBLAS 11) "11.4.2".
std::string format_cublas_version(std::size_t version);

/// First driver release (for Linux) that runs programs of this runtime: 580 for 13.x, 525 for 12.x (table of
/// minor version compatibility, CUDA Compatibility guide); 0 for other majors.
int minimum_driver(int runtime_version);

/// "580.65.06" from the text of /proc/driver/nvidia/version, of the open kernel module's too; "" if it
/// holds none.
std::string parse_driver_version(std::string_view text);

/// Whether kernels built for `architectures` ("75,80,90": machine code for each, and PTX of the last, which
/// newer GPUs translate) run there: machine code runs on its own major version from its minor one on.
bool kernels_cover(std::string_view architectures, const ComputeCapability& capability);

}  // namespace jissoku::backends::cuda
