// The plugin on the pretended runtime, while each call of the runtime in turn fails: a message, nothing kept,
// no abort, and it works again afterwards.
#include <cstdlib>
#include <dlfcn.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jissoku/device/plugin.hpp"
#include "jissoku/numerics/narrow.hpp"

namespace jissoku::backends::cuda {
namespace {

using core::ExitCode;
using core::Status;
using device::MemoryKind;
using device::TensorView;
using numerics::DataType;

/// The first error, or none.
struct Outcome {
  Status status;
  bool failed() const { return !status.ok(); }
  template <typename T>
  bool took(const core::Result<T>& result) {
    if (!result.ok()) {
      status = result.error();
    }
    return result.ok();
  }
};

class CudaFailures : public testing::Test {
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
    fail_at_ = reinterpret_cast<void (*)(long, int)>(dlsym(plugin, "fake_cuda_fail_at"));
    calls_ = reinterpret_cast<long (*)()>(dlsym(plugin, "fake_cuda_calls"));
    live_ = reinterpret_cast<long (*)()>(dlsym(plugin, "fake_cuda_live"));
    ASSERT_TRUE(entry != nullptr && fail_at_ != nullptr && calls_ != nullptr && live_ != nullptr);
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

  /// A session as an experiment has it. Ends at the first error.
  Outcome session() {
    Outcome outcome;
    auto device = backend_.open("cuda:0", {});
    if (!outcome.took(device)) {
      return outcome;
    }
    auto stream = (*device)->create_stream();
    auto start = (*device)->create_event();
    auto stop = (*device)->create_event();
    if (outcome.took(stream) && outcome.took(start) && outcome.took(stop)) {
      work(**device, **stream, **start, **stop, outcome);
    }
    return outcome;
  }

  static void work(device::Device& device,
                   device::Stream& stream,
                   device::Event& start,
                   device::Event& stop,
                   Outcome& outcome) {
    const std::size_t bytes = kSize * kSize * sizeof(float);
    std::vector<std::unique_ptr<device::Buffer>> buffers;
    for (const MemoryKind kind : {MemoryKind::device,
                                  MemoryKind::device,
                                  MemoryKind::device,
                                  MemoryKind::pinned,
                                  MemoryKind::mapped}) {
      auto buffer = device.allocate(bytes, kind);
      if (!outcome.took(buffer)) {
        return;
      }
      buffers.push_back(std::move(*buffer));
    }
    device::Gemm gemm;
    gemm.a = matrix(DataType::f32, buffers[0].get());
    gemm.b = matrix(DataType::f32, buffers[1].get());
    gemm.c = matrix(DataType::f32, buffers[2].get());
    const bool done =
        outcome.took(device.launch(stream, device::Fill{gemm.a, numerics::Data::ints, 1, 3, false})) &&
        outcome.took(device.launch(stream, device::Fill{gemm.b, numerics::Data::ints, 2, 3, false})) &&
        outcome.took(device.record(stream, start)) && outcome.took(device.launch(stream, gemm)) &&
        outcome.took(device.record(stream, stop)) && outcome.took(device.wait(stream, stop)) &&
        outcome.took(device.copy(stream, {buffers[3].get(), 0, buffers[2].get(), 0, bytes})) &&
        outcome.took(device.synchronise(stream)) && outcome.took(device.elapsed_ns(start, stop));
    if (done) {
      const auto* const result = reinterpret_cast<const float*>(buffers[3]->host_data());
      EXPECT_EQ(result[0], expected_first());
    }
  }

  /// Element (0, 0) of the product.
  static float expected_first() {
    std::vector<float> a(kSize * kSize), b(kSize * kSize);
    numerics::fill_values(numerics::Data::ints, 1, 0, 3, a);
    numerics::fill_values(numerics::Data::ints, 2, 0, 3, b);
    float sum = 0;
    for (std::size_t p = 0; p < kSize; ++p) {
      sum += a[p] * b[p * kSize];
    }
    return sum;
  }

  device::Backend backend_;
  void (*fail_at_)(long, int) = nullptr;
  long (*calls_)() = nullptr;
  long (*live_)() = nullptr;
};

TEST_F(CudaFailures, OfEachCallInTurnAreMessagesAndKeepNothing) {
  fail_at_(0, 0);
  ASSERT_FALSE(session().failed());
  ASSERT_EQ(live_(), 0);
  const long calls = calls_();
  ASSERT_GT(calls, 40);
  int failed = 0;
  for (const int code : {2, 46, 700, 719, 999}) {
    for (long n = 1; n <= calls; ++n) {
      fail_at_(n, code);
      const Outcome outcome = session();
      ASSERT_EQ(live_(), 0) << "call " << n << " with " << code;
      if (outcome.failed()) {
        ++failed;
        EXPECT_FALSE(outcome.status.error().message.empty());
        EXPECT_EQ(outcome.status.error().exit_code, ExitCode::unavailable);
      }
    }
  }
  EXPECT_GT(failed, 5 * calls / 2);  // the others are of candidates and of notes, which may fail
  fail_at_(0, 0);
  EXPECT_FALSE(session().failed());
}

TEST_F(CudaFailures, OfALostDeviceSayThatItIsLost) {
  fail_at_(0, 0);
  ASSERT_FALSE(session().failed());
  const long calls = calls_();
  int lost = 0;
  for (long n = calls / 4; n <= calls; ++n) {
    fail_at_(n, 719);
    const Outcome outcome = session();
    lost += outcome.failed() && outcome.status.error().message.id == "cuda.lost" ? 1 : 0;
  }
  EXPECT_GT(lost, calls / 2);
}

TEST_F(CudaFailures, TelemetryAndTheChosenAlgorithmAreThere) {
  fail_at_(0, 0);
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

TEST_F(CudaFailures, OperandsInPageableMemoryAreRefused) {
  fail_at_(0, 0);
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
