// Eigen's own product, compiled for this machine (-O3 -march=native) as its users would.
#include <Eigen/Core>
#include <memory>

#include "bench/rivals/rival_module.hpp"

namespace jissoku::bench {
namespace {

#define JISSOKU_TEXT_OF(value) #value
#define JISSOKU_TEXT(value) JISSOKU_TEXT_OF(value)

template <typename Element>
class EigenProduct final : public PreparedProduct {
 public:
  explicit EigenProduct(const HostProduct& product)
      : a_(static_cast<const Element*>(product.a), product.m, product.k),
        b_(static_cast<const Element*>(product.b), product.k, product.n),
        c_(static_cast<Element*>(product.c), product.m, product.n) {}
  void multiply() override { c_.noalias() = a_ * b_; }

 private:
  using Matrix = Eigen::Matrix<Element, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<const Matrix> a_, b_;
  Eigen::Map<Matrix> c_;
};

}  // namespace
}  // namespace jissoku::bench

jissoku::bench::PreparedProduct* jissoku_rival_prepare(const jissoku::bench::HostProduct* product,
                                                       int threads) {
  using namespace jissoku::bench;
  Eigen::setNbThreads(threads);
  if (product->is_f64) {
    return std::make_unique<EigenProduct<double>>(*product).release();
  }
  return std::make_unique<EigenProduct<float>>(*product).release();
}

const char* jissoku_rival_library() {
  return "Eigen " JISSOKU_TEXT(EIGEN_WORLD_VERSION) "." JISSOKU_TEXT(EIGEN_MAJOR_VERSION) "." JISSOKU_TEXT(
      EIGEN_MINOR_VERSION);
}
