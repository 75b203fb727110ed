// An engine is one way the CPU multiplies matrices: a library found at run time, or code of ours.
#pragma once

#include <cstdint>

#include "jissoku/core/result.hpp"
#include "jissoku/device/device.hpp"
#include "jissoku/numerics/data_type.hpp"

namespace jissoku::backends::cpu {

/// c = alpha op(a) op(b) + beta c in host memory, row-major, without batches; c is m x n. All three
/// and the accumulator have `type`. With beta = 0, c is not read.
struct Product {
  numerics::DataType type = numerics::DataType::f32;
  bool transpose_a = false, transpose_b = false;
  std::int64_t m = 0, n = 0, k = 0;  ///< all at least 1
  double alpha = 1, beta = 0;
  const void* a = nullptr;
  std::int64_t lda = 0;  ///< elements between the stored rows
  const void* b = nullptr;
  std::int64_t ldb = 0;
  void* c = nullptr;
  std::int64_t ldc = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual const device::Variant& variant() const = 0;
  /// Looks at type and dimensions only.
  virtual device::Support supports(const Product& product) const = 0;
  /// Blocks until the product is done. Precondition: supports(product).ok.
  virtual core::Status multiply(const Product& product) = 0;
};

}  // namespace jissoku::backends::cpu
