// The CPU as a device. GEMM engines (libraries) are opened at run time by full path from what is
// installed; our own engine is always there. Start reading at cpu_device.hpp; engine.hpp is what an
// engine must do, engines.hpp how engines are found, tried and loaded.
#pragma once

#include "jissoku/device/backend.hpp"

namespace jissoku::backends::cpu {

/// One device, "cpu". Its listing opens no library and names the engines that are not installed.
device::Backend make_backend();

}  // namespace jissoku::backends::cpu
