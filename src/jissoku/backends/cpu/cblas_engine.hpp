// Products through the C interface to BLAS, which OpenBLAS, BLIS and MKL share. Products with one row
// or column go to gemv: their gemm is up to 3 times slower there.
#pragma once

#include <cstdint>

#include "jissoku/backends/cpu/libraries.hpp"

namespace jissoku::backends::cpu {

/// CBLAS with 32-bit integers ("LP64"). Enumerators as in every cblas.h.
enum class CblasOrder : int { row_major = 101 };
enum class CblasTranspose : int { none = 111, transpose = 112 };

template <typename T>
struct CblasFunctions {
  using Int = std::int32_t;
  void (*gemm)(CblasOrder,
               CblasTranspose,
               CblasTranspose,
               Int m,
               Int n,
               Int k,
               T alpha,
               const T* a,
               Int lda,
               const T* b,
               Int ldb,
               T beta,
               T* c,
               Int ldc) = nullptr;
  void (*gemv)(CblasOrder,
               CblasTranspose,
               Int rows,
               Int columns,
               T alpha,
               const T* matrix,
               Int ld,
               const T* x,
               Int x_step,
               T beta,
               T* y,
               Int y_step) = nullptr;
};

struct Cblas {
  CblasFunctions<float> f32;
  CblasFunctions<double> f64;

  /// False if one is missing.
  bool find(const core::SharedLibrary& library);
};

class CblasEngine : public LibraryEngine {
 public:
  device::Support supports(const Product& product) const override;
  core::Status multiply(const Product& product) override;

 protected:
  CblasEngine(const core::SharedLibrary& library, const Cblas& cblas, std::string name, std::string title)
      : LibraryEngine(library, std::move(name), std::move(title)), cblas_(cblas) {}

 private:
  Cblas cblas_;
};

}  // namespace jissoku::backends::cpu
