// The fake does what the tests that use it take for granted; that it is a device like any other is
// shown by the conformance tests.
#include "support/fake_device.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "jissoku/numerics/verification.hpp"

namespace jissoku::tests {
namespace {

using device::MemoryKind;

class Fake : public testing::Test {
 protected:
  std::unique_ptr<device::Device> open(FakeDeviceOptions options) {
    options_ = options;
    device::Registry registry;
    registry.add(make_fake_backend(clock_, {std::move(options)}, journal_));
    return registry.open(options_.id, {}).value();
  }

  /// A 64 x 64 x 64 product on pageable memory, A and B normal, C poisoned.
  device::Gemm prepare(device::Device& device, device::Stream& stream) {
    device::Gemm gemm;
    device::TensorView view;
    view.rows = view.columns = view.leading_dimension = 64;
    std::uint64_t seed = 1;
    for (device::TensorView* one : {&gemm.a, &gemm.b, &gemm.c}) {
      buffers_.push_back(device.allocate(64 * 64 * sizeof(float), MemoryKind::pageable).value());
      view.buffer = buffers_.back().get();
      *one = view;
      device::Fill fill{view, numerics::Data::normal, seed++, 1, one == &gemm.c};
      EXPECT_TRUE(device.launch(stream, fill).ok());
    }
    return gemm;
  }

  static bool verified(const device::Gemm& gemm) {
    const auto view = [](const device::TensorView& one) {
      return numerics::MatrixView{
          one.buffer->host_data(), one.type, one.rows, one.columns, one.leading_dimension};
    };
    numerics::GemmCheck check;
    check.a = view(gemm.a);
    check.b = view(gemm.b);
    check.c = view(gemm.c);
    return numerics::verify_gemm(check).passed;
  }

