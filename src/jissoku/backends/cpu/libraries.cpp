#include "jissoku/backends/cpu/libraries.hpp"

#include "jissoku/backends/cpu/affinity.hpp"

namespace jissoku::backends::cpu {

LibraryEngine::LibraryEngine(const core::SharedLibrary& library, std::string name, std::string title)
    : openmp_(OpenMp::find(library)) {
  variant_.name = std::move(name);
  variant_.library = std::move(title);
  variant_.file = library.file();
}

void LibraryEngine::prepare_threads(int threads, const std::vector<int>& cpus) {
  if (openmp_) {
    openmp_->set_threads(threads);
  }
  set_threads(threads);
  variant_.threads = threads;
  const bool pinned = !cpus.empty() && openmp_ && uses_openmp() && openmp_->pin_team(cpus);
  variant_.pinning = pinned ? join_cpus(cpus) : "";
}

std::span<const Library> known_libraries() {
  static const std::vector<Library> kLibraries = {
    {"onednn", "oneDNN", "libdnnl2", {"libdnnl.so.2", "libdnnl.so.3"}, load_onednn},
    {"openblas",
     "OpenBLAS",
     "libopenblas0-openmp",
     // The OpenMP build comes first: its threads can be pinned. libopenblaso is Fedora's name of it.
     {"openblas-openmp/libopenblas.so.0",
      "libopenblaso.so.0",
      "openblas-pthread/libopenblas.so.0",
      "libopenblas.so.0"},
     load_openblas},
    {"blis",
     "BLIS",
     "libblis4-openmp",
     {"blis-openmp/libblis.so.4", "blis-pthread/libblis.so.4", "libblis.so.4"},
     load_blis},
#if defined(__x86_64__)
    {"mkl", "MKL", "libmkl-rt", {"libmkl_rt.so.2", "libmkl_rt.so"}, load_mkl},
#endif
  };
  return kLibraries;
}

core::Error lacks_functions(const core::SharedLibrary& library, const std::string& title) {
  return core::make_error(
      core::ExitCode::unavailable, "cpu.library_lacks", {{"file", library.file()}, {"engine", title}});
}

}  // namespace jissoku::backends::cpu
