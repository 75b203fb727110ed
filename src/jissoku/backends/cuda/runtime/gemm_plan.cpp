#include "jissoku/backends/cuda/runtime/gemm_plan.hpp"

#include <array>

#include "jissoku/backends/cuda/rules/errors.hpp"

namespace jissoku::backends::cuda {
namespace {

using core::ExitCode;
using core::make_error;
using core::Status;
using numerics::DataType;

constexpr int kMostCandidates = 8;

Status check_cublas(cublasStatus_t status, const char* call) {
  return status == CUBLAS_STATUS_SUCCESS ? Status() : Status(describe_cublas_failure(status, call));
}

cudaDataType_t data_type(DataType type) {
  switch (type) {
    case DataType::f64:
      return CUDA_R_64F;
    case DataType::f16:
      return CUDA_R_16F;
    case DataType::bf16:
      return CUDA_R_16BF;
    default:
      return CUDA_R_32F;
  }
}

cublasComputeType_t compute_type(Compute compute) {
  switch (compute) {
    case Compute::f64:
      return CUBLAS_COMPUTE_64F;
    case Compute::fast_tf32:
      return CUBLAS_COMPUTE_32F_FAST_TF32;
    default:
      return CUBLAS_COMPUTE_32F;
  }
}

template <typename T>
T attribute(const CublasLt& library,
            const cublasLtMatmulAlgo_t& algorithm,
            cublasLtMatmulAlgoConfigAttributes_t name) {
  T value{};
  std::size_t written = 0;
  const cublasStatus_t read = library.config_get(&algorithm, name, &value, sizeof value, &written);
  return read == CUBLAS_STATUS_SUCCESS ? value : T{};
}

}  // namespace

core::Result<std::unique_ptr<GemmPlan>> GemmPlan::make(const CublasLt& library,
                                                       cublasLtHandle_t handle,
                                                       const Product& product,
                                                       std::int64_t workspace_bytes) {
  std::unique_ptr<GemmPlan> plan(new GemmPlan(library, handle, product));
  if (Status described = plan->describe(); !described) {
    return described.error();
  }
  if (Status suggested = plan->suggest(workspace_bytes); !suggested) {
    return suggested.error();
  }
  return plan;
}

GemmPlan::~GemmPlan() {
  for (cublasLtMatrixLayout_t layout : {first_, second_, result_}) {
    if (layout != nullptr) {
      library_.layout_destroy(layout);
    }
  }
  if (operation_ != nullptr) {
    library_.desc_destroy(operation_);
  }
}

Status GemmPlan::describe() {
  const cudaDataType_t scale = product_.compute == Compute::f64 ? CUDA_R_64F : CUDA_R_32F;
  if (Status made = check_cublas(library_.desc_create(&operation_, compute_type(product_.compute), scale),
                                 "DescCreate");
      !made) {
    return made;
  }
  const std::array<std::pair<cublasLtMatmulDescAttributes_t, bool>, 2> transposes = {
      {{CUBLASLT_MATMUL_DESC_TRANSA, product_.transpose_first},
       {CUBLASLT_MATMUL_DESC_TRANSB, product_.transpose_second}}};
  for (const auto& [name, transposed] : transposes) {
    const cublasOperation_t value = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    if (Status set = check_cublas(library_.desc_set(operation_, name, &value, sizeof value), "DescSet");
        !set) {
      return set;
    }
  }
  if (Status done = describe_matrix(product_.first, first_); !done) {
    return done;
  }
  if (Status done = describe_matrix(product_.second, second_); !done) {
    return done;
  }
  return describe_matrix(product_.result, result_);
}

Status GemmPlan::describe_matrix(const Layout& layout, cublasLtMatrixLayout_t& described) {
  if (Status made = check_cublas(library_.layout_create(&described,
                                                        data_type(layout.type),
                                                        static_cast<std::uint64_t>(layout.rows),
                                                        static_cast<std::uint64_t>(layout.columns),
                                                        layout.leading_dimension),
                                 "LayoutCreate");
      !made) {
    return made;
  }
  const auto batch = static_cast<std::int32_t>(product_.batch);
  if (Status set = check_cublas(
          library_.layout_set(described, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch),
          "LayoutSet");
      !set) {
    return set;
  }
  return check_cublas(library_.layout_set(described,
                                          CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                          &layout.batch_stride,
                                          sizeof layout.batch_stride),
                      "LayoutSet");
}

Status GemmPlan::prefer(cublasLtMatmulPreference_t preference, std::int64_t workspace_bytes) const {
  const auto workspace = static_cast<std::uint64_t>(workspace_bytes);
  if (Status set = check_cublas(
          library_.preference_set(
              preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace),
          "PreferenceSet");
      !set) {
    return set;
  }
  const std::array<std::pair<cublasLtMatmulPreferenceAttributes_t, int>, 4> alignments = {
      {{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, product_.first.alignment_bytes},
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, product_.second.alignment_bytes},
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, product_.result.alignment_bytes},
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, product_.result.alignment_bytes}}};
  for (const auto& [name, bytes] : alignments) {
    const auto value = static_cast<std::uint32_t>(bytes);
    if (Status set =
            check_cublas(library_.preference_set(preference, name, &value, sizeof value), "PreferenceSet");
        !set) {
      return set;
    }
  }
  return {};
}

