// Numbers of the driver, of NVML and of the environment, as people read them.
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jissoku/backends/cuda/rules/library_places.hpp"
#include "jissoku/backends/cuda/rules/telemetry.hpp"
#include "jissoku/backends/cuda/rules/versions.hpp"

namespace jissoku::backends::cuda {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Versions, OfCudaAndCublas) {
  EXPECT_EQ(format_cuda_version(13000), "13.0");
  EXPECT_EQ(format_cuda_version(12080), "12.8");
  EXPECT_EQ(format_cublas_version(130100), "13.1.0");
  EXPECT_EQ(format_cublas_version(120205), "12.2.5");
  EXPECT_EQ(format_cublas_version(11402), "11.4.2");
}

TEST(Versions, OfTheDriverThatARuntimeNeeds) {
  EXPECT_EQ(minimum_driver(12020), 525);
  EXPECT_EQ(minimum_driver(12090), 525);
  EXPECT_EQ(minimum_driver(13000), 580);
  EXPECT_EQ(minimum_driver(14000), 0);
}

TEST(Versions, OfTheLoadedDriverWhicheverModuleItIs) {
  EXPECT_EQ(parse_driver_version("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 "
                                 "01:15:15 UTC 2023\nGCC version:  gcc version 12.2.0\n"),
            "535.104.05");
  EXPECT_EQ(parse_driver_version("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  "
                                 "Release Build  (dvs-builder)\n"),
            "580.65.06");
  EXPECT_EQ(parse_driver_version(""), "");
  EXPECT_EQ(parse_driver_version("NVRM version: unknown\nGCC version: 12.2.0"), "");
  EXPECT_EQ(parse_driver_version("  .  5 1. .1 "), "");
}

TEST(Versions, KernelsRunOnTheirMajorVersionAndPtxOnNewerOnes) {
  const char* const built = "75,80,86,90,100,120";
  EXPECT_TRUE(kernels_cover(built, {9, 0}));
  EXPECT_TRUE(kernels_cover(built, {8, 9}));   // code of 8.6
  EXPECT_TRUE(kernels_cover(built, {10, 3}));  // code of 10.0
  EXPECT_TRUE(kernels_cover(built, {13, 0}));  // PTX of 12.0
  EXPECT_FALSE(kernels_cover(built, {7, 0}));  // Volta, which CUDA 13 does not know
  EXPECT_TRUE(kernels_cover("70,75,80", {7, 0}));
  EXPECT_FALSE(kernels_cover("90", {8, 0}));
  EXPECT_FALSE(kernels_cover("100", {9, 0}));
  EXPECT_FALSE(kernels_cover("", {9, 0}));
}

TEST(Versions, CapabilitiesCompareByMajorFirst) {
  EXPECT_TRUE(at_least({8, 0}, 8, 0));
  EXPECT_TRUE(at_least({9, 0}, 8, 6));
  EXPECT_FALSE(at_least({7, 5}, 8, 0));
  EXPECT_EQ(to_string(ComputeCapability{12, 1}), "12.1");
}

TEST(Telemetry, ThrottleReasonsByBit) {
  EXPECT_THAT(throttle_reasons(0), IsEmpty());
  EXPECT_THAT(throttle_reasons(0x1), ElementsAre("idle"));
  EXPECT_THAT(throttle_reasons(0x4), ElementsAre("sw_power_cap"));
  EXPECT_THAT(throttle_reasons(0x8 | 0x40), ElementsAre("hw_slowdown", "hw_thermal_slowdown"));
  EXPECT_THAT(throttle_reasons(0x1FF),
              ElementsAre("idle",
                          "application_clocks",
                          "sw_power_cap",
                          "hw_slowdown",
                          "sync_boost",
                          "sw_thermal_slowdown",
                          "hw_thermal_slowdown",
                          "hw_power_brake",
                          "display_clocks"));
  EXPECT_THAT(throttle_reasons(std::uint64_t{1} << 63), ElementsAre("bit 63"));
}

TEST(Telemetry, LinkAndIdentity) {
  EXPECT_EQ(link_text(5, 16), "PCIe 5.0 x16");
  EXPECT_EQ(link_text(0, 16), "");
  EXPECT_EQ(link_text(4, 0), "");
  const unsigned char bytes[16] = {0xA1, 0xB2, 0xC3, 0xD4, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255};
  EXPECT_EQ(uuid_text(bytes), "GPU-a1b2c3d4-0001-0203-0405-060708090aff");
}

std::vector<std::string> places(const std::map<std::string, std::string>& variables) {
  const Environment environment = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  return library_places(environment, "libx.so.13", 13);
}

TEST(LibraryPlaces, TheLoaderIsAskedBeforeTheToolkits) {
  EXPECT_THAT(places({}),
              ElementsAre("libx.so.13",
                          "/usr/local/cuda-13/lib64/libx.so.13",
                          "/usr/local/cuda/lib64/libx.so.13",
                          "/opt/cuda/lib64/libx.so.13"));
  EXPECT_EQ(places({{"CUDA_HOME", "/opt/cuda-13.2"}}).at(1), "/opt/cuda-13.2/lib64/libx.so.13");
}

TEST(LibraryPlaces, WhatPeopleNameComesFirstOrAlone) {
  const auto first = places({{"JISSOKU_LIBRARY_PATH", ":/a::/b"}});
  EXPECT_EQ(first.at(0), "/a/libx.so.13");
  EXPECT_EQ(first.at(1), "/b/libx.so.13");
  EXPECT_EQ(first.at(2), "libx.so.13");
  EXPECT_THAT(places({{"JISSOKU_LIBRARY_PATH", "only:/a"}}), ElementsAre("/a/libx.so.13"));
  EXPECT_THAT(places({{"JISSOKU_LIBRARY_PATH", "only:"}}), IsEmpty());
  EXPECT_EQ(places({{"JISSOKU_LIBRARY_PATH", ""}}).at(0), "libx.so.13");
}

}  // namespace
}  // namespace jissoku::backends::cuda
