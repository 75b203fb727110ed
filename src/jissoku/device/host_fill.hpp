// Seeded data and poison in host memory, for every device whose buffers the host can address.
#pragma once

#include "jissoku/device/operation.hpp"

namespace jissoku::device {

/// Writes the logical elements of `fill.out` (without block scales, in a buffer with host_data()): formats of
/// 32 bits and less hold the FP32 value rounded to nearest even. Poison is a NaN, and in formats without one
/// the lowest value. Padding between rows stays as it is. Element (batch, row, column) has index (batch *
/// rows + row) * columns
/// + column, whatever the leading dimension, so that a matrix holds the same values in any layout.
/// Precondition: validate(fill) is ok. The result does not depend on `threads`.
void fill_host(const Fill& fill, int threads);

}  // namespace jissoku::device
