// How a product is cut up: pure arithmetic on shapes and cache sizes.
#pragma once

#include <algorithm>
#include <cstdint>

namespace jissoku::backends::cpu::gemm {

/// Of one core. What is not known has the size that most cores reach.
struct Caches {
  std::int64_t l1_bytes = 32768;
  std::int64_t l2_bytes = 262144;
};

struct Range {
  std::int64_t first = 0, last = 0;
  std::int64_t size() const { return last - first; }
};

/// `count` things in equal pieces of at most `most`, each but the last a multiple of `grain`. Equal,
/// because a thin last piece costs more than it computes.
class Pieces {
 public:
  Pieces(std::int64_t count, std::int64_t most, std::int64_t grain = 1);
  /// As large as at most that many pieces of the whole ask for.
  static Pieces into(std::int64_t pieces, std::int64_t count, std::int64_t grain = 1);
  std::int64_t count() const { return pieces_; }
  Range operator[](std::int64_t index) const {
    return {std::min(total_, at(index)), std::min(total_, at(index + 1))};
  }
  std::int64_t largest() const { return (base_ + (extra_ > 0 ? 1 : 0)) * grain_; }

 private:
  std::int64_t at(std::int64_t index) const { return (index * base_ + std::min(index, extra_)) * grain_; }

  std::int64_t total_, grain_, pieces_, base_, extra_;
};

/// The block of b that stays in the second-level cache while a strip of rows of a, which stays in the
/// first, is multiplied with it.
struct Block {
  std::int64_t depth = 1, columns = 1;  ///< at most
};

/// `rows` and `columns` are the largest tile's. See docs/gemm.md for the model.
Block largest_block(const Caches& caches, int element_bytes, int rows, int columns);

/// Threads as a box over m, n and k. Those along k add up their parts afterwards.
struct Grid {
  int rows = 1, columns = 1, depths = 1;
  int threads() const { return rows * columns * depths; }
};

struct Size {
  std::int64_t m = 0, n = 0, k = 0;
};

/// The grid of at most `threads` threads that should be done first, by a cost model in clock cycles.
/// `lanes` are of one vector. Ties go to fewer threads. Takes time in the order of `threads`.
Grid choose_grid(const Size& size, int threads, int lanes);

}  // namespace jissoku::backends::cpu::gemm
