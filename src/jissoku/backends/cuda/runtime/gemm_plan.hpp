// One product as cuBLASLt knows it: its descriptors, the algorithms suggested for it, and the chosen one.
#pragma once

#include "jissoku/backends/cuda/runtime/cublaslt.hpp"

#if __has_include(<cublasLt.h>)
#include <memory>
#include <string>
#include <vector>

#include "jissoku/backends/cuda/rules/algorithm.hpp"
#include "jissoku/backends/cuda/runtime/gemm_engine.hpp"

namespace jissoku::backends::cuda {

class GemmPlan {
 public:
  struct Candidate {
    cublasLtMatmulAlgo_t algorithm{};
    Algorithm facts;
  };

  /// Asks the library for up to eight algorithms that need no more than this workspace. Fails (unavailable)
  /// where it has none, or none that keeps the precision asked for.
  static core::Result<std::unique_ptr<GemmPlan>> make(const CublasLt& library,
                                                      cublasLtHandle_t handle,
                                                      const Product& product,
                                                      std::int64_t workspace_bytes);
  ~GemmPlan();
  GemmPlan(const GemmPlan&) = delete;
  GemmPlan& operator=(const GemmPlan&) = delete;

  const std::vector<Candidate>& candidates() const { return candidates_; }
  /// `tried` algorithms were timed before this one was chosen.
  void choose(std::size_t candidate, int tried);
  const std::string& kernel() const { return kernel_; }
  std::size_t chosen() const { return chosen_; }

  /// Enqueues: result = alpha first second + beta result.
  core::Status run(std::size_t candidate,
                   const GemmOperands& operands,
                   double alpha,
                   double beta,
                   void* workspace,
                   CUstream_st* stream) const;

 private:
  GemmPlan(const CublasLt& library, cublasLtHandle_t handle, const Product& product)
      : library_(library), handle_(handle), product_(product) {}
  core::Status describe();
  core::Status describe_matrix(const Layout& layout, cublasLtMatrixLayout_t& described);
  core::Status suggest(std::int64_t workspace_bytes);
  core::Status prefer(cublasLtMatmulPreference_t preference, std::int64_t workspace_bytes) const;
  Algorithm facts_of(const cublasLtMatmulAlgo_t& algorithm) const;

  const CublasLt& library_;
  cublasLtHandle_t handle_;
  Product product_;
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t first_ = nullptr, second_ = nullptr, result_ = nullptr;
  std::vector<Candidate> candidates_;
  std::vector<std::size_t> workspaces_;  ///< bytes each candidate needs
  std::size_t chosen_ = 0;
  std::string kernel_;
};

}  // namespace jissoku::backends::cuda
#endif