  FakeClock clock_;
  FakeDeviceOptions options_;
  std::shared_ptr<FakeJournal> journal_ = std::make_shared<FakeJournal>();
  std::vector<std::unique_ptr<device::Buffer>> buffers_;  // each test clears them, before its device goes
};

TEST_F(Fake, HostDeviceTakesTheTimeItsRateSays) {
  FakeDeviceOptions options;
  options.noise = 0;
  options.launch_ns = 500;
  options.threads = 3;
  options.variants = {{"slow", 2}, {"fast", 8}};
  const auto device = open(options);
  const auto stream = device->create_stream().value();
  device::Gemm gemm = prepare(*device, *stream);
  for (const auto& [name, gflops] : {std::pair("slow", 2.0), std::pair("fast", 8.0), std::pair("", 2.0)}) {
    gemm.variant = name;
    const std::int64_t start_ns = clock_.now_ns();
    const std::int64_t start_cpu_ns = clock_.process_cpu_ns();
    ASSERT_TRUE(device->launch(*stream, gemm).ok());
    const std::int64_t took_ns = clock_.now_ns() - start_ns;
    EXPECT_EQ(took_ns, 500 + static_cast<std::int64_t>(2.0 * 64 * 64 * 64 / gflops));
    EXPECT_EQ(clock_.process_cpu_ns() - start_cpu_ns, 3 * took_ns);
    EXPECT_TRUE(verified(gemm));
  }
  EXPECT_EQ(journal_->gemms.at("slow"), 2);
  EXPECT_EQ(journal_->gemms.at("fast"), 1);
  EXPECT_EQ(journal_->operations.at("fill"), 3);
  buffers_.clear();
}

TEST_F(Fake, AcceleratorWorksWhileTheHostGoesOnAndHasItsOwnClock) {
  FakeDeviceOptions options;
  options.is_host = false;
  options.noise = 0;
  options.launch_ns = 100;
  options.variants = {{"only", 1}};
  const auto device = open(options);
  const auto stream = device->create_stream().value();
  const auto first = device->create_event().value();
  const auto last = device->create_event().value();
  const device::Gemm gemm = prepare(*device, *stream);
  ASSERT_TRUE(device->synchronise(*stream).ok());
  const std::int64_t start_ns = clock_.now_ns();
  const std::int64_t work_ns = 100 + 2 * 64 * 64 * 64;
  ASSERT_TRUE(device->record(*stream, *first).ok());
  ASSERT_TRUE(device->launch(*stream, gemm).ok());
  ASSERT_TRUE(device->launch(*stream, gemm).ok());
  ASSERT_TRUE(device->record(*stream, *last).ok());
  EXPECT_EQ(clock_.now_ns() - start_ns, 200);  // only the calls
  ASSERT_TRUE(device->synchronise(*stream).ok());
  EXPECT_EQ(clock_.now_ns() - start_ns, 100 + 2 * work_ns);
  EXPECT_EQ(device->elapsed_ns(*first, *last).value(), static_cast<double>(100 + 2 * work_ns));
  buffers_.clear();
}

TEST_F(Fake, AcceleratorHidesItsMemory) {
  FakeDeviceOptions options;
  options.is_host = false;
  const auto device = open(options);
  EXPECT_EQ(device->allocate(8, MemoryKind::device).value()->host_data(), nullptr);
  EXPECT_NE(device->allocate(8, MemoryKind::pinned).value()->host_data(), nullptr);
}

TEST_F(Fake, NoiseIsSeededAndHasTheGivenWidth) {
  std::vector<std::vector<double>> runs;
  for (const std::uint64_t seed : {5U, 5U, 6U}) {
    FakeDeviceOptions options;
    options.noise = 0.05;
    options.seed = seed;
    options.compute = false;
    const auto device = open(options);
    const auto stream = device->create_stream().value();
    const device::Gemm gemm = prepare(*device, *stream);
    std::vector<double> logs;
    for (int i = 0; i < 2000; ++i) {
      const std::int64_t start_ns = clock_.now_ns();
      ASSERT_TRUE(device->launch(*stream, gemm).ok());
      logs.push_back(std::log(static_cast<double>(clock_.now_ns() - start_ns)));
    }
    runs.push_back(logs);
    buffers_.clear();
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_NE(runs[0], runs[2]);
  double sum = 0;
  double squares = 0;
  for (const double value : runs[0]) {
    sum += value;
    squares += value * value;
  }
  const double mean = sum / 2000;
  EXPECT_NEAR(std::sqrt(squares / 2000 - mean * mean), 0.05, 0.004);
}

TEST_F(Fake, ASlowdownActsOnTheLaunchesItNames) {
  FakeDeviceOptions options;
  options.noise = 0;
  options.compute = false;
  options.slowdown = [](std::int64_t launch) { return launch == 4 ? 3.0 : 1.0; };
  const auto device = open(options);
  const auto stream = device->create_stream().value();
  const device::Gemm gemm = prepare(*device, *stream);  // launches 0 to 2
  std::vector<std::int64_t> times;
  for (int i = 0; i < 3; ++i) {
    const std::int64_t start_ns = clock_.now_ns();
    ASSERT_TRUE(device->launch(*stream, gemm).ok());
    times.push_back(clock_.now_ns() - start_ns);
  }
  EXPECT_NEAR(static_cast<double>(times[1]), 3 * static_cast<double>(times[0]), 3);
  EXPECT_EQ(times[2], times[0]);
  buffers_.clear();
}

TEST_F(Fake, WrongResultsAreFoundByTheVerification) {
  FakeDeviceOptions options;
  options.variants = {{"right"},
                      {"zeroed", 10, FakeResult::zeroed},
                      {"off", 10, FakeResult::one_element_off},
                      {"untouched", 10, FakeResult::untouched},
                      {"nan", 10, FakeResult::not_a_number}};
  const auto device = open(options);
  const auto stream = device->create_stream().value();
  device::Gemm gemm = prepare(*device, *stream);
  const device::Fill poison{gemm.c, numerics::Data::normal, 0, 1, true};
  for (const FakeVariant& variant : options.variants) {
    for (int repeat = 0; repeat < 2; ++repeat) {  // the second may come from what the fake remembers
      ASSERT_TRUE(device->launch(*stream, poison).ok());
      gemm.variant = variant.name;
      ASSERT_TRUE(device->launch(*stream, gemm).ok());
      EXPECT_EQ(verified(gemm), variant.name == "right") << variant.name;
    }
  }
  buffers_.clear();
}

TEST_F(Fake, ProductsFollowChangedInputs) {
  const auto device = open({});
  const auto stream = device->create_stream().value();
  device::Gemm gemm = prepare(*device, *stream);
  ASSERT_TRUE(device->launch(*stream, gemm).ok());
  ASSERT_TRUE(device->launch(*stream, gemm).ok());
  reinterpret_cast<float*>(gemm.b.buffer->host_data())[17] += 1;
  EXPECT_FALSE(verified(gemm));
  ASSERT_TRUE(device->launch(*stream, gemm).ok());
  EXPECT_TRUE(verified(gemm));
  reinterpret_cast<float*>(gemm.c.buffer->host_data())[99] += 1;
  EXPECT_FALSE(verified(gemm));
  ASSERT_TRUE(device->launch(*stream, gemm).ok());
  EXPECT_TRUE(verified(gemm));
  gemm.beta = 1;  // accumulates each time
  const float before = reinterpret_cast<float*>(gemm.c.buffer->host_data())[0];
  ASSERT_TRUE(device->launch(*stream, gemm).ok());
  ASSERT_TRUE(device->launch(*stream, gemm).ok());
  EXPECT_NEAR(reinterpret_cast<float*>(gemm.c.buffer->host_data())[0], 3 * before, 1e-4);
  buffers_.clear();
}

TEST_F(Fake, MissingVariantIsKnownByNameOnly) {
  FakeDeviceOptions options;
  options.variants = {{"gone", 10, FakeResult::right, true}, {"there"}};
  const auto device = open(options);
  EXPECT_EQ(device->info().variant_names, (std::vector<std::string>{"gone", "there"}));
  device::Gemm gemm;
  gemm.a.rows = gemm.a.columns = gemm.a.leading_dimension = 1;
  gemm.b = gemm.c = gemm.a;
  ASSERT_EQ(device->variants(gemm).size(), 1U);
  EXPECT_EQ(device->variants(gemm)[0].name, "there");
  EXPECT_TRUE(device->supports(gemm).ok);
  gemm.variant = "gone";
  EXPECT_FALSE(device->supports(gemm).ok);
  EXPECT_EQ(device->supports(gemm).reason.id, "test.fake_missing");
}

/// Makes each call twice and gives how often it failed.
int failures_of(const device::Registry& registry) {
  int failures = 0;
  const auto note = [&](const auto& result) {
    failures += !result && result.error().message.id == "test.fake_failure" ? 1 : 0;
  };
  for (int turn = 0; turn < 2; ++turn) {
    auto opened = registry.open("fake", {});
    note(opened);
    if (!opened) {
      continue;
    }
    device::Device& device = **opened;
    auto buffer = device.allocate(64, MemoryKind::pageable);
    note(buffer);
    auto stream = device.create_stream();
    note(stream);
    auto event = device.create_event();
    note(event);
    if (!buffer || !stream || !event) {
      continue;
    }
    device::TensorView view;
    view.buffer = buffer->get();
    view.rows = view.columns = view.leading_dimension = 1;
    note(device.launch(**stream, device::Fill{view}));
    note(device.copy(**stream, {buffer->get(), 0, buffer->get(), 32, 32}));
    note(device.wait(**stream, **event));
    note(device.record(**stream, **event));
    note(device.synchronise(**stream));
    note(device.elapsed_ns(**event, **event));
  }
  return failures;
}

TEST_F(Fake, FailsEachCallWhenTold) {
  for (const FakeCall call : kFakeCalls) {
    for (const int from : {0, 1}) {
      FakeDeviceOptions options;
      options.failures = {{call, from, 1}};
      device::Registry registry;
      registry.add(make_fake_backend(clock_, {options}));
      EXPECT_EQ(failures_of(registry), 1) << static_cast<int>(call) << " from " << from;
    }
    FakeDeviceOptions options;
    options.failures = {{call, 2, 1}};
    device::Registry registry;
    registry.add(make_fake_backend(clock_, {options}));
    EXPECT_EQ(failures_of(registry), 0) << static_cast<int>(call);
  }
}

}  // namespace
}  // namespace jissoku::tests
