// Copying into the order in which the tile kernels read. Only transposed matrices need it: others are read
// where they lie, b being copied by the kernels of the first strip. Smaller formats are unpacked by
// coded.hpp.
#pragma once

#include "jissoku/backends/cpu/gemm/matrix.hpp"

namespace jissoku::backends::cpu::gemm {

/// A strip of `rows` rows of a, `depth` deep, into to[step * rows + row]. Precondition: a.row_stride == 1.
template <typename T>
void pack_strip(const Strided<T>& a, std::int64_t rows, std::int64_t depth, T* to);

/// A panel of `columns` columns of b, `depth` deep, into to[step * width + column], zeros in the columns
/// up to `width`. Precondition: b.row_stride == 1.
template <typename T>
void pack_panel(const Strided<T>& b, std::int64_t columns, std::int64_t depth, std::int64_t width, T* to);

}  // namespace jissoku::backends::cpu::gemm
