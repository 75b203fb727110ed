// The blocked product on one thread, and the memory it needs.
#pragma once

#include <cstdlib>
#include <memory>

#include "jissoku/backends/cpu/gemm/matrix.hpp"
#include "jissoku/backends/cpu/gemm/plan.hpp"
#include "jissoku/backends/cpu/gemm/tile.hpp"

namespace jissoku::backends::cpu::gemm {

/// Uninitialised memory on a page's border, in huge pages if it is large; they are touched by the thread that
/// uses them.
template <typename T>
class Scratch {
 public:
  /// False if there is no memory. Keeps what it has if that is enough.
  bool reserve(std::int64_t elements);
  T* data() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<T, Free> memory_;
  std::int64_t elements_ = 0;
};

/// One thread's: a block of b, a strip of a, and some strips of a coded a that lies transposed.
template <typename T>
struct Workspace {
  Scratch<T> b_block, a_strip, a_group;
};

/// Multiplies with the kernels of a source, which must outlive it.
template <typename T>
class Multiplier {
 public:
  Multiplier(TileSource<T>& tiles, const Caches& caches);

  int lanes() const { return lanes_; }

  /// Threads may do this at the same time, each with its own workspace. False if there is no memory.
  bool multiply(const Problem<T>& problem, Workspace<T>& workspace) const;

 private:
  struct Block;
  bool reserve(const Problem<T>& problem, Workspace<T>& workspace) const;
  bool multiply_block(const Block& block, const Workspace<T>& workspace) const;
  bool multiply_strip(const Block& block, TileCall<T> call, Range rows, bool packed, T* b_block) const;
  void pack_block(const Block& block, T* to) const;
  void take_strip(const Block& block,
                  std::int64_t strip,
                  const Workspace<T>& workspace,
                  TileCall<T>& call) const;

  TileSource<T>& tiles_;
  const int lanes_, max_columns_;
  const gemm::Block largest_;
};

}  // namespace jissoku::backends::cpu::gemm
