// Operations: plain structs in one variant. What a device is asked to do is data, so that an
// experiment is written once and a device that lacks an operation can say so.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "jissoku/numerics/data_type.hpp"
#include "jissoku/numerics/random.hpp"

namespace jissoku::device {

class Buffer;

/// A row-major matrix (or a batch of them) inside a buffer. Does not own the buffer.
/// Sub-byte types are packed low bits first (low nibble = even element); rows start on a byte.
struct TensorView {
  Buffer* buffer = nullptr;
  std::int64_t offset_elements = 0;
  numerics::DataType type = numerics::DataType::f32;
  std::int64_t rows = 0, columns = 0;
  std::int64_t leading_dimension = 0;  ///< elements between rows, >= columns
  std::int64_t batch = 1, batch_stride = 0;
  Buffer* scales = nullptr;  ///< block scales, or nullptr
  numerics::DataType scale_type = numerics::DataType::e8m0;
  int scale_block = 0;  ///< elements along a row that share a scale
};

/// Seeded test data, or the poison pattern that shows unwritten elements.
struct Fill {
  TensorView out;
  numerics::Data data = numerics::Data::normal;
  std::uint64_t seed = 0;
  int magnitude = 1;    ///< for Data::ints
  bool poison = false;  ///< overrides data: a NaN with a recognisable payload
};
/// out = in, rounded to nearest even.
struct Cast {
  TensorView in, out;
};
/// out, out.scales = block quantisation of in.
struct Quantise {
  TensorView in, out;
  std::string recipe;  ///< "mx_floor", "mx_rceil", "nvfp4", "int8_tensor", "int8_row"
};
/// c = alpha op(a) op(b) + beta c, batched. With beta = 0, c is not read (NaN in it must not spread).
struct Gemm {
  TensorView a, b, c;
  bool transpose_a = false, transpose_b = false;
  double alpha = 1, beta = 0;
  numerics::DataType accumulator = numerics::DataType::f32;
  std::string variant;  ///< one of Device::variants(); empty = the device's default
};
enum class Activation { none, relu };
/// out = activation(in + bias), bias is 1 x columns. The sum is rounded to the format. relu(x) is 0 where x <
/// 0, else x: a NaN passes, as in PyTorch, and -0 stays -0. `out` may be the same view as `in`.
struct BiasActivation {
  TensorView in, bias, out;
  Activation activation = Activation::relu;
};
/// grad_in = grad_out where the activation passed; grad_bias = column sums of grad_in.
struct BiasActivationGradient {
  TensorView out, grad_out, grad_in, grad_bias;
  Activation activation = Activation::relu;
};
/// tensor *= factor.
struct Scale {
  TensorView tensor;
  double factor = 1;
};
/// Row-wise softmax.
struct Softmax {
  TensorView in, out;
};
enum class Reduction { sum, amax, non_finite_count };
/// out is 1 x 1.
struct Reduce {
  TensorView in, out;
  Reduction reduction = Reduction::sum;
};
/// Mean squared error over all elements: value is 1 x 1, gradient = scale * d(value)/d(prediction).
struct MseLoss {
  TensorView prediction, target, value, gradient;
  double scale = 1;
};
/// SGD with momentum: momentum = factor * momentum + gradient; weights -= rate * momentum.
struct SgdStep {
  TensorView weights, momentum, gradient;
  double rate = 0, momentum_factor = 0;
};
/// Ceiling probe: register-only multiply-adds on every thread or unit, `flops` in total. A device
/// rounds up to its unrolled loop; the excess is below 1e-6 of the total from 1e9 on.
struct FmaPeak {
  numerics::DataType type = numerics::DataType::f32;
  double flops = 0;
  std::string variant;  ///< instruction set, one of Device::variants(); empty = the widest
};
/// Ceiling probe: a = b + scalar * c over three buffers of `elements` doubles (STREAM's triad;
/// 24 bytes counted per element, write-allocate not counted).
struct MemoryTriad {
  TensorView a, b, c;
};

using Operation = std::variant<Fill,
                               Cast,
                               Quantise,
                               Gemm,
                               BiasActivation,
                               BiasActivationGradient,
                               Scale,
                               Softmax,
                               Reduce,
                               MseLoss,
                               SgdStep,
                               FmaPeak,
                               MemoryTriad>;

/// "gemm": for reasons and recorders.
std::string to_string(const Operation& operation);

}  // namespace jissoku::device
