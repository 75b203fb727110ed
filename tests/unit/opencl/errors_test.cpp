#include "jissoku/backends/opencl/errors.hpp"

#include <gtest/gtest.h>

namespace jissoku::backends::opencl {
namespace {

TEST(OpenClErrors, HaveTheirNamesFromTheHeaders) {
  EXPECT_EQ(error_name(0), "CL_SUCCESS");
  EXPECT_EQ(error_name(-5), "CL_OUT_OF_RESOURCES");
  EXPECT_EQ(error_name(-11), "CL_BUILD_PROGRAM_FAILURE");
  EXPECT_EQ(error_name(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
  EXPECT_EQ(error_name(-9999), "error -9999");
}

TEST(OpenClErrors, OfClblastAreItsOwnOrOpenCls) {
  EXPECT_EQ(clblast_error_name(-2045), "CLBlastNoHalfPrecision");
  EXPECT_EQ(clblast_error_name(-4), "CL_MEM_OBJECT_ALLOCATION_FAILURE");
  EXPECT_EQ(clblast_error_name(-9999), "error -9999");
}

TEST(OpenClErrors, SayWhatToDoByTheirClass) {
  const auto id = [](int code) { return call_error("opencl:0", "clCreateBuffer", code).message.id; };
  EXPECT_EQ(id(-4), "opencl.no_memory");
  EXPECT_EQ(id(-6), "opencl.no_memory");
  EXPECT_EQ(id(-61), "opencl.no_memory");
  EXPECT_EQ(id(-5), "opencl.no_resources");
  EXPECT_EQ(id(-2), "opencl.lost");
  EXPECT_EQ(id(-30), "opencl.call_failed");
  EXPECT_EQ(call_error("opencl:0", "clFinish", -5).exit_code, core::ExitCode::unavailable);
}

}  // namespace
}  // namespace jissoku::backends::opencl
