#include "jissoku/backends/cpu/isa.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace jissoku::backends::cpu {
namespace {

/// Kernel names, lower case, as they occur in OpenBLAS, BLIS and oneDNN.
constexpr std::array<std::string_view, 9> kAvx512Kernels = {
    "skylakex", "cooperlake", "sapphirerapids", "graniterapids", "skx", "knl", "zen4", "zen5", "spr"};
constexpr std::array<std::string_view, 5> kAvx2Kernels = {"haswell", "zen", "zen2", "zen3", "excavator"};

template <std::size_t Size>
bool contains(const std::array<std::string_view, Size>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Isa cpu_isa() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0) {
    return Isa::avx512;
  }
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) {
    return Isa::avx2;
  }
#endif
  return Isa::baseline;
}

std::string display_name(Isa isa) {
  switch (isa) {
    case Isa::avx512:
      return "AVX-512";
    case Isa::avx2:
      return "AVX2";
    case Isa::baseline:
      break;
  }
#if defined(__x86_64__)
  return "SSE";
#else
  return "the baseline instruction set";
#endif
}

Isa kernel_isa(std::string_view kernel) {
  std::string name(kernel);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  if (name.starts_with("avx512") || contains(kAvx512Kernels, name)) {
    return Isa::avx512;
  }
  if (name.starts_with("avx2") || contains(kAvx2Kernels, name)) {
    return Isa::avx2;
  }
  return Isa::baseline;
}

}  // namespace jissoku::backends::cpu
