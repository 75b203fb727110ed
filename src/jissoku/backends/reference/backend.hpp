// The oracle: every operation in plain loops, in FP32 and FP64, slow on purpose. What the other
// backends are compared with, and what computes inside the fakes of the tests.
#pragma once

#include "jissoku/device/backend.hpp"

namespace jissoku::backends::reference {

/// One device, "reference", always there.
device::Backend make_backend();

}  // namespace jissoku::backends::reference
