// The plugin on the pretended runtime: what the conformance suite, which runs on it too, does not see.
#include <cstdlib>
#include <dlfcn.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jissoku/device/plugin.hpp"
#include "jissoku/numerics/narrow.hpp"

namespace jissoku::backends::cuda {
namespace {

using core::Status;
using device::MemoryKind;
using device::TensorView;
using numerics::DataType;

class PretendedCuda : public testing::Test {
 protected:
  static constexpr std::int64_t kSize = 12;

  void SetUp() override {
    const std::string folder = JISSOKU_FAKE_CUDA_FOLDER;
    if (folder.empty()) {
      GTEST_SKIP() << "this build has no CUDA plugin: see the configure summary";
    }
    setenv("JISSOKU_LIBRARY_PATH", ("only:" + folder).c_str(), 1);
    ASSERT_NE(dlopen((folder + "/libcuda.so.1").c_str(), RTLD_NOW), nullptr) << dlerror();
    void* const plugin = dlopen((folder + "/jissoku_cuda.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(plugin, nullptr) << dlerror();
    const auto entry = reinterpret_cast<device::PluginEntry>(dlsym(plugin, device::kPluginEntry));
    ASSERT_NE(entry, nullptr) << dlerror();
    entry()->make_backend(backend_);
  }

  static TensorView matrix(DataType type, device::Buffer* buffer) {
    TensorView view;
    view.buffer = buffer;
    view.type = type;
    view.rows = view.columns = view.leading_dimension = kSize;
    view.batch_stride = kSize * kSize;
    return view;
  }

  device::Backend backend_;
};

TEST_F(PretendedCuda, TelemetryAndTheChosenAlgorithmAreThere) {
  auto device = backend_.open("cuda:0", {}).value();
  const device::Telemetry telemetry = device->telemetry();
  if (telemetry.clock_mhz) {  // NVML is found by name only, which needs LD_LIBRARY_PATH
    EXPECT_EQ(telemetry.clock_mhz, 1980);
    EXPECT_EQ(telemetry.memory_clock_mhz, 2619);
    EXPECT_EQ(telemetry.power_watts, 350.5);
    EXPECT_THAT(telemetry.throttle_reasons, testing::ElementsAre("sw_power_cap"));
    EXPECT_EQ(telemetry.link, "PCIe 5.0 x16");
  }
  auto stream = device->create_stream().value();
  auto memory = device->allocate(3 * kSize * kSize * sizeof(double), MemoryKind::device).value();
  device::Gemm gemm;
  gemm.a = gemm.b = gemm.c = matrix(DataType::f64, memory.get());
  gemm.b.offset_elements = kSize * kSize;
  gemm.c.offset_elements = 2 * kSize * kSize;
  gemm.accumulator = DataType::f64;
  EXPECT_EQ(device->variants(gemm).at(0).kernel, "");
  ASSERT_TRUE(device->launch(*stream, gemm).ok());
  EXPECT_THAT(device->variants(gemm).at(0).kernel, testing::MatchesRegex("algo 2[12], .*; fastest of 2"));
  EXPECT_THAT(device->variants(gemm).at(0).library, testing::StartsWith("cuBLASLt 1"));
}

TEST_F(PretendedCuda, OperandsInPageableMemoryAreRefused) {
  auto device = backend_.open("cuda:0", {}).value();
  auto stream = device->create_stream().value();
  auto memory = device->allocate(kSize * kSize * sizeof(float), MemoryKind::pageable).value();
  device::Gemm gemm;
  gemm.a = gemm.b = gemm.c = matrix(DataType::f32, memory.get());
  const Status launched = device->launch(*stream, gemm);
  ASSERT_FALSE(launched.ok());
  EXPECT_EQ(launched.error().message.id, "cuda.not_addressable");
  EXPECT_TRUE(device->launch(*stream, device::Fill{gemm.c, numerics::Data::normal, 1, 1, false}).ok());
}

}  // namespace
}  // namespace jissoku::backends::cuda
