#include "jissoku/backends/cuda/runtime/cublaslt.hpp"

#include <cstdlib>
#include <vector>

#include "jissoku/backends/cuda/rules/library_places.hpp"
#include "jissoku/backends/cuda/rules/versions.hpp"
#include "jissoku/core/shared_library.hpp"

namespace jissoku::backends::cuda {
namespace {

using core::ExitCode;
using core::make_error;

constexpr int kMajor = CUBLAS_VER_MAJOR;

std::string soname() {
  return "libcublasLt.so." + std::to_string(kMajor);
}

core::Error not_found(const std::vector<std::string>& places) {
  std::string joined;
  for (const std::string& place : places) {
    joined += (joined.empty() ? "" : ", ") + place;
  }
  return make_error(ExitCode::unavailable,
                    "cuda.no_cublaslt",
                    {{"library", soname()}, {"places", joined}, {"major", std::to_string(kMajor)}});
}

core::Result<core::SharedLibrary> open_library() {
  const Environment environment = [](const char* name) { return std::getenv(name); };
  const std::vector<std::string> places = library_places(environment, soname(), kMajor);
  for (const std::string& place : places) {
    if (auto library = core::SharedLibrary::open(place)) {
      return library;
    }
  }
  return not_found(places);
}

bool find_all(const core::SharedLibrary& library, CublasLt& api) {
  return library.find("cublasLtCreate", api.create) && library.find("cublasLtDestroy", api.destroy) &&
         library.find("cublasLtGetVersion", api.get_version) &&
         library.find("cublasLtMatmulDescCreate", api.desc_create) &&
         library.find("cublasLtMatmulDescDestroy", api.desc_destroy) &&
         library.find("cublasLtMatmulDescSetAttribute", api.desc_set) &&
         library.find("cublasLtMatrixLayoutCreate", api.layout_create) &&
         library.find("cublasLtMatrixLayoutDestroy", api.layout_destroy) &&
         library.find("cublasLtMatrixLayoutSetAttribute", api.layout_set) &&
         library.find("cublasLtMatmulPreferenceCreate", api.preference_create) &&
         library.find("cublasLtMatmulPreferenceDestroy", api.preference_destroy) &&
         library.find("cublasLtMatmulPreferenceSetAttribute", api.preference_set) &&
         library.find("cublasLtMatmulAlgoGetHeuristic", api.heuristic) &&
         library.find("cublasLtMatmulAlgoConfigGetAttribute", api.config_get) &&
         library.find("cublasLtMatmulAlgoCapGetAttribute", api.capability_get) &&
         library.find("cublasLtMatmul", api.matmul);
}

core::Result<CublasLt> load() {
  const auto library = open_library();
  if (!library) {
    return library.error();
  }
  CublasLt api;
  if (!find_all(*library, api)) {
    return make_error(ExitCode::unavailable, "cuda.cublaslt_lacks", {{"file", library->file()}});
  }
  api.file = library->file();
  api.version = format_cublas_version(api.get_version());
  return api;
}

}  // namespace

const core::Result<CublasLt>& cublaslt() {
  static const core::Result<CublasLt> kLibrary = load();
  return kLibrary;
}

}  // namespace jissoku::backends::cuda
