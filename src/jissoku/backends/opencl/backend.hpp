// OpenCL devices of any vendor, and PoCL on the host's CPU: `opencl:0`, `opencl:1`, ...
#pragma once

#include "jissoku/device/backend.hpp"

namespace jissoku::backends::opencl {

/// Products by two variants: "own" (kernels/gemm.cl) and "clblast" (opened at run time).
device::Backend make_backend();

}  // namespace jissoku::backends::opencl
