#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/mman.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jissoku/backends/cpu/backend.hpp"
#include "jissoku/backends/cpu/cpu_device.hpp"
#include "jissoku/backends/cpu/environment.hpp"
#include "jissoku/core/machine.hpp"
#include "support/library_folder.hpp"

namespace jissoku::backends::cpu {
namespace {

using numerics::DataType;
using tests::LibraryFolder;

bool has_note(const device::Info& info, const std::string& id) {
  return std::any_of(
      info.notes.begin(), info.notes.end(), [&](const core::Message& note) { return note.id == id; });
}

/// A device with our own engine alone, as on a machine without any BLAS.
class CpuDeviceTest : public testing::Test {
 protected:
  CpuDeviceTest() {
    const ScopedEnvironment nowhere({{"JISSOKU_LIBRARY_PATH", "only:" + folder_.path()}});
    listing_ = make_backend().list();
    device::OpenOptions options;
    options.threads = 2;
    auto opened = make_backend().open("cpu", options);
    EXPECT_TRUE(opened);
    device_ = std::move(*opened);
    stream_ = std::move(device_->create_stream()).value();
  }

  std::unique_ptr<device::Buffer> buffer(std::size_t size_bytes) {
    auto allocated = device_->allocate(size_bytes, device::MemoryKind::device);
    EXPECT_TRUE(allocated);
    return std::move(*allocated);
  }
  static device::TensorView view(device::Buffer* buffer,
                                 std::int64_t rows,
                                 std::int64_t columns,
                                 DataType type) {
    device::TensorView view;
    view.buffer = buffer;
    view.type = type;
    view.rows = rows;
    view.columns = view.leading_dimension = columns;
    return view;
  }
  template <typename T>
  static T* data(device::Buffer& buffer) {
    return reinterpret_cast<T*>(buffer.host_data());
  }
  static device::Gemm square(std::int64_t n, DataType type) {
    device::Gemm gemm;
    gemm.a = gemm.b = gemm.c = view(nullptr, n, n, type);
    gemm.accumulator = type;
    return gemm;
  }
  std::string why_not(const device::Operation& operation) const {
    const device::Support support = device_->supports(operation);
    return support.ok ? "supported" : support.reason.id;
  }

