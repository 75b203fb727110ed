// What is compiled for a device and kept, and products when a candidate for them, or the library, is not
// there.
#include "jissoku/backends/opencl/errors.hpp"
#include "opened_device.hpp"
#include "support/failing_opencl.hpp"

namespace jissoku::backends::opencl {
namespace {

device::Gemm product(device::Buffer* a, device::Buffer* b, device::Buffer* c) {
  const auto square = [](device::Buffer* buffer) {
    device::TensorView view;
    view.buffer = buffer;
    view.rows = view.columns = view.leading_dimension = 16;
    return view;
  };
  device::Gemm gemm;
  gemm.a = square(a);
  gemm.b = square(b);
  gemm.c = square(c);
  return gemm;
}

/// A product on a device of its own, for which the call `at` to the compiler fails.
core::Status multiply_while_build_fails(const FoundDevice& found, long at, bool lasting) {
  tests::failing_code = CL_BUILD_PROGRAM_FAILURE;
  tests::tripwire().arm({tests::Site::compiler}, at, lasting);
  const auto runtime = Runtime::create(found, tests::failing_opencl()).value();
  const auto device = OpenClDevice::open(describe(found.facts, 0), runtime, "no_such_library.so").value();
  const auto stream = device->create_stream().value();
  const auto memory = device->allocate(std::size_t{3} * 1024, device::MemoryKind::device).value();
  device::Gemm gemm = product(memory.get(), memory.get(), memory.get());
  gemm.b.offset_elements = 256;
  gemm.c.offset_elements = 512;
  core::Status done = device->launch(*stream, gemm);
  done = done ? device->synchronise(*stream) : done;
  EXPECT_TRUE(tests::tripwire().tripped());
  tests::tripwire().disarm();
  return done;
}

TEST(OpenClCandidates, ThatDoNotCompileLeaveTheOthers) {
  const FoundDevice* const found = usable_device();
  if (found == nullptr || !found->facts.is_cpu) {
    GTEST_SKIP() << "no OpenCL device on the CPU here";
  }
  EXPECT_TRUE(multiply_while_build_fails(*found, 0, false).ok());
  EXPECT_TRUE(multiply_while_build_fails(*found, 1, false).ok());
  const core::Status without_any = multiply_while_build_fails(*found, 0, true);
  ASSERT_FALSE(without_any.ok());
  EXPECT_EQ(without_any.error().message.id, "opencl.build_failed");
}

TEST(OpenClCandidates, AMissingLibraryIsAReason) {
  const FoundDevice* const found = usable_device();
  if (found == nullptr) {
    GTEST_SKIP() << "no OpenCL device here";
  }
  auto runtime = shared_runtime(*found);
  ASSERT_TRUE(runtime.ok());
  auto device = OpenClDevice::open(describe(found->facts, 0), *runtime, "no_such_library.so");
  ASSERT_TRUE(device.ok());
  device::Gemm gemm = product(nullptr, nullptr, nullptr);
  gemm.variant = "clblast";
  EXPECT_EQ((*device)->supports(gemm).reason.id, "opencl.no_clblast");
  EXPECT_EQ((*device)->variants(gemm).size(), 2U);
}

class Compiling : public OpenedDevice {};

TEST_F(Compiling, BrokenSourceIsAnErrorWithTheCompilersWords) {
  static const std::string kSource = "__kernel void broken(__global float* a) { a[0] = no_such_name; }";
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto kernel = runtime_->kernel(kSource, "", "broken");
    ASSERT_FALSE(kernel.ok());
    EXPECT_EQ(kernel.error().message.id, "opencl.build_failed");
    const auto* const log = std::get_if<std::string>(kernel.error().message.find("log"));
    ASSERT_NE(log, nullptr);
    EXPECT_EQ(log->find('\n'), std::string::npos);
  }
}

TEST_F(Compiling, AProgramIsBuiltOnceAndItsKernelsAreKept) {
  static const std::string kSource = "__kernel void store(__global float* a) { a[0] = VALUE; }";
  const auto first = runtime_->kernel(kSource, "-D VALUE=1", "store");
  const auto again = runtime_->kernel(kSource, "-D VALUE=1", "store");
  const auto other = runtime_->kernel(kSource, "-D VALUE=2", "store");
  ASSERT_TRUE(first.ok() && again.ok() && other.ok());
  EXPECT_EQ(*first, *again);
  EXPECT_NE(*first, *other);
  EXPECT_FALSE(runtime_->kernel(kSource, "-D VALUE=1", "no_such_kernel").ok());
}

TEST(OpenClBuildLog, IsCutToItsFirstLines) {
  EXPECT_EQ(first_lines("\n one\n\ntwo\nthree\nfour\n", 3), " one | two | three");
  EXPECT_EQ(first_lines("", 3), "");
}

}  // namespace
}  // namespace jissoku::backends::opencl
