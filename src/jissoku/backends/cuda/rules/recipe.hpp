// From a Fill to what the kernel that does it needs.
#pragma once

#include "jissoku/backends/cuda/rules/fill_formula.hpp"
#include "jissoku/device/operation.hpp"

namespace jissoku::backends::cuda {

/// Precondition: `fill.out` is f64, f32, tf32, f16 or bf16.
formula::Recipe recipe_of(const device::Fill& fill);

}  // namespace jissoku::backends::cuda
