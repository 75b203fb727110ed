// An engine is one way the CPU multiplies matrices: a library found at run time, or code of ours.
#pragma once

#include <cstdint>

#include "jissoku/core/result.hpp"
#include "jissoku/device/device.hpp"
#include "jissoku/numerics/data_type.hpp"

namespace jissoku::backends::cpu {

/// How an operand is stored: codes of `type`, and scales for blocks of a stored row, row by row without gaps.
struct OperandFormat {
  numerics::DataType type = numerics::DataType::f32;
  const void* scales = nullptr;
  numerics::DataType scale_type = numerics::DataType::e8m0;
  std::int64_t scale_block = 0;  ///< elements; 0: no scales
};

/// c = alpha op(a) op(b) + beta c in host memory, row-major, without batches; c is m x n. c and the
/// accumulator have `type`. With beta = 0, c is not read.
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
  OperandFormat a_format = {}, b_format = {};

  /// All of one type, no scales: what libraries multiply.
  bool uniform() const {
    return a_format.type == type && b_format.type == type && a_format.scale_block == 0 &&
           b_format.scale_block == 0;
  }
};

/// Sums of 32 bits hold every product of 8-bit integers of that depth: k 2^14 < 2^31.
inline constexpr std::int64_t kDeepestIntegers = (std::int64_t{1} << 17) - 1;

class Engine {
 public:
  virtual ~Engine() = default;
  virtual const device::Variant& variant() const = 0;
  /// Looks at types, dimensions and scalars only.
  virtual device::Support supports(const Product& product) const = 0;
  /// Blocks until the product is done. Precondition: supports(product).ok.
  virtual core::Status multiply(const Product& product) = 0;
};

}  // namespace jissoku::backends::cpu
