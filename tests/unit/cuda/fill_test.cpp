// The GPU's fill formula, compiled for the host, gives the bits that numerics defines.
#include <bit>
#include <vector>

#include <gtest/gtest.h>

#include "jissoku/backends/cuda/rules/recipe.hpp"
#include "jissoku/device/device.hpp"
#include "jissoku/device/host_fill.hpp"
#include "jissoku/device/host_memory.hpp"
#include "jissoku/numerics/narrow.hpp"

namespace jissoku::backends::cuda {
namespace {

using numerics::Data;
using numerics::DataType;

constexpr std::int64_t kElements = 200000;

/// The fill as every host device does it.
template <typename Bits>
std::vector<Bits> on_host(device::Fill fill) {
  std::atomic<std::int64_t> in_use{0};
  auto buffer =
      device::HostBuffer::allocate(kElements * sizeof(Bits), device::MemoryKind::pageable, in_use).value();
  fill.out.buffer = buffer.get();
  device::fill_host(fill, 1);
  std::vector<Bits> values(kElements);
  std::memcpy(values.data(), buffer->host_data(), kElements * sizeof(Bits));
  return values;
}

template <typename Bits>
std::vector<Bits> by_formula(const device::Fill& fill) {
  const formula::Recipe recipe = recipe_of(fill);
  std::vector<Bits> values(kElements);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<Bits>(formula::element_bits(recipe, i));
  }
  return values;
}

device::Fill fill_of(DataType type, Data data, std::uint64_t seed, int magnitude) {
  device::Fill fill;
  fill.out.type = type;
  fill.out.rows = 1;
  fill.out.columns = fill.out.leading_dimension = kElements;
  fill.data = data;
  fill.seed = seed;
  fill.magnitude = magnitude;
  return fill;
}

template <typename Bits>
void expect_same(const device::Fill& fill) {
  EXPECT_TRUE(by_formula<Bits>(fill) == on_host<Bits>(fill))
      << numerics::to_string(fill.out.type) << " " << numerics::to_string(fill.data) << " seed " << fill.seed;
}

void expect_same_for_all_types(Data data, std::uint64_t seed, int magnitude, bool poison) {
  for (const DataType type : {DataType::f64, DataType::f32, DataType::tf32, DataType::f16, DataType::bf16}) {
    device::Fill fill = fill_of(type, data, seed, magnitude);
    fill.poison = poison;
    switch (type) {
      case DataType::f64:
        expect_same<std::uint64_t>(fill);
        break;
      case DataType::f16:
      case DataType::bf16:
        expect_same<std::uint16_t>(fill);
        break;
      default:
        expect_same<std::uint32_t>(fill);
    }
  }
}

TEST(FillFormula, HasTheBitsOfNumerics) {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{42}, ~std::uint64_t{0}}) {
    for (const Data data : {Data::normal, Data::uniform, Data::ints, Data::zeros}) {
      expect_same_for_all_types(data, seed, 3, false);
    }
  }
  expect_same_for_all_types(Data::ints, 7, 100000, false);  // beyond FP16
}

TEST(FillFormula, PoisonsAsNumericsDoes) {
  expect_same_for_all_types(Data::normal, 1, 1, true);
}

TEST(FillFormula, ReachesTheFarTail) {
  // One in 5 million: |q| so near 1/2 that the third approximation is used.
  formula::Recipe recipe;
  recipe.pattern = formula::Pattern::normal;
  for (const std::uint64_t bits :
       {std::uint64_t{1} << 63, ~(std::uint64_t{1} << 63), std::uint64_t{1} << 30}) {
    const double value = formula::normal(bits);
    EXPECT_TRUE(std::isfinite(value));
    EXPECT_EQ(value < 0, static_cast<std::int64_t>(bits) < 0);
  }
  EXPECT_GT(formula::normal(~(std::uint64_t{1} << 63)), 8.0);
}

TEST(FillFormula, NarrowFormatsRoundAsNumericsDoesAtTheirEnds) {
  for (const float value : {0.0F,
                            -0.0F,
                            0x1p-24F,
                            0x1p-25F,
                            0x1.8p-25F,
                            0x1.fffp-15F,
                            65504.0F,
                            65519.9F,
                            65520.0F,
                            -1e30F,
                            1.00390625F,
                            3.4e38F}) {
    EXPECT_EQ(formula::to_f16(value), numerics::to_f16(value)) << value;
    EXPECT_EQ(formula::to_bf16(value), numerics::to_bf16(value)) << value;
  }
}

}  // namespace
}  // namespace jissoku::backends::cuda
