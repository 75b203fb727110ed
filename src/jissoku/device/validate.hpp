// The checks that every backend makes before it touches memory, so that all refuse the same things
// with the same words. Not checked: whether views overlap (an output must not overlap an input,
// unless the operation is elementwise and both are the same view).
#pragma once

#include "jissoku/core/result.hpp"
#include "jissoku/device/device.hpp"

namespace jissoku::device {

/// What supports() may look at: dimensions are positive, leading dimensions and batch strides keep
/// rows and written batches apart, rows of sub-byte types start on a byte, shapes fit together, and
/// types where they can never differ. Errors (usage) name the operation and the tensor.
core::Status validate_layout(const Operation& operation);

/// validate_layout, and every view (and its scales) lies within its buffer. What launch() checks.
core::Status validate(const Operation& operation);

/// Both buffers are there and the range lies within them.
core::Status validate(const CopyRange& range);

}  // namespace jissoku::device
