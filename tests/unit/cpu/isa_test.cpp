#include "jissoku/backends/cpu/isa.hpp"

#include <gtest/gtest.h>

#include "jissoku/backends/cpu/engines.hpp"
#include "jissoku/backends/cpu/kernels.hpp"

namespace jissoku::backends::cpu {
namespace {

TEST(Isa, KernelNamesOfAllLibrariesAreClassed) {
  EXPECT_EQ(kernel_isa("SkylakeX"), Isa::avx512);
  EXPECT_EQ(kernel_isa("Cooperlake"), Isa::avx512);
  EXPECT_EQ(kernel_isa("skx"), Isa::avx512);
  EXPECT_EQ(kernel_isa("avx512_core_amx"), Isa::avx512);
  EXPECT_EQ(kernel_isa("Haswell"), Isa::avx2);
  EXPECT_EQ(kernel_isa("Zen"), Isa::avx2);
  EXPECT_EQ(kernel_isa("zen3"), Isa::avx2);
  EXPECT_EQ(kernel_isa("avx2_vnni"), Isa::avx2);
  EXPECT_EQ(kernel_isa("Prescott"), Isa::baseline);
  EXPECT_EQ(kernel_isa("Sandybridge"), Isa::baseline);
  EXPECT_EQ(kernel_isa("sse41"), Isa::baseline);
  EXPECT_EQ(kernel_isa(""), Isa::baseline);
}

TEST(Isa, UsableKernelsAreWidestFirstAndEndWithTheBaseline) {
  const std::vector<const Kernels*> kernels = usable_kernels();
  ASSERT_FALSE(kernels.empty());
  EXPECT_EQ(kernels.front()->isa, cpu_isa());
  EXPECT_EQ(kernels.back()->isa, Isa::baseline);
  for (std::size_t i = 1; i < kernels.size(); ++i) {
    EXPECT_GT(kernels[i - 1]->isa, kernels[i]->isa);
  }
}

TEST(CoreTypes, AreTriedOnlyForAKernelFarBelowTheCpu) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(better_core_types("Prescott", Isa::avx512), (Names{"SkylakeX", "Haswell"}));
  EXPECT_EQ(better_core_types("Nehalem", Isa::avx2), (Names{"Haswell"}));
  EXPECT_EQ(better_core_types("Prescott", Isa::baseline), Names{});
  EXPECT_EQ(better_core_types("SkylakeX", Isa::avx512), Names{});
  EXPECT_EQ(better_core_types("Zen", Isa::avx512), Names{});  // recognised: its choice stands
}

TEST(KernelNotes, NameAKernelBelowTheCpu) {
  device::Variant variant;
  variant.library = "BLIS 0.9.0";
  variant.kernel = "haswell";
  EXPECT_TRUE(kernel_notes(variant, Isa::avx2).empty());
  const std::vector<core::Message> notes = kernel_notes(variant, Isa::avx512);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes.front(),
            core::message("cpu.kernel_below_cpu",
                          {{"engine", std::string("BLIS 0.9.0")},
                           {"kernel", std::string("haswell")},
                           {"kernel_isa", std::string("AVX2")},
                           {"cpu_isa", std::string("AVX-512")}}));
}

TEST(KernelNotes, SayNothingAboutAnUnknownKernel) {
  EXPECT_TRUE(kernel_notes(device::Variant{}, Isa::avx512).empty());
}

}  // namespace
}  // namespace jissoku::backends::cpu
