// Operands that stay in a small format in memory and are unpacked into what the tile kernels read: FP32
// values, or for exact integers 32-bit words of four (or two) neighbours along the depth.
#pragma once

#include <cstddef>
#include <cstdint>

#include "jissoku/backends/cpu/gemm/matrix.hpp"
#include "jissoku/numerics/data_type.hpp"

namespace jissoku::backends::cpu::gemm {

/// How the integer kernels multiply words.
enum class Dot {
  pairs,  ///< two 16-bit integers a word (VPMADDWD)
  quads,  ///< four bytes a word, a without sign and shifted by 128 (VPDPBUSD)
};

/// A matrix of codes, row-major, each row starting on a byte. Does not own anything.
struct Coded {
  numerics::DataType type = numerics::DataType::bf16;
  const std::byte* data = nullptr;
  std::int64_t rows = 0, columns = 0;  ///< as stored
  std::int64_t leading_dimension = 0;  ///< elements between rows
  bool transposed = false;             ///< the operand is the stored matrix turned
  const std::byte* scales = nullptr;   ///< row by row without gaps, or null
  numerics::DataType scale_type = numerics::DataType::e8m0;
  std::int64_t scale_block = 0;  ///< elements of a stored row that share a scale
  Dot dot = Dot::quads;          ///< of integers

  Coded turned() const {
    Coded other = *this;
    other.transposed = !transposed;
    return other;
  }
};

/// Elements of the depth that one step of a kernel takes.
constexpr std::int64_t elements_per_step(Dot dot) {
  return dot == Dot::quads ? 4 : 2;
}

/// `count` elements of a stored row from `first` on, as values times their scales.
void decode_row(const Coded& matrix, std::int64_t row, std::int64_t first, std::int64_t count, float* to);

/// A panel of `columns` columns of b, `depth` steps deep, into to[step * width + column], zeros in the
/// columns up to `width`. For integers a further row follows: what the sums of each column start from.
void unpack_panel(
    const Operand<float>& b, std::int64_t columns, std::int64_t depth, std::int64_t width, float* to);
void unpack_panel(const Operand<std::int32_t>& b,
                  std::int64_t columns,
                  std::int64_t depth,
                  std::int64_t width,
                  std::int32_t* to);

/// A strip of `rows` rows of a, `depth` steps deep, into to[row * depth + step]. Precondition: not
/// transposed.
void unpack_rows(const Operand<float>& a, std::int64_t rows, std::int64_t depth, float* to);
void unpack_rows(const Operand<std::int32_t>& a, std::int64_t rows, std::int64_t depth, std::int32_t* to);

/// The same of a transposed a into to[step * rows + row].
void unpack_turned(const Operand<float>& a, std::int64_t rows, std::int64_t depth, float* to);
void unpack_turned(const Operand<std::int32_t>& a, std::int64_t rows, std::int64_t depth, std::int32_t* to);

}  // namespace jissoku::backends::cpu::gemm