  LibraryFolder folder_;
  device::Listing listing_;
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<device::Stream> stream_;
};

TEST_F(CpuDeviceTest, IsListedWithWhatIsMissing) {
  ASSERT_EQ(listing_.devices.size(), 1U);
  const device::Info& info = listing_.devices.front();
  EXPECT_EQ(info.id, "cpu");
  EXPECT_TRUE(info.is_host);
  EXPECT_FALSE(info.name.empty());
  EXPECT_FALSE(info.fingerprint.empty());
  EXPECT_GT(info.memory_bytes, 0);
  EXPECT_THAT(info.variant_names, testing::IsSupersetOf({"openblas", "blis", "onednn", "jissoku"}));
  EXPECT_TRUE(has_note(info, "cpu.engine_not_installed"));
  EXPECT_TRUE(has_note(device_->info(), "cpu.engine_not_installed"));
}

TEST_F(CpuDeviceTest, WithoutLibrariesOurOwnEngineIsThere) {
  const std::vector<device::Variant> variants = device_->variants(device::Gemm{});
  ASSERT_EQ(variants.size(), 1U);
  EXPECT_EQ(variants.front().name, "jissoku");
  EXPECT_EQ(variants.front().threads, 2);
}

TEST_F(CpuDeviceTest, GivesReasonsForWhatItCannotDo) {
  device::Gemm gemm = square(4, DataType::f32);
  EXPECT_EQ(why_not(gemm), "supported");
  gemm.variant = "openblas";
  EXPECT_EQ(why_not(gemm), "cpu.engine_not_installed");
  gemm.variant = "fortran";
  EXPECT_EQ(why_not(gemm), "cpu.no_such_engine");
  gemm = square(4, DataType::f64);
  EXPECT_EQ(why_not(gemm), "supported");
  gemm.accumulator = DataType::f32;
  EXPECT_EQ(why_not(gemm), "cpu.accumulator");
  EXPECT_EQ(why_not(square(4, DataType::bf16)), "cpu.engine_type");
  EXPECT_EQ(why_not(device::Quantise{}), "device.operation_unsupported");
  EXPECT_EQ(why_not(device::FmaPeak{DataType::f16, 1e6, {}}), "device.type_unsupported");
  EXPECT_EQ(why_not(device::FmaPeak{DataType::f32, 1e6, "mmx"}), "cpu.no_such_isa");
}

TEST_F(CpuDeviceTest, MultipliesBatches) {
  // Two products of 1 x 2 and 2 x 1: 1*3 + 2*4 = 11, 5*7 + 6*8 = 83.
  auto a = buffer(4 * sizeof(double));
  auto b = buffer(4 * sizeof(double));
  auto c = buffer(2 * sizeof(double));
  const std::array<double, 4> a_values = {1, 2, 5, 6};
  const std::array<double, 4> b_values = {3, 4, 7, 8};
  std::memcpy(a->host_data(), a_values.data(), sizeof(a_values));
  std::memcpy(b->host_data(), b_values.data(), sizeof(b_values));
  device::Gemm gemm;
  gemm.a = view(a.get(), 1, 2, DataType::f64);
  gemm.b = view(b.get(), 2, 1, DataType::f64);
  gemm.c = view(c.get(), 1, 1, DataType::f64);
  gemm.a.batch = gemm.b.batch = gemm.c.batch = 2;
  gemm.a.batch_stride = gemm.b.batch_stride = 2;
  gemm.c.batch_stride = 1;
  gemm.accumulator = DataType::f64;
  ASSERT_TRUE(device_->launch(*stream_, gemm));
  EXPECT_EQ(data<double>(*c)[0], 11);
  EXPECT_EQ(data<double>(*c)[1], 83);
}

/// NVFP4 operands, the second product of a batch with codes, scales and result of its own.
TEST_F(CpuDeviceTest, MultipliesBatchesOfScaledCodes) {
  constexpr std::int64_t kDepth = 32;
  auto codes = buffer(2 * kDepth / 2);
  auto scales = buffer(4);
  auto c = buffer(2 * sizeof(float));
  std::memset(codes->host_data(), 0x22, 2 * kDepth / 2);                 // all elements 1
  const std::array<std::uint8_t, 4> factors = {0x38, 0x40, 0x48, 0x30};  // 1, 2, 4, 0.5
  std::memcpy(scales->host_data(), factors.data(), factors.size());
  device::Gemm gemm;
  gemm.a = view(codes.get(), 1, kDepth, DataType::e2m1);
  gemm.a.batch = 2;
  gemm.a.batch_stride = kDepth;
  gemm.a.scales = scales.get();
  gemm.a.scale_type = DataType::e4m3;
  gemm.a.scale_block = 16;
  gemm.b = gemm.a;
  gemm.transpose_b = true;
  gemm.c = view(c.get(), 1, 1, DataType::f32);
  gemm.c.batch = 2;
  gemm.c.batch_stride = 1;
  EXPECT_TRUE(device_->supports(gemm).emulated);
  ASSERT_TRUE(device_->launch(*stream_, gemm));
  EXPECT_EQ(data<float>(*c)[0], 16 * (1 + 4));
  EXPECT_EQ(data<float>(*c)[1], 16 * (16 + 0.25F));
}

TEST_F(CpuDeviceTest, RefusesViewsBeyondTheirBuffer) {
  auto small = buffer(60);
  device::Gemm gemm = square(4, DataType::f32);
  gemm.a.buffer = gemm.b.buffer = gemm.c.buffer = small.get();
  const core::Status launched = device_->launch(*stream_, gemm);
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().message.id, "device.beyond_buffer");
}

TEST_F(CpuDeviceTest, RunsThePeakOfEachInstructionSet) {
  const std::vector<device::Variant> variants = device_->variants(device::FmaPeak{});
  ASSERT_FALSE(variants.empty());
  for (const device::Variant& variant : variants) {
    for (const DataType type : {DataType::f32, DataType::f64}) {
      auto start = std::move(device_->create_event()).value();
      auto stop = std::move(device_->create_event()).value();
      ASSERT_TRUE(device_->record(*stream_, *start));
      ASSERT_TRUE(device_->launch(*stream_, device::FmaPeak{type, 1e7, variant.name}));
      ASSERT_TRUE(device_->record(*stream_, *stop));
      ASSERT_TRUE(device_->synchronise(*stream_));
      const auto elapsed_ns = device_->elapsed_ns(*start, *stop);
      ASSERT_TRUE(elapsed_ns);
      // 10^7 FLOPs take more than a microsecond on any two threads: 10^13 FLOP/s.
      EXPECT_GT(*elapsed_ns, 1000) << variant.name;
    }
  }
}

TEST_F(CpuDeviceTest, TriadOfLongAndOfManyRows) {
  for (const auto& [rows, columns] : {std::pair{1, 1001}, std::pair{37, 5}}) {
    const auto count = static_cast<std::size_t>(rows * columns);
    auto a = buffer(count * sizeof(double));
    auto b = buffer(count * sizeof(double));
    auto c = buffer(count * sizeof(double));
    for (std::size_t i = 0; i < count; ++i) {
      data<double>(*b)[i] = static_cast<double>(i);
      data<double>(*c)[i] = static_cast<double>(2 * i + 1);
    }
    device::MemoryTriad triad;
    triad.a = view(a.get(), rows, columns, DataType::f64);
    triad.b = view(b.get(), rows, columns, DataType::f64);
    triad.c = view(c.get(), rows, columns, DataType::f64);
    ASSERT_TRUE(device_->launch(*stream_, triad));
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(data<double>(*a)[i], static_cast<double>(7 * i + 3));  // b + 3 c
    }
  }
}

