// Tensors in 16-bit formats and TF32 as FP32, exactly, so that a device that knows FP32 can compute with
// them; and casts among all of these formats.
#pragma once

#include "jissoku/device/operation.hpp"

namespace jissoku::backends::model {

/// f32, tf32, f16 or bf16: formats whose values FP32 holds exactly.
bool fits_f32(numerics::DataType type);

/// Dense FP32 with the same rows, columns and batch (one matrix where all are one): view without a buffer.
device::TensorView widened_view(const device::TensorView& view);

/// Writes the elements of `in` (TF32 rounded to its 10 fraction bits, as the hardware reads it) to `out`.
/// Preconditions: both in memory the host can address, out is widened_view(in) with a buffer.
void widen(const device::TensorView& in, const device::TensorView& out);

/// Whether cast() does it: everything but FP64 to a narrow format, which would round twice.
bool can_cast(numerics::DataType in, numerics::DataType out);
/// Precondition: validate() is ok, can_cast(), memory the host can address.
void cast(const device::Cast& operation);

}  // namespace jissoku::backends::model
