// NVIDIA GPUs as devices, through the CUDA runtime. This is the part that needs the toolkit; what can be
// decided without one is in rules/. Start reading at cuda_device.hpp.
#pragma once

#include "jissoku/device/backend.hpp"

namespace jissoku::backends::cuda {

/// "cuda:0", "cuda:1", ... in the order in which CUDA counts them, or why there is none. Listing starts the
/// driver but opens none of the libraries that devices use.
device::Backend make_backend();

}  // namespace jissoku::backends::cuda
