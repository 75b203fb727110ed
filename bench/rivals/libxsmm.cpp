// libxsmm: a kernel made for the one shape where the product is small (its purpose), its tiled OpenMP
// product else. Column-major, so it is given the transposed product: C^T = B^T A^T.
#include <libxsmm.h>
#include <memory>
#include <omp.h>
#include <type_traits>

#include "bench/rivals/rival_module.hpp"

namespace jissoku::bench {
namespace {

// libxsmm's own limit for small products: (m n k)^(1/3) up to 64 by default, 128 where measured here
// it still wins.
constexpr double kSmall = 128.0 * 128.0 * 128.0;

struct Extents {
  explicit Extents(const HostProduct& product)
      : m(static_cast<libxsmm_blasint>(product.m)),
        n(static_cast<libxsmm_blasint>(product.n)),
        k(static_cast<libxsmm_blasint>(product.k)) {}
  libxsmm_blasint m, n, k;
};

libxsmm_smmfunction dispatch(const Extents& size, const float* alpha, const float* beta) {
  return libxsmm_smmdispatch(
      size.n, size.m, size.k, &size.n, &size.k, &size.n, alpha, beta, nullptr, nullptr);
}
libxsmm_dmmfunction dispatch(const Extents& size, const double* alpha, const double* beta) {
  return libxsmm_dmmdispatch(
      size.n, size.m, size.k, &size.n, &size.k, &size.n, alpha, beta, nullptr, nullptr);
}

template <typename Element>
class SmallProduct final : public PreparedProduct {
 public:
  explicit SmallProduct(const HostProduct& product) : product_(product) {
    const Element alpha = 1, beta = 0;
    kernel_ = dispatch(Extents(product), &alpha, &beta);
  }
  bool has_kernel() const { return kernel_ != nullptr; }
  void multiply() override {
    kernel_(static_cast<const Element*>(product_.b),
            static_cast<const Element*>(product_.a),
            static_cast<Element*>(product_.c));
  }

 private:
  HostProduct product_;
  decltype(dispatch(std::declval<Extents>(), static_cast<Element*>(nullptr), nullptr)) kernel_ = nullptr;
};

template <typename Element>
class TiledProduct final : public PreparedProduct {
 public:
  explicit TiledProduct(const HostProduct& product) : product_(product), size_(product) {}
  void multiply() override {
    constexpr auto kPrecision =
        std::is_same_v<Element, double> ? LIBXSMM_GEMM_PRECISION_F64 : LIBXSMM_GEMM_PRECISION_F32;
    const Element alpha = 1, beta = 0;
    libxsmm_xgemm_omp(kPrecision,
                      kPrecision,
                      "N",
                      "N",
                      &size_.n,
                      &size_.m,
                      &size_.k,
                      &alpha,
                      product_.b,
                      &size_.n,
                      product_.a,
                      &size_.k,
                      &beta,
                      product_.c,
                      &size_.n);
  }

 private:
  HostProduct product_;
  Extents size_;
};

template <typename Element>
std::unique_ptr<PreparedProduct> prepare(const HostProduct& product) {
  const double volume =
      static_cast<double>(product.m) * static_cast<double>(product.n) * static_cast<double>(product.k);
  if (volume <= kSmall) {
    auto small = std::make_unique<SmallProduct<Element>>(product);
    if (small->has_kernel()) {
      return small;
    }
  }
  return std::make_unique<TiledProduct<Element>>(product);
}

}  // namespace
}  // namespace jissoku::bench

jissoku::bench::PreparedProduct* jissoku_rival_prepare(const jissoku::bench::HostProduct* product,
                                                       int threads) {
  using namespace jissoku::bench;
  libxsmm_init();
  omp_set_num_threads(threads);
  return (product->is_f64 ? prepare<double>(*product) : prepare<float>(*product)).release();
}

const char* jissoku_rival_library() {
  return "libxsmm " LIBXSMM_VERSION;
}
