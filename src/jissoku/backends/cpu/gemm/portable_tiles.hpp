// Tiles compiled with the program: for CPUs without AVX2, other architectures, and where the system refuses
// generated code.
#pragma once

#include <memory>

#include "jissoku/backends/cpu/gemm/tile.hpp"
#include "jissoku/backends/cpu/kernels.hpp"

namespace jissoku::backends::cpu::gemm {

template <typename T>
std::unique_ptr<TileSource<T>> make_portable_tiles(const PortableTiles<T>& tiles);

/// Of words of pairs (Dot::pairs).
std::unique_ptr<TileSource<std::int32_t>> make_portable_integer_tiles();

}  // namespace jissoku::backends::cpu::gemm
