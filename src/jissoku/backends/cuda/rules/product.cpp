#include "jissoku/backends/cuda/rules/product.hpp"

#include <algorithm>

namespace jissoku::backends::cuda {
namespace {

using numerics::DataType;

/// Rows of ours are columns there.
Layout by_columns(const device::TensorView& view) {
  const std::int64_t offset_bytes = view.offset_elements * numerics::storage_bits(view.type) / 8;
  return {view.type,
          view.columns,
          view.rows,
          view.leading_dimension,
          view.batch > 1 ? view.batch_stride : 0,
          alignment_of(static_cast<std::uintptr_t>(offset_bytes))};
}

Compute compute_of(DataType type) {
  switch (type) {
    case DataType::f64:
      return Compute::f64;
    case DataType::tf32:
      return Compute::fast_tf32;
    default:
      return Compute::f32;
  }
}

}  // namespace

int alignment_of(std::uintptr_t address) {
  constexpr std::uintptr_t kMost = 256;
  const std::uintptr_t lowest_bit = address & (~address + 1);
  return static_cast<int>(lowest_bit == 0 ? kMost : std::min(lowest_bit, kMost));
}

Product product_of(const device::Gemm& gemm) {
  Product product;
  product.first = by_columns(gemm.b);
  product.second = by_columns(gemm.a);
  product.result = by_columns(gemm.c);
  product.transpose_first = gemm.transpose_b;
  product.transpose_second = gemm.transpose_a;
  product.compute = compute_of(gemm.a.type);
  product.adds = gemm.beta != 0;
  product.batch = gemm.c.batch;
  return product;
}

std::int64_t span_bytes(const Layout& layout, std::int64_t batch) {
  const std::int64_t elements =
      (batch - 1) * layout.batch_stride + (layout.columns - 1) * layout.leading_dimension + layout.rows;
  return elements * numerics::storage_bits(layout.type) / 8;
}

std::int64_t workspace_bytes(int compute_capability_major) {
  constexpr std::int64_t kMebibyte = 1 << 20;
  return compute_capability_major >= 9 ? 32 * kMebibyte : 4 * kMebibyte;
}

int timed_launches(double first_launch_ns) {
  constexpr double kLongNs = 20e6;  // long against anything that disturbs one launch
  constexpr double kShortNs = 1e6;
  if (first_launch_ns >= kLongNs) {
    return 1;
  }
  return first_launch_ns >= kShortNs ? 3 : 10;
}

}  // namespace jissoku::backends::cuda
