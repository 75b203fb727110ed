#include "jissoku/backends/cpu/product.hpp"

#include "jissoku/device/device.hpp"

namespace jissoku::backends::cpu {
namespace {

std::byte* address(const device::TensorView& view, std::int64_t batch) {
  const std::int64_t element = view.offset_elements + batch * view.batch_stride;
  return view.buffer->host_data() + element * numerics::storage_bits(view.type) / 8;
}

OperandFormat format_of(const device::TensorView& view) {
  return {view.type, nullptr, view.scale_type, view.scale_block};
}

/// The scales of one matrix of a batch, which follow each other.
const std::byte* scales_of(const device::TensorView& view, std::int64_t batch) {
  if (view.scale_block == 0) {
    return nullptr;
  }
  const std::int64_t in_row = (view.columns + view.scale_block - 1) / view.scale_block;
  return view.scales->host_data() + batch * view.rows * in_row * numerics::storage_bits(view.scale_type) / 8;
}

}  // namespace

Product product_of(const device::Gemm& gemm) {
  Product product;
  product.type = gemm.c.type;
  product.transpose_a = gemm.transpose_a;
  product.transpose_b = gemm.transpose_b;
  product.m = gemm.c.rows;
  product.n = gemm.c.columns;
  product.k = gemm.transpose_a ? gemm.a.rows : gemm.a.columns;
  product.alpha = gemm.alpha;
  product.beta = gemm.beta;
  product.lda = gemm.a.leading_dimension;
  product.ldb = gemm.b.leading_dimension;
  product.ldc = gemm.c.leading_dimension;
  product.a_format = format_of(gemm.a);
  product.b_format = format_of(gemm.b);
  return product;
}

Product product_of(const device::Gemm& gemm, std::int64_t batch) {
  Product product = product_of(gemm);
  product.a = address(gemm.a, batch);
  product.b = address(gemm.b, batch);
  product.c = address(gemm.c, batch);
  product.a_format.scales = scales_of(gemm.a, batch);
  product.b_format.scales = scales_of(gemm.b, batch);
  return product;
}

}  // namespace jissoku::backends::cpu
