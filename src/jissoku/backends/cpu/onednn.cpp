// oneDNN through dnnl_sgemm, its row-major BLAS-like call: f32 only. It has no call for the number of
// threads but follows OpenMP's.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "jissoku/backends/cpu/libraries.hpp"

namespace jissoku::backends::cpu {
namespace {

/// The first fields of dnnl_version_t.
struct Version {
  int major, minor, patch;
};

struct Functions {
  const Version* (*version)() = nullptr;
  int (*isa)() = nullptr;
  int (*sgemm)(char transpose_a,
               char transpose_b,
               std::int64_t m,
               std::int64_t n,
               std::int64_t k,
               float alpha,
               const float* a,
               std::int64_t lda,
               const float* b,
               std::int64_t ldb,
               float beta,
               float* c,
               std::int64_t ldc) = nullptr;

  bool find(const core::SharedLibrary& library) {
    return library.find("dnnl_version", version) && library.find("dnnl_get_effective_cpu_isa", isa) &&
           library.find("dnnl_sgemm", sgemm);
  }
};

/// dnnl_cpu_isa_t; a value that versions 2 and 3 use differently is left out.
std::string isa_name(int isa) {
  constexpr std::array<std::pair<int, const char*>, 11> kNames = {{{0x1, "sse41"},
                                                                   {0x3, "avx"},
                                                                   {0x7, "avx2"},
                                                                   {0x407, "avx2_vnni"},
                                                                   {0x27, "avx512_core"},
                                                                   {0x67, "avx512_core_vnni"},
                                                                   {0xe7, "avx512_core_bf16"},
                                                                   {0x1ef, "avx512_core_fp16"},
                                                                   {0x3e7, "avx512_core_amx"},
                                                                   {0xfef, "avx512_core_amx"},
                                                                   {0x1fef, "avx512_core_amx_fp16"}}};
  const auto* found =
      std::find_if(kNames.begin(), kNames.end(), [isa](const auto& entry) { return entry.first == isa; });
  return found != kNames.end() ? found->second : "";
}

std::string title_of(const Version& version) {
  return "oneDNN " + std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
         std::to_string(version.patch);
}

class OneDnn final : public LibraryEngine {
 public:
  OneDnn(const core::SharedLibrary& library, const Functions& functions)
      : LibraryEngine(library, "onednn", title_of(*functions.version())), functions_(functions) {
    variant_.kernel = isa_name(functions.isa());
  }

  device::Support supports(const Product& product) const override {
    device::Support support;
    support.ok = product.type == numerics::DataType::f32 && product.uniform();
    if (!support.ok) {
      support.reason = core::message(
          "cpu.engine_type",
          {{"engine", variant_.library}, {"type", std::string(numerics::display_name(product.a_format.type))}});
    }
    return support;
  }

  core::Status multiply(const Product& p) override {
    // A matrix of one row may have any leading dimension; oneDNN wants at least the columns.
    const int status = functions_.sgemm(p.transpose_a ? 'T' : 'N',
                                        p.transpose_b ? 'T' : 'N',
                                        p.m,
                                        p.n,
                                        p.k,
                                        static_cast<float>(p.alpha),
                                        static_cast<const float*>(p.a),
                                        std::max(p.lda, p.transpose_a ? p.m : p.k),
                                        static_cast<const float*>(p.b),
                                        std::max(p.ldb, p.transpose_b ? p.k : p.n),
                                        static_cast<float>(p.beta),
                                        static_cast<float*>(p.c),
                                        std::max(p.ldc, p.n));
    if (status == 0) {
      return {};
    }
    return core::make_error(core::ExitCode::unavailable,
                            "cpu.engine_failed",
                            {{"engine", variant_.library}, {"status", std::int64_t{status}}});
  }

 private:
  void set_threads(int) override {}

  Functions functions_;
};

}  // namespace

core::Result<std::unique_ptr<LibraryEngine>> load_onednn(const std::string& file) {
  const auto library = core::SharedLibrary::open(file);
  if (!library) {
    return library.error();
  }
  Functions functions;
  if (!functions.find(*library)) {
    return lacks_functions(*library, "oneDNN");
  }
  return std::unique_ptr<LibraryEngine>(std::make_unique<OneDnn>(*library, functions));
}

}  // namespace jissoku::backends::cpu
