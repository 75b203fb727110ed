// What the plugin opens at run time, pretended: the driver (only that it is there), NVML with one GPU, and
// cuBLASLt, which multiplies on the host as its documentation says: by columns, with descriptors whose
// attributes must have the documented sizes, with operands aligned as the preference promised.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <cublasLt.h>
#include <memory>

#include "jissoku/numerics/narrow.hpp"

namespace {

struct Operation {
  cublasComputeType_t compute;
  cudaDataType_t scale;
  std::int32_t transpose_a, transpose_b;
};
struct Matrix {
  cudaDataType_t type;
  std::int64_t rows, columns, leading_dimension;
  std::int32_t batch;
  std::int64_t stride;
};
struct Preference {
  std::uint64_t workspace;
  std::uint32_t alignment[4];
};
/// In cublasLtMatmulAlgo_t::data.
struct Choice {
  std::int32_t id;
  std::uint32_t alignment[4];
};
static_assert(sizeof(Choice) <= sizeof(cublasLtMatmulAlgo_t));
constexpr int kUnsupported = 7;  // an algorithm that is suggested and then refuses
constexpr std::size_t kWorkspace = 1024;

template <typename T>
cublasStatus_t assign(T& target, const void* value, std::size_t size) {
  if (size != sizeof target) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  std::memcpy(&target, value, size);
  return CUBLAS_STATUS_SUCCESS;
}
template <typename T>
T& as(void* opaque) {
  return *static_cast<T*>(opaque);
}

std::int64_t size_of(cudaDataType_t type) {
  return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2;
}
double read(const void* data, cudaDataType_t type, std::int64_t index) {
  switch (type) {
    case CUDA_R_64F:
      return static_cast<const double*>(data)[index];
    case CUDA_R_32F:
      return static_cast<double>(static_cast<const float*>(data)[index]);
    case CUDA_R_16F:
      return static_cast<double>(jissoku::numerics::from_f16(static_cast<const std::uint16_t*>(data)[index]));
    default:
      return static_cast<double>(
          jissoku::numerics::from_bf16(static_cast<const std::uint16_t*>(data)[index]));
  }
}
bool is_aligned(const void* address, std::uint32_t bytes) {
  return reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
}

struct Call {
  const Operation& operation;
  const Matrix &a, &b, &c;
  const void *a_data, *b_data, *c_data;
  void* d_data;
  double alpha, beta;

