#include "jissoku/backends/cpu/gemm/multiply.hpp"

#include <sys/mman.h>
#include <type_traits>

#include "jissoku/backends/cpu/gemm/coded.hpp"
#include "jissoku/backends/cpu/gemm/pack.hpp"

namespace jissoku::backends::cpu::gemm {
namespace {

/// Strips that make it worth to copy b as the first one reads it.
constexpr std::int64_t kCopyFromStrips = 4;
/// Where a block fills half of the second-level cache, small pages at random places evict each other:
/// products of one size differed by 1 to 5 % from one start of the program to the next.
constexpr std::size_t kHugePage = std::size_t{2} << 20;
/// Rows of a coded a that lies transposed are unpacked at a time: as many as are worth a call per step.
constexpr std::int64_t kGroupRows = 48;
/// Panels of integers end with what their sums start from.
template <typename T>
constexpr std::int64_t kStartRows = std::is_same_v<T, std::int32_t> ? 1 : 0;

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
  Operand<T> a, b;
  T* c;
  std::int64_t ldc;
  std::int64_t depth;
  Pieces panels, strips;
  T alpha, beta;

  static bool turned(const Strided<T>& matrix) { return matrix.column_stride != 1 && matrix.row_stride == 1; }
  /// b is packed before the first strip, not by it.
  bool b_packed() const { return b.coded != nullptr || turned(b.plain); }
  T* panel(T* b_block, std::int64_t column) const { return b_block + column * (depth + kStartRows<T>); }
};

template <typename T>
Multiplier<T>::Multiplier(TileSource<T>& tiles, const Caches& caches)
    : tiles_(tiles),
      lanes_(tiles.lanes()),
      max_columns_(lanes_ * tiles.max_vectors()),
      largest_(largest_block(caches, sizeof(T), tiles.max_rows(tiles.max_vectors()), max_columns_)) {}

template <typename T>
bool Multiplier<T>::reserve(const Problem<T>& problem, Workspace<T>& workspace) const {
  const std::int64_t depth = Pieces(problem.k, largest_.depth, 4).largest();
  const std::int64_t columns = Pieces(problem.n, largest_.columns, max_columns_).largest();
  const bool grouped = problem.a.coded != nullptr && problem.a.coded->transposed;
  return workspace.b_block.reserve((depth + kStartRows<T>)*columns) &&
         workspace.a_strip.reserve(depth * tiles_.max_rows(1)) &&
         (!grouped || workspace.a_group.reserve(depth * kGroupRows));
}

template <typename T>
bool Multiplier<T>::multiply(const Problem<T>& problem, Workspace<T>& workspace) const {
  if (!reserve(problem, workspace)) {
    return false;
  }
  const Pieces depths(problem.k, largest_.depth, 4);
  const Pieces blocks(problem.n, largest_.columns, max_columns_);
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
    const Operand<T> b = block.b.from(0, columns.first);
    T* const panel = block.panel(to, columns.first);
    if constexpr (!std::is_same_v<T, double>) {
      if (b.coded != nullptr) {
        unpack_panel(b, columns.size(), block.depth, width, panel);
        continue;
      }
    }
    pack_panel(b.plain, columns.size(), block.depth, width, panel);
  }
}

/// Where the kernels read a strip of a: where it lies, or packed.
template <typename T>
void Multiplier<T>::take_strip(const Block& block,
                               std::int64_t strip,
                               const Workspace<T>& workspace,
                               TileCall<T>& call) const {
  constexpr std::int64_t kBytes = sizeof(T);
  const Range rows = block.strips[strip];
  T* const packed = workspace.a_strip.data();
  Strided<T> a = block.a.plain.from(rows.first, 0);
  if constexpr (!std::is_same_v<T, double>) {
    if (block.a.coded != nullptr && !block.a.coded->transposed) {
      unpack_rows(block.a.from(rows.first, 0), rows.size(), block.depth, packed);
      a = {packed, block.depth, 1};
    } else if (block.a.coded != nullptr) {
      const std::int64_t in_group = std::max<std::int64_t>(1, kGroupRows / block.strips.largest());
      const std::int64_t first = block.strips[strip / in_group * in_group].first;
      const std::int64_t group = std::min(kGroupRows, block.strips[block.strips.count() - 1].last - first);
      if (strip % in_group == 0) {
        unpack_turned(block.a.from(first, 0), group, block.depth, workspace.a_group.data());
      }
      a = {workspace.a_group.data() + (rows.first - first), 1, group};
    }
  }
  call.a = a.data;
  call.a_row = a.row_stride * kBytes;
  call.a_step = a.column_stride * kBytes;
  if (Block::turned(a)) {
    pack_strip(a, rows.size(), block.depth, packed);
    call.a = packed;
    call.a_step = rows.size() * kBytes;
  }
}

template <typename T>
bool Multiplier<T>::multiply_block(const Block& block, const Workspace<T>& workspace) const {
  T* const b_block = workspace.b_block.data();
  if (block.b_packed()) {
    pack_block(block, b_block);
  }
  const bool copies = !block.b_packed() && block.strips.count() >= kCopyFromStrips &&
                      block.strips.largest() <= tiles_.max_copying_rows();
  TileCall<T> call;
  call.depth = block.depth;
  call.alpha = block.alpha;
  call.beta = block.beta;
  call.c_row = block.ldc * static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t i = 0; i < block.strips.count(); ++i) {
    take_strip(block, i, workspace, call);
    call.b_copy = copies && i == 0 ? b_block : nullptr;
    const bool packed = block.b_packed() || (copies && i > 0);
    if (!multiply_strip(block, call, block.strips[i], packed, b_block)) {
      return false;
    }
  }
  return true;
}

/// `call` says all but b, the columns of c, and where in the block a copy goes.
template <typename T>
bool Multiplier<T>::multiply_strip(
    const Block& block, TileCall<T> call, Range rows, bool packed, T* b_block) const {
  constexpr std::int64_t kBytes = sizeof(T);
  const bool copying = call.b_copy != nullptr;
  for (std::int64_t j = 0; j < block.panels.count(); ++j) {
    const Range columns = block.panels[j];
    const std::int64_t vectors = (columns.size() + lanes_ - 1) / lanes_;
    T* const panel = block.panel(b_block, columns.first);
    call.b = packed ? panel : block.b.plain.at(0, columns.first);
    call.b_step = (packed ? vectors * lanes_ : block.b.plain.row_stride) * kBytes;
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
  return true;
}

template class Scratch<float>;
template class Scratch<double>;
template class Scratch<std::int32_t>;
template class Multiplier<float>;
template class Multiplier<double>;
template class Multiplier<std::int32_t>;

}  // namespace jissoku::backends::cpu::gemm
