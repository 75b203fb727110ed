#include "jissoku/backends/cpu/gemm/coded.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "jissoku/backends/cpu/gemm/pack.hpp"
#include "jissoku/numerics/codes.hpp"

namespace jissoku::backends::cpu::gemm {
namespace {

/// Columns of a panel, and steps that are turned at a time: what is decoded stays in the first-level cache.
constexpr std::int64_t kMostColumns = 64;
constexpr std::int64_t kTurnedSteps = 128;
/// Between the columns of a turned piece: no power of two, or all of them fall into a few sets of the cache.
constexpr std::int64_t kTurnedStride = kTurnedSteps + 16;

/// Scales that are decoded at a time.
constexpr std::int64_t kScales = 64;

/// Multiplies elements `first` on of a stored row by the scales of their blocks.
void apply_scales(const Coded& matrix, std::int64_t row, std::int64_t first, std::int64_t count, float* to) {
  const std::int64_t block = matrix.scale_block;
  const std::int64_t row_scales = row * ((matrix.columns + block - 1) / block);
  const std::int64_t blocks_end = (first + count - 1) / block + 1;
  std::array<float, kScales> scales;
  std::int64_t done = 0;
  for (std::int64_t number = first / block; number < blocks_end; number += kScales) {
    const std::int64_t taken = std::min(kScales, blocks_end - number);
    numerics::decode(matrix.scale_type, matrix.scales, row_scales + number, taken, scales.data());
    for (std::int64_t i = 0; i < taken; ++i) {
      const std::int64_t end = std::min(count, (number + i + 1) * block - first);
      const float scale = scales[static_cast<std::size_t>(i)];
      for (; done < end; ++done) {
        to[done] *= scale;
      }
    }
  }
}

const std::int8_t* stored_bytes(const Coded& matrix, std::int64_t row, std::int64_t column) {
  return reinterpret_cast<const std::int8_t*>(matrix.data) + row * matrix.leading_dimension + column;
}

/// Bytes of one word, turned from signed to shifted by 128.
constexpr std::uint32_t kShift = 0x80808080U;

/// Words of `count` bytes that follow each other, zeros up to the last word's end.
void pack_words(const std::int8_t* from, std::int64_t count, std::int64_t words, Dot dot, std::int32_t* to) {
  if (dot == Dot::quads) {
    std::memset(to + count / 4, 0, static_cast<std::size_t>(words - count / 4) * 4);
    std::memcpy(to, from, static_cast<std::size_t>(count));
    return;
  }
  auto* const halves = reinterpret_cast<std::int16_t*>(to);
  for (std::int64_t i = 0; i < count; ++i) {
    halves[i] = from[i];
  }
  std::fill(halves + count, halves + 2 * words, std::int16_t{0});
}

/// Words of neighbours in different rows, which are missing where null.
void weave_words(const std::array<const std::int8_t*, 4>& rows,
                 std::int64_t columns,
                 Dot dot,
                 std::int32_t* to) {
  const auto byte = [](std::int8_t value) { return std::uint32_t{static_cast<std::uint8_t>(value)}; };
  const auto half = [](std::int8_t value) {
    return static_cast<std::uint32_t>(std::int32_t{value}) & 0xFFFFU;
  };
  for (std::int64_t j = 0; j < columns; ++j) {
    to[j] =
        static_cast<std::int32_t>(dot == Dot::quads ? byte(rows[0][j]) | byte(rows[1][j]) << 8U |
                                                          byte(rows[2][j]) << 16U | byte(rows[3][j]) << 24U
                                                    : half(rows[0][j]) | half(rows[1][j]) << 16U);
  }
}

/// Adds up what the 128 that a is shifted by brings to each column.
void take_off_shift(const std::int32_t* words, std::int64_t columns, std::int32_t* start) {
  for (std::int64_t j = 0; j < columns; ++j) {
    const auto word = static_cast<std::uint32_t>(words[j]);
    const auto part = [word](unsigned up) { return static_cast<std::int32_t>(word << up) >> 24U; };
    start[j] -= 128 * (part(24) + part(16) + part(8) + part(0));
  }
}

/// The words of a panel of b, to[step * width + column].
void gather_words(const Operand<std::int32_t>& b,
                  std::int64_t columns,
                  std::int64_t depth,
                  std::int64_t width,
                  std::int32_t* to) {
  assert(columns <= kMostColumns && width <= kMostColumns);
  const Coded& matrix = *b.coded;
  const std::int64_t per_step = elements_per_step(matrix.dot);
  if (!matrix.transposed) {
    static constexpr std::array<std::int8_t, kMostColumns> kZeros = {};
    for (std::int64_t step = 0; step < depth; ++step) {
      std::array<const std::int8_t*, 4> rows = {};
      for (std::int64_t i = 0; i < per_step; ++i) {
        const std::int64_t row = (b.row + step) * per_step + i;
        rows[static_cast<std::size_t>(i)] =
            row < matrix.rows ? stored_bytes(matrix, row, b.column) : kZeros.data();
      }
      weave_words(rows, columns, matrix.dot, to + step * width);
      std::fill(to + step * width + columns, to + step * width + width, 0);
    }
    return;
  }
  std::array<std::int32_t, kMostColumns * kTurnedStride> piece;
  for (std::int64_t step = 0; step < depth; step += kTurnedSteps) {
    const std::int64_t steps = std::min(kTurnedSteps, depth - step);
    const std::int64_t first = (b.row + step) * per_step;
    const std::int64_t count = std::min(steps * per_step, matrix.columns - first);
    for (std::int64_t j = 0; j < columns; ++j) {
      pack_words(stored_bytes(matrix, b.column + j, first),
                 count,
                 steps,
                 matrix.dot,
                 piece.data() + j * kTurnedStride);
    }
    pack_panel(
        Strided<std::int32_t>{piece.data(), 1, kTurnedStride}, columns, steps, width, to + step * width);
  }
}

/// Shifts a's bytes, in place, for the kernels that take them without sign.
void shift_words(Dot dot, std::int64_t count, std::int32_t* words) {
  for (std::int64_t i = 0; dot == Dot::quads && i < count; ++i) {
    words[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(words[i]) ^ kShift);
  }
}

}  // namespace

void decode_row(const Coded& matrix, std::int64_t row, std::int64_t first, std::int64_t count, float* to) {
  const std::int64_t bits = numerics::storage_bits(matrix.type);
  numerics::decode(matrix.type, matrix.data + row * matrix.leading_dimension * bits / 8, first, count, to);
  if (matrix.scales != nullptr) {
    apply_scales(matrix, row, first, count, to);
  }
}

void unpack_panel(
    const Operand<float>& b, std::int64_t columns, std::int64_t depth, std::int64_t width, float* to) {
  assert(columns <= kMostColumns && width <= kMostColumns);
  const Coded& matrix = *b.coded;
  if (!matrix.transposed) {
    for (std::int64_t step = 0; step < depth; ++step) {
      float* const line = to + step * width;
      decode_row(matrix, b.row + step, b.column, columns, line);
      std::fill(line + columns, line + width, 0.0F);
    }
    return;
  }
  std::array<float, kMostColumns * kTurnedStride> piece;
  for (std::int64_t step = 0; step < depth; step += kTurnedSteps) {
    const std::int64_t steps = std::min(kTurnedSteps, depth - step);
    for (std::int64_t j = 0; j < columns; ++j) {
      decode_row(matrix, b.column + j, b.row + step, steps, piece.data() + j * kTurnedStride);
    }
    pack_panel(Strided<float>{piece.data(), 1, kTurnedStride}, columns, steps, width, to + step * width);
  }
}

void unpack_panel(const Operand<std::int32_t>& b,
                  std::int64_t columns,
                  std::int64_t depth,
                  std::int64_t width,
                  std::int32_t* to) {
  gather_words(b, columns, depth, width, to);
  std::int32_t* const start = to + depth * width;
  std::fill_n(start, width, 0);
  for (std::int64_t step = 0; b.coded->dot == Dot::quads && step < depth; ++step) {
    take_off_shift(to + step * width, columns, start);
  }
}

void unpack_rows(const Operand<float>& a, std::int64_t rows, std::int64_t depth, float* to) {
  for (std::int64_t row = 0; row < rows; ++row) {
    decode_row(*a.coded, a.row + row, a.column, depth, to + row * depth);
  }
}

void unpack_rows(const Operand<std::int32_t>& a, std::int64_t rows, std::int64_t depth, std::int32_t* to) {
  const Coded& matrix = *a.coded;
  const std::int64_t first = a.column * elements_per_step(matrix.dot);
  const std::int64_t count = std::min(depth * elements_per_step(matrix.dot), matrix.columns - first);
  for (std::int64_t row = 0; row < rows; ++row) {
    pack_words(stored_bytes(matrix, a.row + row, first), count, depth, matrix.dot, to + row * depth);
  }
  shift_words(matrix.dot, rows * depth, to);
}

void unpack_turned(const Operand<float>& a, std::int64_t rows, std::int64_t depth, float* to) {
  const Coded coded = a.coded->turned();
  unpack_panel(Operand<float>{a.plain, &coded, a.column, a.row}, rows, depth, rows, to);
}

void unpack_turned(const Operand<std::int32_t>& a, std::int64_t rows, std::int64_t depth, std::int32_t* to) {
  const Coded coded = a.coded->turned();
  gather_words(Operand<std::int32_t>{a.plain, &coded, a.column, a.row}, rows, depth, rows, to);
  shift_words(coded.dot, rows * depth, to);
}

}  // namespace jissoku::backends::cpu::gemm
