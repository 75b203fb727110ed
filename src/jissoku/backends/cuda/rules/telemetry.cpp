#include "jissoku/backends/cuda/rules/telemetry.hpp"

#include <array>

namespace jissoku::backends::cuda {
namespace {

/// By bit, from nvml.h (nvmlClocksThrottleReasons, later nvmlClocksEventReasons).
constexpr std::array<const char*, 9> kThrottleNames = {"idle",
                                                       "application_clocks",
                                                       "sw_power_cap",
                                                       "hw_slowdown",
                                                       "sync_boost",
                                                       "sw_thermal_slowdown",
                                                       "hw_thermal_slowdown",
                                                       "hw_power_brake",
                                                       "display_clocks"};

}  // namespace

std::vector<std::string> throttle_reasons(std::uint64_t bits) {
  std::vector<std::string> names;
  for (unsigned bit = 0; bit < 64; ++bit) {
    if (((bits >> bit) & 1U) != 0) {
      names.push_back(bit < kThrottleNames.size() ? kThrottleNames[bit] : "bit " + std::to_string(bit));
    }
  }
  return names;
}

std::string link_text(unsigned generation, unsigned width) {
  if (generation == 0 || width == 0) {
    return {};
  }
  return "PCIe " + std::to_string(generation) + ".0 x" + std::to_string(width);
}

std::string uuid_text(const unsigned char (&bytes)[16]) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      text += '-';
    }
    text += kDigits[bytes[i] >> 4U];
    text += kDigits[bytes[i] & 15U];
  }
  return text;
}

}  // namespace jissoku::backends::cuda
