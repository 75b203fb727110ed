// Tile kernels for AVX2 and AVX-512, written as machine code when first asked for. A generator, because
// compilers spoil this loop (g++ 12 spills sums or reloads b), and because every edge then gets a kernel
// of its own shape instead of a mask over a larger one.
#pragma once

#include <memory>

#include "jissoku/backends/cpu/gemm/coded.hpp"
#include "jissoku/backends/cpu/gemm/tile.hpp"
#include "jissoku/backends/cpu/isa.hpp"

namespace jissoku::backends::cpu::gemm {

struct TileTarget {
  Isa isa = Isa::baseline;
  Dot dot = Dot::pairs;  ///< of int32 tiles
  bool vex_dot = false;  ///< quads by AVX-VNNI's encoding instead of AVX512-VNNI's
};

/// How this CPU multiplies integers exactly: quads where it has VNNI for vectors of `isa`, else pairs.
TileTarget integer_target(Isa isa);

/// Null if `isa` is the baseline, on other architectures than x86-64, and where the system refuses memory
/// that can be executed.
template <typename T>
std::unique_ptr<TileSource<T>> make_generated_tiles(const TileTarget& target);

}  // namespace jissoku::backends::cpu::gemm
