// One tile of c: what a tile kernel is told, and where kernels come from.
#pragma once

#include <cstdint>

namespace jissoku::backends::cpu::gemm {

/// c = alpha * (a b) + beta * c for one tile. `a` is rows x depth with any two strides, so that a matrix
/// is read where it lies, transposed or not; `b` is depth x columns with contiguous rows. With beta = 0,
/// c is not read. Strides in bytes.
/// For T = int32, elements of a and b are words of neighbours along the depth, whose products are added up
/// (see coded.hpp); b is packed, a further row behind it is what the sums start from, alpha is 1, beta 0
/// or 1. Nothing outside the three is read or written (but may be prefetched).
template <typename T>
struct TileCall {
  std::int64_t depth = 0;  ///< at least 1
  const T* a = nullptr;
  std::int64_t a_row = 0, a_step = 0;  ///< to the next row, to the next step of the depth
  const T* b = nullptr;
  std::int64_t b_step = 0;
  T* c = nullptr;
  std::int64_t c_row = 0;
  T* b_copy = nullptr;          ///< where a copying kernel puts the vectors of b it has read; else null
  std::int64_t last_lanes = 0;  ///< columns in the last vector if the form is partial; else 0
  T alpha = 1, beta = 0;
};

template <typename T>
using Tile = void (*)(const TileCall<T>&);

struct TileForm {
  int rows = 1;
  int vectors = 1;       ///< columns = vectors * lanes, fewer if partial
  bool partial = false;  ///< the last vector is not full: nothing beyond it is touched
  bool copies = false;   ///< also writes b to b_copy, zeros in the lanes that do not exist
};

/// Kernels of one type for one instruction set.
template <typename T>
class TileSource {
 public:
  virtual ~TileSource() = default;
  virtual int lanes() const = 0;        ///< of a vector
  virtual int max_vectors() const = 0;  ///< in a row of a tile
  /// Of a tile of that many vectors, at least 1: as many sums as the registers hold.
  virtual int max_rows(int vectors) const = 0;
  /// Copying kernels are for at most this many rows.
  virtual int max_copying_rows() const = 0;
  /// Any thread may ask. `form` is within the limits. Null if the kernel has to be built and there is no
  /// memory for it.
  virtual Tile<T> tile(const TileForm& form) = 0;
};

}  // namespace jissoku::backends::cpu::gemm
