#include "jissoku/backends/cuda/rules/recipe.hpp"

#include <bit>

#include "jissoku/numerics/narrow.hpp"
#include "jissoku/numerics/verification.hpp"

namespace jissoku::backends::cuda {
namespace {

using formula::Format;
using formula::Pattern;

Format format_of(numerics::DataType type) {
  switch (type) {
    case numerics::DataType::f64:
      return Format::f64;
    case numerics::DataType::tf32:
      return Format::tf32;
    case numerics::DataType::f16:
      return Format::f16;
    case numerics::DataType::bf16:
      return Format::bf16;
    default:
      return Format::f32;
  }
}

std::uint64_t poison_bits(Format format) {
  switch (format) {
    case Format::f64:
      return std::bit_cast<std::uint64_t>(numerics::poison_f64());
    case Format::f16:
      return numerics::to_f16(numerics::poison_f32());
    case Format::bf16:
      return numerics::to_bf16(numerics::poison_f32());
    default:
      return std::bit_cast<std::uint32_t>(numerics::poison_f32());
  }
}

Pattern pattern_of(numerics::Data data) {
  switch (data) {
    case numerics::Data::normal:
      return Pattern::normal;
    case numerics::Data::uniform:
      return Pattern::uniform;
    case numerics::Data::ints:
      return Pattern::ints;
    case numerics::Data::zeros:
      return Pattern::constant;
  }
  return Pattern::constant;
}

}  // namespace

formula::Recipe recipe_of(const device::Fill& fill) {
  formula::Recipe recipe;
  recipe.format = format_of(fill.out.type);
  if (fill.poison) {
    recipe.constant = poison_bits(recipe.format);
    return recipe;
  }
  recipe.pattern = pattern_of(fill.data);
  recipe.start = formula::start_of(fill.seed);
  recipe.magnitude = fill.magnitude;
  return recipe;
}

}  // namespace jissoku::backends::cuda
