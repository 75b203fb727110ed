// The block sizes of our GEMM kernel, and the arithmetic of its panels: pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jissoku/backends/opencl/facts.hpp"

namespace jissoku::backends::opencl {

/// One way to compile kernels/gemm.cl.
struct GemmConfig {
  int rows = 8;         ///< of C in a tile
  int vectors = 1;      ///< in a row of a tile
  int width = 4;        ///< elements of a vector
  int depth = 256;      ///< most that is packed at once
  int block = 1 << 24;  ///< most tiles in a row of a block: what is done with one panel of A before the next
  int local_rows = 1;   ///< tiles of a work-group
  int local_columns = 1;

  int columns() const { return vectors * width; }
  /// "12x32, float16".
  std::string name(bool is_double) const;
};

/// What a product is computed from and in.
struct GemmTypes {
  numerics::DataType input = numerics::DataType::f32;   ///< f64, f32, f16, bf16
  numerics::DataType output = numerics::DataType::f32;  ///< f64, f32; also the arithmetic

  bool is_double() const { return output == numerics::DataType::f64; }
};

/// Depth that one work-item packs.
inline constexpr int kPackDepth = 256;

/// Those that suit the device's registers, best guess first; never empty.
std::vector<GemmConfig> gemm_candidates(const Facts& facts, bool is_double);

/// Compiler options for kernels/gemm.cl.
std::string gemm_options(const GemmConfig& config, const GemmTypes& types, const Facts& facts);

/// True where A is better read where it lies, if its rows are contiguous, than packed: on a CPU, whose caches
/// hold a few rows of it, without a format to decode, and with few enough rows that their addresses fit the
/// registers.
bool reads_a_in_place(const GemmConfig& config, const GemmTypes& types, const Facts& facts);

/// K cut into equal pieces of at most config.depth, multiples of 16 but for the last: the depth of a piece.
std::int64_t piece_depth(std::int64_t k, int most);

/// Panels of `lanes` that hold `count` rows or columns.
std::int64_t panels_of(std::int64_t count, int lanes);

/// Elements of C that tiles compute for each one that there is, at least 1.
double padding(const GemmConfig& config, std::int64_t m, std::int64_t n);

/// `count` rounded up to a multiple of `multiple`.
std::int64_t round_up(std::int64_t count, std::int64_t multiple);

/// Matrices of a batch that are packed at once, at least 1, so that the packed ones stay below `limit_bytes`.
std::int64_t batch_at_once(std::int64_t batch, double bytes_each, double limit_bytes);

}  // namespace jissoku::backends::opencl
