#include "jissoku/backends/cpu/cblas_engine.hpp"

#include <algorithm>
#include <limits>

namespace jissoku::backends::cpu {
namespace {

using Int = std::int32_t;

CblasTranspose transpose(bool yes) {
  return yes ? CblasTranspose::transpose : CblasTranspose::none;
}

/// A matrix of one row may have any leading dimension; CBLAS wants at least the columns.
Int leading(std::int64_t ld, std::int64_t columns) {
  return static_cast<Int>(std::max(ld, columns));
}

template <typename T>
void multiply_matrix(const CblasFunctions<T>& cblas, const Product& p) {
  cblas.gemm(CblasOrder::row_major,
             transpose(p.transpose_a),
             transpose(p.transpose_b),
             static_cast<Int>(p.m),
             static_cast<Int>(p.n),
             static_cast<Int>(p.k),
             static_cast<T>(p.alpha),
             static_cast<const T*>(p.a),
             leading(p.lda, p.transpose_a ? p.m : p.k),
             static_cast<const T*>(p.b),
             leading(p.ldb, p.transpose_b ? p.k : p.n),
             static_cast<T>(p.beta),
             static_cast<T*>(p.c),
             leading(p.ldc, p.n));
}

/// The one row (of a and c) or column (of b and c) as vectors: y = alpha op(matrix) x + beta y.
template <typename T>
void multiply_vector(const CblasFunctions<T>& cblas, const Product& p) {
  const bool one_column = p.n == 1;
  const bool stored_transposed = one_column ? p.transpose_a : p.transpose_b;
  // With one row, c^T = op(b)^T a^T.
  const bool transposed = one_column ? stored_transposed : !stored_transposed;
  const std::int64_t outputs = one_column ? p.m : p.n;
  const std::int64_t rows = transposed ? p.k : outputs;
  const std::int64_t columns = transposed ? outputs : p.k;
  const std::int64_t x_step = one_column ? (p.transpose_b ? 1 : p.ldb) : (p.transpose_a ? p.lda : 1);
  const std::int64_t y_step = one_column ? p.ldc : 1;
  T* y = static_cast<T*>(p.c);
  if (p.beta == 0) {
    // Libraries differ in whether gemv's beta = 0 clears a NaN in y.
    for (std::int64_t i = 0; i < outputs; ++i) {
      y[i * y_step] = T(0);
    }
  }
  cblas.gemv(CblasOrder::row_major,
             transpose(transposed),
             static_cast<Int>(rows),
             static_cast<Int>(columns),
             static_cast<T>(p.alpha),
             static_cast<const T*>(one_column ? p.a : p.b),
             leading(one_column ? p.lda : p.ldb, columns),
             static_cast<const T*>(one_column ? p.b : p.a),
             // A step of 0 is refused even where there is no second element.
             static_cast<Int>(std::max<std::int64_t>(x_step, 1)),
             static_cast<T>(p.beta),
             y,
             static_cast<Int>(std::max<std::int64_t>(y_step, 1)));
}

template <typename T>
void multiply(const CblasFunctions<T>& cblas, const Product& product) {
  if (product.m == 1 || product.n == 1) {
    multiply_vector(cblas, product);
  } else {
    multiply_matrix(cblas, product);
  }
}

}  // namespace

bool Cblas::find(const core::SharedLibrary& library) {
  return library.find("cblas_sgemm", f32.gemm) && library.find("cblas_dgemm", f64.gemm) &&
         library.find("cblas_sgemv", f32.gemv) && library.find("cblas_dgemv", f64.gemv);
}

device::Support CblasEngine::supports(const Product& p) const {
  device::Support support;
  if ((p.type != numerics::DataType::f32 && p.type != numerics::DataType::f64) || !p.uniform()) {
    support.reason = core::message(
        "cpu.engine_type",
        {{"engine", variant_.library}, {"type", std::string(numerics::display_name(p.a_format.type))}});
    return support;
  }
  const std::int64_t largest = std::max({p.m, p.n, p.k, p.lda, p.ldb, p.ldc});
  if (largest > std::numeric_limits<Int>::max()) {
    support.reason =
        core::message("cpu.engine_integers", {{"engine", variant_.library}, {"dimension", largest}});
    return support;
  }
  support.ok = true;
  return support;
}

core::Status CblasEngine::multiply(const Product& product) {
  if (product.type == numerics::DataType::f32) {
    cpu::multiply(cblas_.f32, product);
  } else {
    cpu::multiply(cblas_.f64, product);
  }
  return {};
}

}  // namespace jissoku::backends::cpu
