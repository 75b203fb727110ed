#include "jissoku/device/views.hpp"

#include "jissoku/device/device.hpp"

namespace jissoku::device {
namespace {

NamedViews views(const Fill& op) {
  return {{"out", &op.out, true}};
}
NamedViews views(const Cast& op) {
  return {{"in", &op.in}, {"out", &op.out, true}};
}
NamedViews views(const Quantise& op) {
  return {{"in", &op.in}, {"out", &op.out, true}};
}
NamedViews views(const Gemm& op) {
  return {{"a", &op.a}, {"b", &op.b}, {"c", &op.c, true}};
}
NamedViews views(const BiasActivation& op) {
  return {{"in", &op.in}, {"bias", &op.bias}, {"out", &op.out, true}};
}
NamedViews views(const BiasActivationGradient& op) {
  return {{"out", &op.out},
          {"grad_out", &op.grad_out},
          {"grad_in", &op.grad_in, true},
          {"grad_bias", &op.grad_bias, true}};
}
NamedViews views(const Scale& op) {
  return {{"tensor", &op.tensor, true}};
}
NamedViews views(const Softmax& op) {
  return {{"in", &op.in}, {"out", &op.out, true}};
}
NamedViews views(const Reduce& op) {
  return {{"in", &op.in}, {"out", &op.out, true}};
}
NamedViews views(const MseLoss& op) {
  return {{"prediction", &op.prediction},
          {"target", &op.target},
          {"value", &op.value, true},
          {"gradient", &op.gradient, true}};
}
NamedViews views(const SgdStep& op) {
  return {{"weights", &op.weights, true}, {"momentum", &op.momentum, true}, {"gradient", &op.gradient}};
}
NamedViews views(const FmaPeak&) {
  return {};
}
NamedViews views(const MemoryTriad& op) {
  return {{"a", &op.a, true}, {"b", &op.b}, {"c", &op.c}};
}

/// sum += (count - 1) * stride; false on overflow.
bool add_steps(std::int64_t& sum, std::int64_t count, std::int64_t stride) {
  std::int64_t product = 0;
  return !__builtin_mul_overflow(count - 1, stride, &product) && !__builtin_add_overflow(sum, product, &sum);
}

}  // namespace

NamedViews views_of(const Operation& operation) {
  return std::visit([](const auto& op) { return views(op); }, operation);
}

std::optional<std::int64_t> extent_elements(const TensorView& view) {
  if (view.rows < 1 || view.columns < 1 || view.batch < 1 || view.leading_dimension < 0 ||
      view.batch_stride < 0) {
    return std::nullopt;
  }
  std::int64_t extent = view.columns;
  if (!add_steps(extent, view.rows, view.leading_dimension) ||
      !add_steps(extent, view.batch, view.batch_stride)) {
    return std::nullopt;
  }
  return extent;
}

double logical_bytes(const TensorView& view) {
  const double rows =
      static_cast<double>(view.rows) * (view.batch_stride == 0 ? 1.0 : static_cast<double>(view.batch));
  const auto whole_bytes = [](std::int64_t elements, numerics::DataType type) {
    const std::int64_t bytes = (elements * numerics::storage_bits(type) + 7) / 8;
    return static_cast<double>(bytes);
  };
  double bytes = rows * whole_bytes(view.columns, view.type);
  if (view.scale_block > 0) {
    bytes += rows * whole_bytes((view.columns + view.scale_block - 1) / view.scale_block, view.scale_type);
  }
  return bytes;
}

double gemm_flops(const Gemm& gemm) {
  const std::int64_t k = gemm.transpose_a ? gemm.a.rows : gemm.a.columns;
  return 2.0 * static_cast<double>(gemm.c.batch) * static_cast<double>(gemm.c.rows) *
         static_cast<double>(gemm.c.columns) * static_cast<double>(k);
}

double gemm_bytes(const Gemm& gemm) {
  return logical_bytes(gemm.a) + logical_bytes(gemm.b) + logical_bytes(gemm.c) * (gemm.beta == 0 ? 1 : 2);
}

}  // namespace jissoku::device
