// What a rival's shared object offers: libraries that are measured beside our engines, but are no part of
// the product. Each is a module of its own, opened after our engines, so that its symbols and its OpenMP
// runtime cannot change how those behave.
#pragma once

#include <cstdint>

namespace jissoku::bench {

/// c = a b, row-major and dense, in host memory.
struct HostProduct {
  bool is_f64 = false;  ///< else f32
  std::int64_t m = 0, n = 0, k = 0;
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
};

/// A product made ready; its memory outlives it.
class PreparedProduct {
 public:
  virtual ~PreparedProduct() = default;
  virtual void multiply() = 0;
};

}  // namespace jissoku::bench

extern "C" {
/// Caller owns it; nullptr if the library has no way to do this product.
jissoku::bench::PreparedProduct* jissoku_rival_prepare(const jissoku::bench::HostProduct* product,
                                                       int threads);
/// "Eigen 3.4.0".
const char* jissoku_rival_library();
}
