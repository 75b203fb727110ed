// What is made of what a device says, on devices that are not here.
#include "jissoku/backends/opencl/facts.hpp"

#include <gtest/gtest.h>

#include "opencl_facts.hpp"

namespace jissoku::backends::opencl {
namespace {

TEST(OpenClFacts, AnExtensionIsAWholeWord) {
  EXPECT_TRUE(has_extension("cl_khr_icd cl_khr_fp64", "cl_khr_fp64"));
  EXPECT_TRUE(has_extension("cl_khr_fp64 cl_khr_icd ", "cl_khr_fp64"));
  EXPECT_FALSE(has_extension("cl_khr_fp64_extended", "cl_khr_fp64"));
  EXPECT_FALSE(has_extension("", "cl_khr_fp64"));
}

TEST(OpenClFacts, VersionIsReadFromTheStandardsForm) {
  EXPECT_EQ(opencl_version("OpenCL 1.2 CUDA"), 102);
  EXPECT_EQ(opencl_version("OpenCL 3.0 PoCL HSTR: pthread-x86_64"), 300);
  EXPECT_EQ(opencl_version("Vulkan 1.3"), 0);
  EXPECT_EQ(opencl_version(""), 0);
}

TEST(OpenClFacts, NamesAreForPeople) {
  EXPECT_EQ(readable_name(pocl()), "Intel(R) Xeon(R) Processor");
  Facts arm = pocl();
  arm.name = "pthread-cortex-a72";
  EXPECT_EQ(readable_name(arm), "cortex-a72");
  EXPECT_EQ(readable_name(gpu()), "Some GPU 9000");
  Facts nameless = gpu();
  nameless.name = " ";
  EXPECT_EQ(readable_name(nameless), "Vendor Inc. device");
}

TEST(OpenClFacts, PoclIsTheHostAndSaysSo) {
  const device::Info info = describe(pocl(), 2);
  EXPECT_EQ(info.id, "opencl:2");
  EXPECT_EQ(info.backend, "opencl");
  EXPECT_TRUE(info.is_host);
  EXPECT_TRUE(info.queued);
  EXPECT_EQ(info.compute_units, 2);
  ASSERT_EQ(info.notes.size(), 1U);
  EXPECT_EQ(info.notes.front().id, "opencl.shares_cpu");
  EXPECT_NE(info.driver.find("PoCL"), std::string::npos);
  EXPECT_EQ(info.variant_names, (std::vector<std::string>{"own", "clblast"}));
}

TEST(OpenClFacts, AGpuIsNotTheHostAndFingerprintsDoNotHoldTheIndex) {
  const device::Info info = describe(gpu(), 0);
  EXPECT_FALSE(info.is_host);
  EXPECT_TRUE(info.queued);
  EXPECT_TRUE(info.notes.empty());
  EXPECT_EQ(info.fingerprint, describe(gpu(), 1).fingerprint);
  EXPECT_NE(info.fingerprint, describe(pocl(), 0).fingerprint);
}

TEST(OpenClFacts, DevicesThatCannotBeUsedSayWhy) {
  EXPECT_TRUE(unusable(pocl(), 0).empty());
  Facts facts = gpu();
  facts.available = false;
  EXPECT_EQ(unusable(facts, 0).id, "opencl.not_available");
  facts = gpu();
  facts.compiler = false;
  EXPECT_EQ(unusable(facts, 0).id, "opencl.no_compiler");
  facts = gpu();
  facts.device_version = "OpenCL 1.1 old";
  EXPECT_EQ(unusable(facts, 0).id, "opencl.too_old");
}

TEST(OpenClFacts, FormatsComeFromExtensionsOrWidths) {
  EXPECT_TRUE(pocl().has_f64());
  EXPECT_FALSE(pocl().has_f16());
  Facts facts = gpu();
  EXPECT_FALSE(facts.has_f64());
  facts.extensions = "cl_khr_fp16 cl_khr_fp64";
  EXPECT_TRUE(facts.has_f64());
  EXPECT_TRUE(facts.has_f16());
}

}  // namespace
}  // namespace jissoku::backends::opencl
