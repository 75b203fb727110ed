// Tile kernels for AVX2 and AVX-512, written as machine code when first asked for. A generator, because
// compilers spoil this loop (g++ 12 spills sums or reloads b), and because every edge then gets a kernel
// of its own shape instead of a mask over a larger one.
#pragma once

#include <memory>

#include "jissoku/backends/cpu/gemm/tile.hpp"
#include "jissoku/backends/cpu/isa.hpp"

namespace jissoku::backends::cpu::gemm {

/// Null if `isa` is the baseline, on other architectures than x86-64, and where the system refuses memory
/// that can be executed.
template <typename T>
std::unique_ptr<TileSource<T>> make_generated_tiles(Isa isa);

}  // namespace jissoku::backends::cpu::gemm
