#include "jissoku/backends/cuda/rules/algorithm.hpp"

#include <string_view>

namespace jissoku::backends::cuda {
namespace {

struct Flag {
  std::uint64_t bit;
  std::string_view name;
};
// CUBLASLT_NUMERICAL_IMPL_FLAGS_*: the unit, the accumulator, the type that operands have in the unit.
constexpr Flag kUnits[] = {{0x1, "FMA"}, {0x2, "HMMA"}, {0x4, "IMMA"}, {0x8, "DMMA"}};
constexpr Flag kAccumulators[] = {{0x100, "FP16"}, {0x200, "FP32"}, {0x400, "FP64"}, {0x800, "INT32"}};
constexpr Flag kInputs[] = {{0x10000, "FP16"},
                            {0x20000, "BF16"},
                            {0x40000, "TF32"},
                            {0x80000, "FP32"},
                            {0x100000, "FP64"},
                            {0x200000, "INT8"},
                            {0x400000, "E4M3"},
                            {0x800000, "E5M2"}};
constexpr std::uint64_t kNarrowerThanFp32 = 0x70000;

/// Names of the bits that are set, joined by '+'.
template <std::size_t kCount>
std::string names_of(const Flag (&flags)[kCount], std::uint64_t bits) {
  std::string names;
  for (const Flag& flag : flags) {
    if ((bits & flag.bit) != 0) {
      names += (names.empty() ? "" : "+") + std::string(flag.name);
    }
  }
  return names;
}

}  // namespace

bool keeps_precision(const Algorithm& algorithm, const Product& product) {
  const bool plain_fp32 = product.first.type == numerics::DataType::f32 && product.compute == Compute::f32;
  return !plain_fp32 || (algorithm.implementation & kNarrowerThanFp32) == 0;
}

std::string kernel_text(const Algorithm& algorithm, int tried) {
  std::string text = "algo " + std::to_string(algorithm.id) + ", tile " + std::to_string(algorithm.tile) +
                     ", stages " + std::to_string(algorithm.stages) + ", split-k " +
                     std::to_string(algorithm.split_k);
  if (algorithm.implementation != 0) {
    text += ", " + names_of(kUnits, algorithm.implementation) + " " +
            names_of(kInputs, algorithm.implementation) + ", sums " +
            names_of(kAccumulators, algorithm.implementation);
  }
  return text + (tried > 0 ? "; fastest of " + std::to_string(tried) : "; first suggestion");
}

}  // namespace jissoku::backends::cuda
