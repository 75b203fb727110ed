#include "jissoku/device/operation.hpp"

#include <array>

namespace jissoku::device {

std::string to_string(const Operation& operation) {
  // In the order of the variant.
  static constexpr std::array<const char*, 13> kNames = {"fill",
                                                         "cast",
                                                         "quantise",
                                                         "gemm",
                                                         "bias_activation",
                                                         "bias_activation_gradient",
                                                         "scale",
                                                         "softmax",
                                                         "reduce",
                                                         "mse_loss",
                                                         "sgd_step",
                                                         "fma_peak",
                                                         "memory_triad"};
  static_assert(std::variant_size_v<Operation> == kNames.size());
  return kNames[operation.index()];
}

}  // namespace jissoku::device
