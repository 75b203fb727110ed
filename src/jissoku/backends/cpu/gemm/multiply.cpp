#include "jissoku/backends/cpu/gemm/multiply.hpp"

#include <sys/mman.h>

#include "jissoku/backends/cpu/gemm/pack.hpp"

namespace jissoku::backends::cpu::gemm {
namespace {

/// Strips that make it worth to copy b as the first one reads it.
constexpr std::int64_t kCopyFromStrips = 4;
/// Where a block fills half of the second-level cache, small pages at random places evict each other:
/// products of one size differed by 1 to 5 % from one start of the program to the next.
constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

template <typename T>
bool Scratch<T>::reserve(std::int64_t elements) {
  if (elements > elements_) {
    const auto round_up = [](std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; };
    const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(T);
    const std::size_t alignment = bytes >= kHugePage / 4 ? kHugePage : 4096;
    memory_.reset(static_cast<T*>(std::aligned_alloc(alignment, round_up(bytes, alignment))));
    elements_ = memory_ ? elements : 0;
    if (memory_ && alignment == kHugePage) {
      madvise(memory_.get(), round_up(bytes, alignment), MADV_HUGEPAGE);  // a hint: may be refused
    }
  }
  return memory_ != nullptr;
}

/// One block of b and what is multiplied with it.
template <typename T>
struct Multiplier<T>::Block {
  Strided<T> a, b;
  T* c;
  std::int64_t ldc;
  std::int64_t depth;
  Pieces panels, strips;
  T alpha, beta;
};

template <typename T>
Multiplier<T>::Multiplier(TileSource<T>& tiles, const Caches& caches)
    : tiles_(tiles),
      lanes_(tiles.lanes()),
      max_columns_(lanes_ * tiles.max_vectors()),
      largest_(largest_block(caches, sizeof(T), tiles.max_rows(tiles.max_vectors()), max_columns_)) {}

template <typename T>
bool Multiplier<T>::multiply(const Problem<T>& problem, Workspace<T>& workspace) const {
  const Pieces depths(problem.k, largest_.depth, 4);
  const Pieces blocks(problem.n, largest_.columns, max_columns_);
  if (!workspace.b_block.reserve(depths.largest() * blocks.largest()) ||
      !workspace.a_strip.reserve(depths.largest() * tiles_.max_rows(1))) {
    return false;
  }
  for (std::int64_t d = 0; d < depths.count(); ++d) {
    const Range depth = depths[d];
    for (std::int64_t j = 0; j < blocks.count(); ++j) {
      const Range columns = blocks[j];
      const Pieces panels(columns.size(), max_columns_, lanes_);
      const int rows = tiles_.max_rows(static_cast<int>(panels.largest() / lanes_));
      const Block block{problem.a.from(0, depth.first),
                        problem.b.from(depth.first, columns.first),
                        problem.c + columns.first,
                        problem.ldc,
                        depth.size(),
                        panels,
                        Pieces(problem.m, rows),
                        problem.alpha,
                        d == 0 ? problem.beta : T(1)};
      if (!multiply_block(block, workspace)) {
        return false;
      }
    }
  }
  return true;
}

template <typename T>
void Multiplier<T>::pack_block(const Block& block, T* to) const {
  for (std::int64_t j = 0; j < block.panels.count(); ++j) {
    const Range columns = block.panels[j];
    const std::int64_t width = (columns.size() + lanes_ - 1) / lanes_ * lanes_;
    pack_panel(
        block.b.from(0, columns.first), columns.size(), block.depth, width, to + columns.first * block.depth);
  }
}

template <typename T>
bool Multiplier<T>::multiply_block(const Block& block, const Workspace<T>& workspace) const {
  const bool b_turned = block.b.column_stride != 1 && block.b.row_stride == 1;
  const bool a_turned = block.a.column_stride != 1 && block.a.row_stride == 1;
  if (b_turned) {
    pack_block(block, workspace.b_block.data());
  }
  const bool copies = !b_turned && block.strips.count() >= kCopyFromStrips &&
                      block.strips.largest() <= tiles_.max_copying_rows();
  constexpr std::int64_t kBytes = sizeof(T);
  TileCall<T> call;
  call.depth = block.depth;
  call.alpha = block.alpha;
  call.beta = block.beta;
  call.c_row = block.ldc * kBytes;
  for (std::int64_t i = 0; i < block.strips.count(); ++i) {
    const Range rows = block.strips[i];
    call.a = block.a.at(rows.first, 0);
    call.a_row = block.a.row_stride * kBytes;
    call.a_step = block.a.column_stride * kBytes;
    if (a_turned) {
      pack_strip(block.a.from(rows.first, 0), rows.size(), block.depth, workspace.a_strip.data());
      call.a = workspace.a_strip.data();
      call.a_step = rows.size() * kBytes;
    }
    const bool copying = copies && i == 0;
    const bool packed = b_turned || (copies && i > 0);
    for (std::int64_t j = 0; j < block.panels.count(); ++j) {
      const Range columns = block.panels[j];
      const std::int64_t vectors = (columns.size() + lanes_ - 1) / lanes_;
      T* const panel = workspace.b_block.data() + columns.first * block.depth;
      call.b = packed ? panel : block.b.at(0, columns.first);
      call.b_step = (packed ? vectors * lanes_ : block.b.row_stride) * kBytes;
      call.b_copy = copying ? panel : nullptr;
      call.c = block.c + rows.first * block.ldc + columns.first;
      call.last_lanes = columns.size() - (vectors - 1) * lanes_;
      const bool partial = call.last_lanes < lanes_;
      call.last_lanes = partial ? call.last_lanes : 0;
      const Tile<T> tile =
          tiles_.tile({static_cast<int>(rows.size()), static_cast<int>(vectors), partial, copying});
      if (tile == nullptr) {
        return false;
      }
      tile(call);
    }
  }
  return true;
}

template class Scratch<float>;
template class Scratch<double>;
template class Multiplier<float>;
template class Multiplier<double>;

}  // namespace jissoku::backends::cpu::gemm
