#include "jissoku/numerics/verification_widened.hpp"

#include <cstring>
#include <limits>

#include "jissoku/numerics/codes.hpp"

namespace jissoku::numerics::detail {
namespace {

std::size_t index(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

bool is_plain(const MatrixView& matrix) {
  const bool readable = matrix.type == DataType::f32 || matrix.type == DataType::f64;
  return readable && matrix.scale_block == 0;
}

/// Codes times scales, row by row without gaps, in a type that holds them exactly.
template <typename T>
std::vector<T> values_of(const MatrixView& matrix) {
  std::vector<T> values(index(matrix.rows * matrix.columns));
  std::vector<float> line(index(matrix.columns));
  const std::int64_t row_bytes = matrix.leading_dimension * storage_bits(matrix.type) / 8;
  const std::int64_t block = matrix.scale_block;
  const std::int64_t in_row = block == 0 ? 0 : (matrix.columns + block - 1) / block;
  std::vector<float> scales(index(in_row));
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    const auto* const row = static_cast<const std::byte*>(matrix.data) + i * row_bytes;
    decode(matrix.type, row, 0, matrix.columns, line.data());
    if (block != 0) {
      decode(
          matrix.scale_type, static_cast<const std::byte*>(matrix.scales), i * in_row, in_row, scales.data());
    }
    for (std::int64_t j = 0; j < matrix.columns; ++j) {
      T value = static_cast<T>(line[index(j)]);
      if (matrix.type == DataType::i32) {  // decode() rounds large ones
        std::int32_t whole = 0;
        std::memcpy(&whole, row + j * 4, sizeof whole);
        value = static_cast<T>(whole);
      }
      values[index(i * matrix.columns + j)] =
          block == 0 ? value : value * static_cast<T>(scales[index(j / block)]);
    }
  }
  return values;
}

}  // namespace

Widened::Widened(const MatrixView& original) : view_(original) {
  if (is_plain(original) || original.data == nullptr) {
    return;
  }
  const bool wide = original.type == DataType::i32 || original.scale_block != 0;
  if (wide) {
    double_ = values_of<double>(original);
  } else {
    single_ = values_of<float>(original);
  }
  view_.type = wide ? DataType::f64 : DataType::f32;
  view_.data = wide ? static_cast<const void*>(double_.data()) : single_.data();
  view_.leading_dimension = original.columns;
  view_.scale_block = 0;
}

bool can_widen(const MatrixView& matrix) {
  const bool scaled =
      matrix.scale_block == 0 || (matrix.scale_block > 0 && matrix.scales != nullptr &&
                                  matrix.type != DataType::f64 && matrix.type != DataType::i32);
  return matrix.type != DataType::e8m0 && scaled;
}

bool scales_round(const MatrixView& matrix) {
  return matrix.scale_block != 0 && matrix.scale_type == DataType::f32;
}

double smallest_step(DataType type) {
  switch (type) {
    case DataType::f64:
      return std::numeric_limits<double>::denorm_min();
    case DataType::f16:
      return 0x1p-24;
    case DataType::bf16:
      return 0x1p-133;
    default:
      return static_cast<double>(std::numeric_limits<float>::denorm_min());
  }
}

}  // namespace jissoku::numerics::detail
