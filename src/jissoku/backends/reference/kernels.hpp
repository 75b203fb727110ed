// The reference's operations as loops that read like their definitions in device/operation.hpp. Sums
// of FP32 are held in FP64, those of FP64 in long double, and rounded once.
#pragma once

#include "jissoku/device/operation.hpp"

namespace jissoku::backends::reference {

/// All but quantisation and the ceiling probes (which would say nothing about hardware here).
bool has_kernel(const device::Operation& operation);

/// Precondition: ReferenceDevice::supports() it, and device::validate() is ok.
void compute(const device::Operation& operation);

}  // namespace jissoku::backends::reference
