// What a network does beside products, as kernels in FP32; built when the first is launched.
#pragma once

#include "jissoku/backends/opencl/operands.hpp"

namespace jissoku::backends::opencl {

/// Whether launch_elementwise() does it.
bool is_elementwise(const device::Operation& operation);

/// Enqueue. Preconditions: is_elementwise(), validate() is ok, and all tensors are f32.
core::Status launch_elementwise(OpenClStream& stream,
                                const device::Operation& operation,
                                const Operands& memory,
                                Commands& commands);

}  // namespace jissoku::backends::opencl
