// oneDNN through its row-major BLAS-like calls: f32, and where the CPU has instructions for them bf16 and i8.
// It has no call for the number of threads but follows OpenMP's.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "jissoku/backends/cpu/libraries.hpp"

namespace jissoku::backends::cpu {
namespace {

using numerics::DataType;

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
  // Not in all builds; null then.
  int (*bf16)(char transpose_a,
              char transpose_b,
              std::int64_t m,
              std::int64_t n,
              std::int64_t k,
              float alpha,
              const std::uint16_t* a,
              std::int64_t lda,
              const std::uint16_t* b,
              std::int64_t ldb,
              float beta,
              float* c,
              std::int64_t ldc) = nullptr;
  int (*s8)(char transpose_a,
            char transpose_b,
            char offset_c,
            std::int64_t m,
            std::int64_t n,
            std::int64_t k,
            float alpha,
            const std::int8_t* a,
            std::int64_t lda,
            std::int8_t offset_of_a,
            const std::int8_t* b,
            std::int64_t ldb,
            std::int8_t offset_of_b,
            float beta,
            std::int32_t* c,
            std::int64_t ldc,
            const std::int32_t* offsets_of_c) = nullptr;

  bool find(const core::SharedLibrary& library) {
    library.find("dnnl_gemm_bf16bf16f32", bf16);
    library.find("dnnl_gemm_s8s8s32", s8);
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
    support.ok = way(product) != Way::none;
    if (!support.ok) {
      support.reason = core::message("cpu.engine_type",
                                     {{"engine", variant_.library},
                                      {"type", std::string(numerics::display_name(product.a_format.type))}});
    }
    return support;
  }

  core::Status multiply(const Product& product) override {
    const int status = multiply(product, way(product));
    if (status == 0) {
      return {};
    }
    return core::make_error(core::ExitCode::unavailable,
                            "cpu.engine_failed",
                            {{"engine", variant_.library}, {"status", std::int64_t{status}}});
  }

 private:
  enum class Way { none, f32, bf16, s8 };

  void set_threads(int) override {}

  /// Native ones only. Without VNNI its INT8 saturates in 16 bits and is wrong for large values.
  Way way(const Product& p) const {
    constexpr int kVnni = 0x40, kBf16 = 0x80;  // of dnnl_cpu_isa_t, in versions 2 and 3
    const DataType operands = p.a_format.type;
    const bool plain =
        operands == p.b_format.type && p.a_format.scale_block == 0 && p.b_format.scale_block == 0;
    if (p.type == DataType::f32 && p.uniform()) {
      return Way::f32;
    }
    if (plain && operands == DataType::bf16 && p.type == DataType::f32 && functions_.bf16 != nullptr &&
        (functions_.isa() & kBf16) != 0) {
      return Way::bf16;
    }
    const bool exact = p.alpha == 1 && (p.beta == 0 || p.beta == 1) && p.k <= kDeepestIntegers;
    if (plain && exact && operands == DataType::i8 && p.type == DataType::i32 && functions_.s8 != nullptr &&
        (functions_.isa() & kVnni) != 0) {
      return Way::s8;
    }
    return Way::none;
  }

  int multiply(const Product& p, Way way) const {
    const char ta = p.transpose_a ? 'T' : 'N', tb = p.transpose_b ? 'T' : 'N';
    // A matrix of one row may have any leading dimension; oneDNN wants at least the columns.
    const std::int64_t lda = std::max(p.lda, p.transpose_a ? p.m : p.k);
    const std::int64_t ldb = std::max(p.ldb, p.transpose_b ? p.k : p.n);
    const std::int64_t ldc = std::max(p.ldc, p.n);
    const auto alpha = static_cast<float>(p.alpha), beta = static_cast<float>(p.beta);
    if (way == Way::s8) {
      const std::int32_t none = 0;
      const auto* a = static_cast<const std::int8_t*>(p.a);
      const auto* b = static_cast<const std::int8_t*>(p.b);
      auto* const c = static_cast<std::int32_t*>(p.c);
      return functions_.s8(ta, tb, 'F', p.m, p.n, p.k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, &none);
    }
    auto* const c = static_cast<float*>(p.c);
    if (way == Way::bf16) {
      const auto* a = static_cast<const std::uint16_t*>(p.a);
      const auto* b = static_cast<const std::uint16_t*>(p.b);
      return functions_.bf16(ta, tb, p.m, p.n, p.k, alpha, a, lda, b, ldb, beta, c, ldc);
    }
    const auto* a = static_cast<const float*>(p.a);
    const auto* b = static_cast<const float*>(p.b);
    return functions_.sgemm(ta, tb, p.m, p.n, p.k, alpha, a, lda, b, ldb, beta, c, ldc);
  }

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
