// From the device's view of a product (tensors in buffers, batches) to the engines' (pointers, one at
// a time).
#pragma once

#include "jissoku/backends/cpu/engine.hpp"
#include "jissoku/device/operation.hpp"

namespace jissoku::backends::cpu {

/// Shape, type and scalars; pointers stay null.
Product product_of(const device::Gemm& gemm);

/// product_of() with the pointers of one batch. Precondition: all buffers have host_data().
Product product_of(const device::Gemm& gemm, std::int64_t batch);

}  // namespace jissoku::backends::cpu
