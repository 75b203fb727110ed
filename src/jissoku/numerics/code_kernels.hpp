// Codes by vectors, one build per instruction set: unpacked codes of a chunk (a byte, 16 or 32 bits each)
// from and to values, and the packing of 4- and 6-bit codes. Internal to numerics; codes.hpp is what the rest
// uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "jissoku/numerics/codes.hpp"

namespace jissoku::numerics {

/// Elements of a chunk: any vector divides it, and its buffers stay in the first cache.
inline constexpr std::size_t kChunk = 512;
/// Counts below are multiples of it.
inline constexpr std::size_t kStep = 64;

/// What happened to the finite and other elements of a scaled chunk.
struct Tally {
  std::int64_t saturated = 0;   ///< finite, and beyond the largest value after rounding
  std::int64_t flushed = 0;     ///< not zero, and zero as a code
  std::int64_t non_finite = 0;  ///< infinities and NaNs
};

struct EncodeJob {
  const float* in;
  std::size_t count;
  void* codes;
  Conversion conversion;
  const std::uint32_t* random = nullptr;  ///< for stochastic rounding: one per element
  const float* multipliers = nullptr;     ///< one for 16 elements, applied before; null: none
  Tally* tally = nullptr;                 ///< where there are multipliers
};

struct CodeKernels {
  const char* name;
  void (*encode)(DataType type, const EncodeJob& job);
  void (*decode)(DataType type, const void* codes, std::size_t count, float* out);
  /// `bits` 4 or 6. Writes and reads whole groups of 16 codes, no byte more.
  void (*pack)(int bits, const std::uint8_t* codes, std::size_t count, std::byte* out);
  void (*unpack)(int bits, const std::byte* in, std::size_t count, std::uint8_t* codes);
};

/// Those that this processor can run, the best last; the first one runs everywhere.
std::span<const CodeKernels* const> code_kernels();

/// Elements multiplied before they become codes.
struct ScaledRow {
  const float* in;
  std::int64_t count;
  const float* multipliers = nullptr;  ///< one for each 16 elements begun; null: none
  Tally* tally = nullptr;              ///< added to; where there are multipliers
};
void encode_scaled_row(const CodeKernels& kernels,
                       DataType type,
                       const ScaledRow& row,
                       std::byte* out,
                       const Conversion& conversion);

/// codes.hpp's rows by given kernels, for comparing them.
void encode_row(const CodeKernels& kernels,
                DataType type,
                const float* in,
                std::int64_t count,
                std::byte* out,
                const Conversion& conversion);
void decode_row(const CodeKernels& kernels,
                DataType type,
                const std::byte* in,
                std::int64_t first,
                std::int64_t count,
                float* out);

}  // namespace jissoku::numerics
