// How a tensor's elements are dealt out to the team.
#pragma once

#include <cstdint>

#include "jissoku/backends/cpu/thread_team.hpp"
#include "jissoku/device/device.hpp"

namespace jissoku::backends::cpu {

/// Borders between threads within a row: no two write to one cache line of 64 bytes (of an aligned row).
inline constexpr std::int64_t kCacheLineElements = 64;

/// First element of a row. Precondition: the host addresses the buffer.
template <typename T>
T* row_of(const device::TensorView& view, std::int64_t batch, std::int64_t row) {
  return reinterpret_cast<T*>(view.buffer->host_data()) + view.offset_elements + batch * view.batch_stride +
         row * view.leading_dimension;
}

/// Calls part(batch, row, first, last) so that each element of `shape` belongs to one call. Long rows
/// are divided among the threads, short ones dealt out whole.
template <typename Part>
void for_each_part(ThreadTeam& team, const device::TensorView& shape, const Part& part) {
  const std::int64_t rows = shape.batch * shape.rows;
  if (rows >= team.size()) {
    team.run_ranges(rows, 1, [&](int, std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first; row < last; ++row) {
        part(row / shape.rows, row % shape.rows, std::int64_t{0}, shape.columns);
      }
    });
    return;
  }
  team.run_ranges(shape.columns, kCacheLineElements, [&](int, std::int64_t first, std::int64_t last) {
    for (std::int64_t row = 0; row < rows; ++row) {
      part(row / shape.rows, row % shape.rows, first, last);
    }
  });
}

}  // namespace jissoku::backends::cpu
