// BLIS. Its names for CPUs ("haswell", "skx") are configurations: which kernels it uses.
#include <string>

#include "jissoku/backends/cpu/cblas_engine.hpp"

namespace jissoku::backends::cpu {
namespace {

struct Functions {
  Cblas cblas;
  char* (*version)() = nullptr;
  int (*architecture)() = nullptr;
  char* (*architecture_name)(int) = nullptr;
  void (*set_threads)(std::int64_t) = nullptr;  // dim_t, 64 bits on 64-bit systems

  bool find(const core::SharedLibrary& library) {
    return cblas.find(library) && library.find("bli_info_get_version_str", version) &&
           library.find("bli_arch_query_id", architecture) &&
           library.find("bli_arch_string", architecture_name) &&
           library.find("bli_thread_set_num_threads", set_threads);
  }
};

class Blis final : public CblasEngine {
 public:
  Blis(const core::SharedLibrary& library, const Functions& functions)
      : CblasEngine(library, functions.cblas, "blis", std::string("BLIS ") + functions.version()),
        functions_(functions) {
    variant_.kernel = functions.architecture_name(functions.architecture());
  }

 private:
  void set_threads(int threads) override { functions_.set_threads(threads); }

  Functions functions_;
};

}  // namespace

core::Result<std::unique_ptr<LibraryEngine>> load_blis(const std::string& file) {
  const auto library = core::SharedLibrary::open(file);
  if (!library) {
    return library.error();
  }
  Functions functions;
  if (!functions.find(*library)) {
    return lacks_functions(*library, "BLIS");
  }
  return std::unique_ptr<LibraryEngine>(std::make_unique<Blis>(*library, functions));
}

}  // namespace jissoku::backends::cpu
