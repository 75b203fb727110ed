// What our own engine is tested with: every instruction set of this CPU, one thread and several, kernels
// generated at run time and compiled ones.
#pragma once

#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "jissoku/backends/cpu/kernels.hpp"

namespace jissoku::tests {

using KernelChoice = std::tuple<const backends::cpu::Kernels*, int, bool>;

inline auto every_kernel_choice() {
  return testing::Combine(
      testing::ValuesIn(backends::cpu::usable_kernels()), testing::Values(1, 3), testing::Bool());
}

inline std::string kernel_choice_name(const testing::TestParamInfo<KernelChoice>& tested) {
  const auto& [kernels, threads, generated] = tested.param;
  return std::string(kernels->name) + "_" + std::to_string(threads) +
         (generated ? "_generated" : "_compiled");
}

}  // namespace jissoku::tests
