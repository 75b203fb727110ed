// Seeded data and poison in host memory, for every device whose buffers the host can address.
#pragma once

#include "jissoku/device/operation.hpp"

namespace jissoku::device {

/// Writes the logical elements of `fill.out` (f64, f32, tf32, f16 or bf16, in a buffer with host_data()): the
/// narrow ones hold the FP32 value rounded to nearest even. Padding
/// between rows stays as it is. Element (batch, row, column) has index (batch * rows + row) * columns
/// + column, whatever the leading dimension, so that a matrix holds the same values in any layout.
/// Precondition: validate(fill) is ok. The result does not depend on `threads`.
void fill_host(const Fill& fill, int threads);

}  // namespace jissoku::device