TEST_F(CpuDeviceTest, CastsToNearestEven) {
  // Halfway between 1 and the next float, and between that and its next: both go to the even one.
  const std::array<double, 4> values = {1 + 0x1p-24, 1 + 3 * 0x1p-24, -1e300, 0.5};
  auto in = buffer(sizeof(values));
  auto out = buffer(4 * sizeof(float));
  std::memcpy(in->host_data(), values.data(), sizeof(values));
  ASSERT_TRUE(device_->launch(
      *stream_, device::Cast{view(in.get(), 2, 2, DataType::f64), view(out.get(), 2, 2, DataType::f32)}));
  const float* floats = data<float>(*out);
  EXPECT_EQ(floats[0], 1.0F);
  EXPECT_EQ(floats[1], 1.0F + 0x1p-22F);
  EXPECT_EQ(floats[2], -std::numeric_limits<float>::infinity());
  EXPECT_EQ(floats[3], 0.5F);
}

TEST_F(CpuDeviceTest, ScalesInPlaceAndLeavesGaps) {
  auto tensor = buffer(6 * sizeof(float));
  for (int i = 0; i < 6; ++i) {
    data<float>(*tensor)[i] = static_cast<float>(i);
  }
  device::Scale scale{view(tensor.get(), 2, 2, DataType::f32), 10};
  scale.tensor.leading_dimension = 3;
  ASSERT_TRUE(device_->launch(*stream_, scale));
  EXPECT_THAT(std::vector<float>(data<float>(*tensor), data<float>(*tensor) + 6),
              testing::ElementsAre(0, 10, 2, 30, 40, 5));
}

TEST_F(CpuDeviceTest, FillsAndCopies) {
  auto first = buffer(64 * sizeof(float));
  auto second = buffer(64 * sizeof(float));
  device::Fill fill;
  fill.out = view(first.get(), 8, 8, DataType::f32);
  fill.seed = 5;
  ASSERT_TRUE(device_->launch(*stream_, fill));
  device::CopyRange range;
  range.dst = second.get();
  range.src = first.get();
  range.size_bytes = 64 * sizeof(float);
  ASSERT_TRUE(device_->copy(*stream_, range));
  std::array<float, 64> expected{};
  numerics::fill_values(numerics::Data::normal, 5, 0, 1, expected);
  EXPECT_EQ(std::memcmp(second->host_data(), expected.data(), sizeof(expected)), 0);
}

TEST_F(CpuDeviceTest, CountsItsMemory) {
  EXPECT_EQ(device_->memory_in_use_bytes(), 0);
  auto large = buffer(std::size_t{5} << 20);
  EXPECT_EQ(device_->memory_in_use_bytes(), std::int64_t{5} << 20);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large->host_data()) % (std::size_t{2} << 20), 0U);
  EXPECT_THAT(large->paging(), testing::AnyOf("huge_pages", "base_pages"));
  auto small = buffer(100);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(small->host_data()) % 64, 0U);
  EXPECT_EQ(small->paging(), "base_pages");
  large.reset();
  small.reset();
  EXPECT_EQ(device_->memory_in_use_bytes(), 0);
}

TEST_F(CpuDeviceTest, RefusesMoreMemoryThanThereIs) {
  const auto refused = device_->allocate(std::size_t{1} << 50, device::MemoryKind::device);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message.id, "device.out_of_memory");
  EXPECT_FALSE(device_->allocate(0, device::MemoryKind::device));
  EXPECT_EQ(device_->memory_in_use_bytes(), 0);
}

