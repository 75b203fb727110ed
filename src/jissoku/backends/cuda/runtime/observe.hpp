// What this machine says when it is asked for CUDA devices.
#pragma once

#include "jissoku/backends/cuda/rules/reasons.hpp"

namespace jissoku::backends::cuda {

/// Opens the driver's library and starts it, if it is there; opens no other library unless no device is found
/// although there is a driver.
Facts observe();

}  // namespace jissoku::backends::cuda
