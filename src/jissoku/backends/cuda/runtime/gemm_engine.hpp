// Matrix products through cuBLASLt: one plan per problem, whose algorithm is the fastest of those that the
// library suggests, each tried once when the problem first appears.
#pragma once

#include <atomic>
#include <map>
#include <memory>

#include "jissoku/backends/cuda/rules/product.hpp"
#include "jissoku/backends/cuda/rules/versions.hpp"
#include "jissoku/backends/cuda/runtime/queue.hpp"

namespace jissoku::backends::cuda {

class GemmPlan;

/// Addresses on the device, each of a matrix's first element.
struct GemmOperands {
  const void *first = nullptr, *second = nullptr;  ///< see Product: `first` is our B
  void* result = nullptr;
};

/// Of one device, which is current in all calls.
class GemmEngine {
 public:
  explicit GemmEngine(const ComputeCapability& capability);
  ~GemmEngine();
  GemmEngine(const GemmEngine&) = delete;
  GemmEngine& operator=(const GemmEngine&) = delete;

  /// Opens the library if it was not opened yet. Its error is the reason why there are no products.
  static core::Status library();
  /// Library, file and, once the product was multiplied, the algorithm; else no kernel is named.
  device::Variant describe(const Product& product) const;
  /// Enqueues the product. The first time it also tries the algorithms, into memory of its own, and waits
  /// for them: the result is written once.
  core::Status multiply(
      const Product& product, const GemmOperands& operands, double alpha, double beta, CudaStream& stream);

 private:
  core::Status start();
  core::Result<GemmPlan*> plan_for(
      const Product& product, const GemmOperands& operands, double alpha, double beta, CudaStream& stream);

  ComputeCapability capability_;
  void* handle_ = nullptr;  ///< cublasLtHandle_t
  std::map<Product, std::unique_ptr<GemmPlan>> plans_;
};

}  // namespace jissoku::backends::cuda