  bool fits() const {
    const std::int64_t m = operation.transpose_a != 0 ? a.columns : a.rows;
    const std::int64_t k = operation.transpose_a != 0 ? a.rows : a.columns;
    const std::int64_t n = operation.transpose_b != 0 ? b.rows : b.columns;
    const std::int64_t other_k = operation.transpose_b != 0 ? b.columns : b.rows;
    return c.rows == m && c.columns == n && k == other_k && a.batch == c.batch && b.batch == c.batch &&
           a.leading_dimension >= a.rows && b.leading_dimension >= b.rows && c.leading_dimension >= c.rows;
  }
  void element(std::int64_t batch, std::int64_t i, std::int64_t j) const {
    const std::int64_t k = operation.transpose_a != 0 ? a.rows : a.columns;
    double sum = 0;
    for (std::int64_t p = 0; p < k; ++p) {
      const std::int64_t in_a =
          operation.transpose_a != 0 ? i * a.leading_dimension + p : p * a.leading_dimension + i;
      const std::int64_t in_b =
          operation.transpose_b != 0 ? p * b.leading_dimension + j : j * b.leading_dimension + p;
      sum += read(a_data, a.type, batch * a.stride + in_a) * read(b_data, b.type, batch * b.stride + in_b);
    }
    const std::int64_t place = batch * c.stride + j * c.leading_dimension + i;
    const double value = alpha * sum + (beta == 0 ? 0 : beta * read(c_data, c.type, place));
    if (c.type == CUDA_R_64F) {
      static_cast<double*>(d_data)[place] = value;
    } else {
      static_cast<float*>(d_data)[place] = static_cast<float>(value);
    }
  }
};

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = reinterpret_cast<cublasLtHandle_t>(new int);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete reinterpret_cast<int*>(handle);
  return CUBLAS_STATUS_SUCCESS;
}
std::size_t cublasLtGetVersion() {
  return CUBLAS_VERSION;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc,
                                        cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  *desc = reinterpret_cast<cublasLtMatmulDesc_t>(new Operation{compute, scale, 0, 0});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  delete reinterpret_cast<Operation*>(desc);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                                              cublasLtMatmulDescAttributes_t name,
                                              const void* value,
                                              std::size_t size) {
  auto& operation = as<Operation>(desc);
  switch (name) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return assign(operation.transpose_a, value, size);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return assign(operation.transpose_b, value, size);
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout,
                                          cudaDataType type,
                                          std::uint64_t rows,
                                          std::uint64_t columns,
                                          std::int64_t leading_dimension) {
  *layout = reinterpret_cast<cublasLtMatrixLayout_t>(new Matrix{
      type, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), leading_dimension, 1, 0});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete reinterpret_cast<Matrix*>(layout);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t name,
                                                const void* value,
                                                std::size_t size) {
  auto& matrix = as<Matrix>(layout);
  switch (name) {
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return assign(matrix.batch, value, size);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      return assign(matrix.stride, value, size);
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  *preference = reinterpret_cast<cublasLtMatmulPreference_t>(new Preference{0, {256, 256, 256, 256}});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete reinterpret_cast<Preference*>(preference);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t opaque,
                                                    cublasLtMatmulPreferenceAttributes_t name,
                                                    const void* value,
                                                    std::size_t size) {
  auto& preference = as<Preference>(opaque);
  if (name == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES) {
    return assign(preference.workspace, value, size);
  }
  const int operand = static_cast<int>(name) - static_cast<int>(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
  return operand >= 0 && operand < 4 ? assign(preference.alignment[operand], value, size)
                                     : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t,
                                              cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t,
                                              cublasLtMatmulPreference_t opaque,
                                              int requested,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* returned) {
  const auto& preference = as<Preference>(opaque);
  const bool wide = as<Operation>(desc).compute == CUBLAS_COMPUTE_64F;
  if (wide != (as<Operation>(desc).scale == CUDA_R_64F) || preference.workspace < kWorkspace) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  *returned = std::min(requested, 3);
  for (int i = 0; i < *returned; ++i) {
    Choice choice{i == 0 ? kUnsupported : 20 + i, {}};
    std::copy_n(preference.alignment, 4, choice.alignment);
    std::memcpy(&results[i].algo, &choice, sizeof choice);
    results[i].state = CUBLAS_STATUS_SUCCESS;
    results[i].workspaceSize = kWorkspace;
  }
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t* algo,
                                                    cublasLtMatmulAlgoConfigAttributes_t name,
                                                    void* value,
                                                    std::size_t size,
                                                    std::size_t* written) {
  Choice choice{};
  std::memcpy(&choice, algo, sizeof choice);
  const std::int32_t number = name == CUBLASLT_ALGO_CONFIG_ID ? choice.id : 1;
  *written = sizeof number;
  if (size != sizeof number) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  std::memcpy(value, &number, size);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoCapGetAttribute(const cublasLtMatmulAlgo_t*,
                                                 cublasLtMatmulAlgoCapAttributes_t name,
                                                 void* value,
                                                 std::size_t size,
                                                 std::size_t* written) {
  const std::uint64_t flags = CUBLASLT_NUMERICAL_IMPL_FLAGS_FMA | CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_32F |
                              CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32F;
  if (name != CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS || size != sizeof flags) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  *written = size;
  std::memcpy(value, &flags, size);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t,
                              cublasLtMatmulDesc_t desc,
                              const void* alpha,
                              const void* a,
                              cublasLtMatrixLayout_t a_layout,
                              const void* b,
                              cublasLtMatrixLayout_t b_layout,
                              const void* beta,
                              const void* c,
                              cublasLtMatrixLayout_t c_layout,
                              void* d,
                              cublasLtMatrixLayout_t,
                              const cublasLtMatmulAlgo_t* algo,
                              void* workspace,
                              std::size_t workspace_size,
                              cudaStream_t) {
  Choice choice{};
  std::memcpy(&choice, algo, sizeof choice);
  const auto& operation = as<Operation>(desc);
  const Call call{operation,
                  as<Matrix>(a_layout),
                  as<Matrix>(b_layout),
                  as<Matrix>(c_layout),
                  a,
                  b,
                  c,
                  d,
                  read(alpha, operation.scale, 0),
                  read(beta, operation.scale, 0)};
  const bool sound = call.fits() && is_aligned(a, choice.alignment[0]) &&
                     is_aligned(b, choice.alignment[1]) && is_aligned(c, choice.alignment[2]) &&
                     is_aligned(d, choice.alignment[3]) && workspace != nullptr &&
                     workspace_size >= kWorkspace && size_of(call.c.type) >= 4;
  if (!sound || choice.id == kUnsupported) {
    return sound ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_INVALID_VALUE;
  }
  for (std::int64_t batch = 0; batch < call.c.batch; ++batch) {
    for (std::int64_t j = 0; j < call.c.columns; ++j) {
      for (std::int64_t i = 0; i < call.c.rows; ++i) {
        call.element(batch, i, j);
      }
    }
  }
  return CUBLAS_STATUS_SUCCESS;
}

int nvmlInit_v2() {
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** device) {
  *device = const_cast<char*>("gpu");
  return std::strcmp(address, "0000:01:00.0") == 0 ? 0 : 6;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned, void** device) {
  *device = const_cast<char*>("gpu");
  return 0;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 1;
  return 0;
}
int nvmlDeviceGetClockInfo(void*, unsigned type, unsigned* mhz) {
  *mhz = type == 1 ? 1980 : 2619;
  return type == 1 || type == 2 ? 0 : 2;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 350500;
  return 0;
}
int nvmlDeviceGetTemperature(void*, unsigned sensor, unsigned* celsius) {
  *celsius = 61;
  return sensor == 0 ? 0 : 2;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* bits) {
  *bits = 4;
  return 0;
}
int nvmlDeviceGetCurrPcieLinkGeneration(void*, unsigned* generation) {
  *generation = 5;
  return 0;
}
int nvmlDeviceGetCurrPcieLinkWidth(void*, unsigned* width) {
  *width = 16;
  return 0;
}
int nvmlDeviceGetMigMode(void*, unsigned*, unsigned*) {
  return 3;  // not supported
}
}  // extern "C"
