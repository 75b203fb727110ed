#include "jissoku/backends/cuda/rules/errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "texts.hpp"

namespace jissoku::backends::cuda {
namespace {

using core::ExitCode;
using testing::HasSubstr;

Failure failure(int code) {
  return {code, "the driver's words", "cudaMalloc", {}, {}};
}

TEST(Errors, OutOfMemorySaysHowMuchWasAskedForAndIsFree) {
  Failure allocation = failure(error_code::kMemoryAllocation);
  allocation.size_bytes = 200e9;
  allocation.free_bytes = 141e9;
  const core::Error error = describe_failure(allocation);
  EXPECT_EQ(error.exit_code, ExitCode::unavailable);
  EXPECT_THAT(text_of(error.message), HasSubstr("200 GB"));
  EXPECT_THAT(text_of(error.message), HasSubstr("141 GB"));
  EXPECT_EQ(describe_failure(failure(error_code::kMemoryAllocation)).message.id, "cuda.out_of_memory");
}

TEST(Errors, ALostDeviceSaysThatTheProcessCannotGoOn) {
  for (const int code : {214, 700, 702, 714, 715, 716, 717, 718, 719}) {
    EXPECT_TRUE(is_sticky(code)) << code;
    const core::Error error = describe_failure(failure(code));
    EXPECT_EQ(error.message.id, "cuda.lost");
    EXPECT_THAT(text_of(error.message), HasSubstr("start again"));
    EXPECT_THAT(text_of(error.message), HasSubstr(std::to_string(code)));
  }
}

TEST(Errors, OthersLeaveTheDeviceAsItIs) {
  for (const int code : {0, 1, 2, 3, 35, 46, 100, 209, 600, 701, 999}) {
    EXPECT_FALSE(is_sticky(code)) << code;
  }
}

TEST(Errors, EveryCodeHasATextAndOnlyOursIsInternal) {
  for (int code = 1; code < 1000; ++code) {
    const core::Error error = describe_failure(failure(code));
    EXPECT_EQ(error.exit_code,
              code == error_code::kInvalidValue ? ExitCode::internal : ExitCode::unavailable);
    EXPECT_FALSE(text_of(error.message).empty()) << code;
  }
}

TEST(Errors, OfCublasAreNamed) {
  EXPECT_EQ(cublas_status_text(15), "not supported");
  EXPECT_EQ(cublas_status_text(13), "execution failed");
  EXPECT_EQ(cublas_status_text(99), "status 99");
  const core::Error error = describe_cublas_failure(1, "cublasLtCreate");
  EXPECT_THAT(text_of(error.message), HasSubstr("cublasLtCreate failed: not initialised"));
}

}  // namespace
}  // namespace jissoku::backends::cuda
