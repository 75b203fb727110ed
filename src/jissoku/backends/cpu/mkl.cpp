// Intel MKL through its single dynamic library, which loads the rest when it is first called. GNU's
// OpenMP is chosen for its threads: the other engines use that too, and two OpenMP libraries in one
// process would each keep a spinning team.
#include <array>
#include <string>

#include "jissoku/backends/cpu/cblas_engine.hpp"
#include "jissoku/backends/cpu/environment.hpp"

namespace jissoku::backends::cpu {
namespace {

struct Functions {
  Cblas cblas;
  void (*version)(char* text, int size) = nullptr;
  void (*set_threads)(int) = nullptr;

  bool find(const core::SharedLibrary& library) {
    return cblas.find(library) && library.find("MKL_Get_Version_String", version) &&
           library.find("MKL_Set_Num_Threads", set_threads);
  }
};

/// "Intel(R) oneAPI Math Kernel Library Version 2023.1-Product Build ..." -> "MKL 2023.1".
std::string title_of(const Functions& functions) {
  constexpr std::string_view kVersion = "Version ";
  std::array<char, 256> text{};
  functions.version(text.data(), static_cast<int>(text.size()) - 1);
  const std::string_view all(text.data());
  const std::size_t start = all.find(kVersion);
  if (start == std::string_view::npos) {
    return "MKL";
  }
  const std::string_view version = all.substr(start + kVersion.size());
  return "MKL " + std::string(version.substr(0, version.find_first_not_of("0123456789.")));
}

class Mkl final : public CblasEngine {
 public:
  Mkl(const core::SharedLibrary& library, const Functions& functions)
      : CblasEngine(library, functions.cblas, "mkl", title_of(functions)), functions_(functions) {}

 private:
  void set_threads(int threads) override { functions_.set_threads(threads); }

  Functions functions_;
};

}  // namespace

core::Result<std::unique_ptr<LibraryEngine>> load_mkl(const std::string& file) {
  const ScopedEnvironment layers({{"MKL_THREADING_LAYER", "GNU"}, {"MKL_INTERFACE_LAYER", "LP64"}});
  const auto library = core::SharedLibrary::open(file);
  if (!library) {
    return library.error();
  }
  Functions functions;
  if (!functions.find(*library)) {
    return lacks_functions(*library, "MKL");
  }
  return std::unique_ptr<LibraryEngine>(std::make_unique<Mkl>(*library, functions));
}

}  // namespace jissoku::backends::cpu
