// OpenBLAS. openblas_get_config() starts with "OpenBLAS 0.3.21 ..." and is the only place of the version.
#include <string>

#include "jissoku/backends/cpu/cblas_engine.hpp"

namespace jissoku::backends::cpu {
namespace {

constexpr int kParallelOpenMp = 2;  // openblas_get_parallel(): 0 sequential, 1 pthreads, 2 OpenMP

struct Functions {
  Cblas cblas;
  char* (*config)() = nullptr;
  char* (*core_name)() = nullptr;
  int (*parallel)() = nullptr;
  int (*threads)() = nullptr;
  void (*set_threads)(int) = nullptr;

  bool find(const core::SharedLibrary& library) {
    return cblas.find(library) && library.find("openblas_get_config", config) &&
           library.find("openblas_get_corename", core_name) &&
           library.find("openblas_get_parallel", parallel) &&
           library.find("openblas_get_num_threads", threads) &&
           library.find("openblas_set_num_threads", set_threads);
  }
};

/// "OpenBLAS 0.3.21 NO_LAPACKE ..." -> "OpenBLAS 0.3.21".
std::string title_of(const std::string& config) {
  const std::size_t name_end = config.find(' ');
  return name_end == std::string::npos ? config : config.substr(0, config.find(' ', name_end + 1));
}

class OpenBlas final : public CblasEngine {
 public:
  OpenBlas(const core::SharedLibrary& library, const Functions& functions)
      : CblasEngine(library, functions.cblas, "openblas", title_of(functions.config())),
        functions_(functions) {
    variant_.kernel = functions.core_name();
  }

 private:
  void set_threads(int threads) override {
    if (functions_.threads() != threads) {
      functions_.set_threads(threads);
    }
  }
  bool uses_openmp() const override { return functions_.parallel() == kParallelOpenMp; }

  Functions functions_;
};

}  // namespace

core::Result<std::unique_ptr<LibraryEngine>> load_openblas(const std::string& file) {
  const auto library = core::SharedLibrary::open(file);
  if (!library) {
    return library.error();
  }
  Functions functions;
  if (!functions.find(*library)) {
    return lacks_functions(*library, "OpenBLAS");
  }
  return std::unique_ptr<LibraryEngine>(std::make_unique<OpenBlas>(*library, functions));
}

}  // namespace jissoku::backends::cpu