Status GemmPlan::suggest(std::int64_t workspace_bytes) {
  cublasLtMatmulPreference_t preference = nullptr;
  if (Status made = check_cublas(library_.preference_create(&preference), "PreferenceCreate"); !made) {
    return made;
  }
  std::array<cublasLtMatmulHeuristicResult_t, kMostCandidates> found{};
  int count = 0;
  Status asked = prefer(preference, workspace_bytes);
  cublasStatus_t answer = CUBLAS_STATUS_SUCCESS;
  if (asked) {
    answer = library_.heuristic(handle_,
                                operation_,
                                first_,
                                second_,
                                result_,
                                result_,
                                preference,
                                kMostCandidates,
                                found.data(),
                                &count);
  }
  library_.preference_destroy(preference);
  if (!asked) {
    return asked;
  }
  if (answer != CUBLAS_STATUS_SUCCESS && answer != CUBLAS_STATUS_NOT_SUPPORTED) {
    return describe_cublas_failure(answer, "cublasLtMatmulAlgoGetHeuristic");
  }
  bool narrowed = false;
  for (int i = 0; i < count; ++i) {
    const cublasLtMatmulHeuristicResult_t& one = found[static_cast<std::size_t>(i)];
    if (one.state != CUBLAS_STATUS_SUCCESS) {
      continue;
    }
    const Algorithm facts = facts_of(one.algo);
    if (keeps_precision(facts, product_)) {
      candidates_.push_back({one.algo, facts});
      workspaces_.push_back(one.workspaceSize);
    } else {
      narrowed = true;
    }
  }
  if (!candidates_.empty()) {
    return {};
  }
  return make_error(ExitCode::unavailable, narrowed ? "cuda.precision_lowered" : "cuda.no_algorithm");
}

Algorithm GemmPlan::facts_of(const cublasLtMatmulAlgo_t& algorithm) const {
  Algorithm facts;
  facts.id = attribute<std::int32_t>(library_, algorithm, CUBLASLT_ALGO_CONFIG_ID);
  facts.tile = static_cast<int>(attribute<std::uint32_t>(library_, algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID));
  facts.stages =
      static_cast<int>(attribute<std::uint32_t>(library_, algorithm, CUBLASLT_ALGO_CONFIG_STAGES_ID));
  facts.split_k = attribute<std::int32_t>(library_, algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM);
  std::uint64_t flags = 0;
  std::size_t written = 0;
  if (library_.capability_get(
          &algorithm, CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS, &flags, sizeof flags, &written) ==
      CUBLAS_STATUS_SUCCESS) {
    facts.implementation = flags;
  }
  return facts;
}

void GemmPlan::choose(std::size_t candidate, int tried) {
  chosen_ = candidate;
  kernel_ = kernel_text(candidates_[candidate].facts, tried);
}

Status GemmPlan::run(std::size_t candidate,
                     const GemmOperands& operands,
                     double alpha,
                     double beta,
                     void* workspace,
                     CUstream_st* stream) const {
  // Host pointers to the scale type; read before the call returns.
  const std::array<float, 2> narrow = {static_cast<float>(alpha), static_cast<float>(beta)};
  const std::array<double, 2> wide = {alpha, beta};
  const bool is_wide = product_.compute == Compute::f64;
  const void* const factors[2] = {is_wide ? static_cast<const void*>(&wide[0]) : &narrow[0],
                                  is_wide ? static_cast<const void*>(&wide[1]) : &narrow[1]};
  return check_cublas(library_.matmul(handle_,
                                      operation_,
                                      factors[0],
                                      operands.first,
                                      first_,
                                      operands.second,
                                      second_,
                                      factors[1],
                                      operands.result,
                                      result_,
                                      operands.result,
                                      result_,
                                      &candidates_[candidate].algorithm,
                                      workspace,
                                      workspaces_[candidate],
                                      stream),
                      "cublasLtMatmul");
}

}  // namespace jissoku::backends::cuda
