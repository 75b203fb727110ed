#include "jissoku/backends/cpu/gemm/plan.hpp"

namespace jissoku::backends::cpu::gemm {
namespace {

std::int64_t ceil_div(std::int64_t count, std::int64_t by) {
  return (count + by - 1) / by;
}

/// Cycles that the slowest thread takes; the weights are measured (docs/gemm.md) and rough.
double cost(const Size& size, const Grid& grid, int lanes) {
  constexpr double kPerA = 0.25, kPerB = 0.5;  // each element's way through the caches to where it is used
  constexpr double kPerC = 0.5;                // each element of c that threads along k have to add up
  constexpr double kStart = 4000;              // waking the others and waiting for them
  const auto m = static_cast<double>(ceil_div(size.m, grid.rows));
  const auto n = static_cast<double>(ceil_div(ceil_div(size.n, lanes), grid.columns) * lanes);
  const auto k = static_cast<double>(ceil_div(size.k, grid.depths));
  double cycles = m * n * k / (2 * lanes) + m * k * kPerA + n * k * kPerB;
  if (grid.depths > 1) {
    cycles += m * n * kPerC * grid.depths + kStart;
  }
  return cycles + (grid.threads() > 1 ? kStart : 0);
}

}  // namespace

Pieces::Pieces(std::int64_t count, std::int64_t most, std::int64_t grain) : total_(count), grain_(grain) {
  const std::int64_t grains = ceil_div(count, grain);
  pieces_ = std::max<std::int64_t>(1, ceil_div(grains, std::max<std::int64_t>(1, most / grain)));
  base_ = grains / pieces_;
  extra_ = grains % pieces_;
}

Pieces Pieces::into(std::int64_t pieces, std::int64_t count, std::int64_t grain) {
  return {count, ceil_div(ceil_div(count, grain), pieces) * grain, grain};
}

Block largest_block(const Caches& caches, int element_bytes, int rows, int columns) {
  constexpr std::int64_t kDepthGrain = 32;
  Block block;
  // A quarter of the first level for the strip of a: what streams past it (b, c) evicts little of it then.
  block.depth = caches.l1_bytes / 4 / (std::int64_t{rows} * element_bytes) / kDepthGrain * kDepthGrain;
  block.depth = std::max(block.depth, kDepthGrain);
  // Three fifths of the second level for b: a and c pass through it too.
  block.columns = caches.l2_bytes * 3 / 5 / (block.depth * element_bytes) / columns * columns;
  block.columns = std::max<std::int64_t>(block.columns, columns);
  return block;
}

Grid choose_grid(const Size& size, int threads, int lanes) {
  Grid best;
  double least = cost(size, best, lanes);
  for (int depths = 1; depths <= threads && depths <= size.k; ++depths) {
    for (int columns = 1; depths * columns <= threads && columns <= ceil_div(size.n, lanes); ++columns) {
      Grid grid{1, columns, depths};
      grid.rows = static_cast<int>(std::min<std::int64_t>(threads / (depths * columns), size.m));
      if (const double cycles = cost(size, grid, lanes); cycles < least) {
        least = cycles;
        best = grid;
      }
    }
  }
  return best;
}

}  // namespace jissoku::backends::cpu::gemm