/// Memory of this process that is locked, in KiB.
long locked_kib() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line) && !line.starts_with("VmLck:")) {
  }
  return std::strtol(line.c_str() + 6, nullptr, 10);
}

TEST_F(CpuDeviceTest, PinnedMemoryIsLockedOrRefusedWithAReason) {
  alignas(4096) static std::array<std::byte, 4096> page;
  const bool may_lock = mlock(page.data(), page.size()) == 0;
  if (may_lock && locked_kib() == 0) {
    GTEST_SKIP() << "this sanitizer ignores mlock";
  }
  const long before_kib = locked_kib();
  const auto pinned = device_->allocate(1 << 16, device::MemoryKind::pinned);
  if (pinned) {
    EXPECT_EQ(locked_kib(), before_kib + 64);
  } else {
    EXPECT_EQ(pinned.error().message.id, "cpu.no_lock");
  }
  munlock(page.data(), page.size());
}

TEST_F(CpuDeviceTest, TheCallerIsPinnedFromLaunchToSynchronise) {
  const std::vector<int> before = thread_cpus();
  const std::string pinning = device_->variants(device::FmaPeak{}).front().pinning;
  ASSERT_TRUE(device_->launch(*stream_, device::FmaPeak{DataType::f32, 1e4, {}}));
  EXPECT_EQ(thread_cpus().size(), pinning.empty() ? before.size() : 1U);
  ASSERT_TRUE(device_->synchronise(*stream_));
  EXPECT_EQ(thread_cpus(), before);
}

/// The CPUs that all threads of this process may run on, as the kernel lists them, sorted.
std::vector<std::string> cpus_of_all_threads() {
  std::vector<std::string> lists;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("Cpus_allowed_list:\t")) {
        lists.push_back(line.substr(19));
      }
    }
  }
  std::sort(lists.begin(), lists.end());
  return lists;
}

/// In a process of its own, since libraries read the environment once: opens with two threads, has each
/// engine multiply, and looks where all threads may run. "" if all is as it should be.
std::string threads_keep_to_their_cpus() {
  device::OpenOptions options;
  options.threads = 2;
  auto opened = make_backend().open("cpu", options);
  if (!opened) {
    return opened.error().message.id;
  }
  device::Device& device = **opened;
  if (!has_note(device.info(), "cpu.environment_overridden")) {
    return "no note";
  }
  auto stream = std::move(device.create_stream()).value();
  auto memory = std::move(device.allocate(64 * 64 * 4, device::MemoryKind::device)).value();
  device::Gemm gemm;
  gemm.a.buffer = memory.get();
  gemm.a.rows = gemm.a.columns = gemm.a.leading_dimension = 64;
  gemm.b = gemm.a;
  auto result = std::move(device.allocate(64 * 64 * 4, device::MemoryKind::device)).value();
  gemm.c = gemm.a;
  gemm.c.buffer = result.get();
  for (const device::Variant& variant : device.variants(gemm)) {
    gemm.variant = variant.name;
    if (variant.pinning != "0,1" || variant.threads != 2 || !device.launch(*stream, gemm)) {
      return variant.name + " on " + variant.pinning;
    }
  }
  // The caller on CPU 0; our own worker and, with a library, OpenMP's on CPU 1.
  const std::vector<std::string> lists = cpus_of_all_threads();
  const auto on_first = std::count(lists.begin(), lists.end(), "0");
  const auto on_second = std::count(lists.begin(), lists.end(), "1");
  const bool libraries = device.variants(gemm).size() > 1;
  if (on_second != (libraries ? 2 : 1) || on_first + on_second != std::ssize(lists)) {
    return testing::PrintToString(lists);
  }
  return "";
}

TEST(CpuDeviceDeathTest, ThreadsKeepToTheirCpusWhateverTheEnvironmentSays) {
  if (core::probe_machine().allowed_cpus != std::vector<int>{0, 1}) {
    GTEST_SKIP() << "needs exactly the CPUs 0 and 1";
  }
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const ScopedEnvironment users(
      {{"GOMP_CPU_AFFINITY", "0"}, {"OMP_PLACES", "{0}"}, {"OMP_NUM_THREADS", "1"}});
  EXPECT_EXIT(
      {
        const std::string wrong = threads_keep_to_their_cpus();
        std::fprintf(stderr, "%s\n", wrong.c_str());
        std::_Exit(wrong.empty() ? 0 : 1);
      },
      testing::ExitedWithCode(0),
      "");
}

}  // namespace
}  // namespace jissoku::backends::cpu
