// cuBLASLt opened at run time: its functions by the prototypes of the header this was built with. Opening
// takes about half a second and maps half a gigabyte, so it waits for the first matrix product.
#pragma once

#if __has_include(<cublasLt.h>)  // the only header here that includes one of NVIDIA's
#include <cublasLt.h>
#include <string>

#include "jissoku/core/result.hpp"

namespace jissoku::backends::cuda {

struct CublasLt {
  std::string file;     ///< resolved
  std::string version;  ///< "13.1.0"

  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtDestroy) destroy = nullptr;
  decltype(&cublasLtGetVersion) get_version = nullptr;
  decltype(&cublasLtMatmulDescCreate) desc_create = nullptr;
  decltype(&cublasLtMatmulDescDestroy) desc_destroy = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) desc_set = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) layout_create = nullptr;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy = nullptr;
  decltype(&cublasLtMatrixLayoutSetAttribute) layout_set = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create = nullptr;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic = nullptr;
  decltype(&cublasLtMatmulAlgoConfigGetAttribute) config_get = nullptr;
  decltype(&cublasLtMatmulAlgoCapGetAttribute) capability_get = nullptr;
  decltype(&cublasLtMatmul) matmul = nullptr;
};

/// The library of the major version this was built with, opened once for the process and never closed. Fails
/// (unavailable) naming where it was looked for and how to get it.
const core::Result<CublasLt>& cublaslt();

}  // namespace jissoku::backends::cuda
#endif
