// What NVML's numbers mean.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace jissoku::backends::cuda {

/// Names of the bits of nvmlDeviceGetCurrentClocksThrottleReasons, lowest first: "sw_power_cap",
/// "hw_thermal_slowdown", ... An idle GPU gives "idle", which slows nothing down. Bits newer than this table
/// appear as "bit N".
std::vector<std::string> throttle_reasons(std::uint64_t bits);

/// "PCIe 5.0 x16"; "" where generation or width is unknown (0).
std::string link_text(unsigned generation, unsigned width);

/// "GPU-a1b2c3d4-0000-1111-2222-333344445555" from the 16 bytes of cudaDeviceProp::uuid.
std::string uuid_text(const unsigned char (&bytes)[16]);

}  // namespace jissoku::backends::cuda
