// How cuBLASLt is asked for a product of ours. It counts matrices by columns; a row-major matrix read by
// columns is its transpose, and C^T = op(B)^T op(A)^T. So the operands swap places and nothing moves.
#pragma once

#include <compare>
#include <cstdint>

#include "jissoku/device/operation.hpp"

namespace jissoku::backends::cuda {

/// A matrix as cublasLtMatrixLayoutCreate takes it, by columns.
struct Layout {
  numerics::DataType type = numerics::DataType::f32;
  std::int64_t rows = 0, columns = 0, leading_dimension = 0;
  std::int64_t batch_stride = 0;  ///< elements
  int alignment_bytes = 256;      ///< of its first element in memory, at most 256

  auto operator<=>(const Layout&) const = default;  // NOLINT(modernize-use-nullptr): version 14 errs
};

enum class Compute { f32, fast_tf32, f64 };

/// What determines the kernel: equal products may share a choice of algorithm.
struct Product {
  Layout first, second, result;  ///< result = op(first) op(second); `first` is our B
  bool transpose_first = false, transpose_second = false;
  Compute compute = Compute::f32;
  bool adds = false;  ///< beta != 0: C is read
  std::int64_t batch = 1;

  auto operator<=>(const Product&) const = default;  // NOLINT(modernize-use-nullptr): version 14 errs
};

/// The largest power of two, up to 256, that divides the address.
int alignment_of(std::uintptr_t address);

/// Precondition: the rules of support.hpp allow the product. Alignments are those of each matrix's first
/// element in a buffer whose own address is a multiple of 256.
Product product_of(const device::Gemm& gemm);

/// Bytes that a result of this layout spans: from its first element to just past its last one.
std::int64_t span_bytes(const Layout& layout, std::int64_t batch);

/// Workspace that cuBLASLt needs to choose freely (Transformer Engine's values): 32 MiB from compute
/// capability 9.0 on, 4 MiB below. A smaller one silently rules kernels out.
std::int64_t workspace_bytes(int compute_capability_major);

/// How often a candidate is launched under the clock after a first launch that took so long.
int timed_launches(double first_launch_ns);

/// All candidates of one product together are tried no longer than about this.
inline constexpr double kTrialBudgetNs = 2e9;

}  // namespace jissoku::backends::cuda
