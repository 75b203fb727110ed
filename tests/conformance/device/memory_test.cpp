// Allocation, copies and the accounting of memory.
#include <cstdint>
#include <numeric>

#include "harness.hpp"

namespace jissoku::tests {
namespace {

using device::MemoryKind;

constexpr MemoryKind kKinds[] = {
    MemoryKind::device, MemoryKind::pageable, MemoryKind::pinned, MemoryKind::mapped};

class Memory : public DeviceTest {};

std::vector<std::uint8_t> counted(std::size_t size) {
  std::vector<std::uint8_t> values(size);
  std::iota(values.begin(), values.end(), std::uint8_t{1});
  return values;
}

TEST_P(Memory, IsOfTheSizeAndKindAskedForOrRefusedWithAReason) {
  for (const MemoryKind kind : kKinds) {
    for (const std::size_t size_bytes : {std::size_t{1}, std::size_t{4097}, std::size_t{1} << 20}) {
      auto buffer = device().allocate(size_bytes, kind);
      if (!buffer) {
        EXPECT_FALSE(buffer.error().message.empty());
        EXPECT_EQ(buffer.error().exit_code, core::ExitCode::unavailable);
        continue;
      }
      EXPECT_EQ((*buffer)->size_bytes(), size_bytes);
      EXPECT_EQ((*buffer)->kind(), kind);
      if (kind != MemoryKind::device) {
        EXPECT_NE((*buffer)->host_data(), nullptr);
      }
    }
  }
  EXPECT_TRUE(succeeded(device().allocate(64, MemoryKind::device)));
  EXPECT_TRUE(succeeded(device().allocate(64, MemoryKind::pageable)));
}

TEST_P(Memory, OfNoSizeOrMoreThanThereIsIsAnError) {
  for (const MemoryKind kind : kKinds) {
    for (const std::size_t size_bytes :
         {std::size_t{0}, std::size_t{1} << 46, std::size_t{1} << 62, SIZE_MAX}) {
      auto buffer = device().allocate(size_bytes, kind);
      ASSERT_FALSE(buffer.ok()) << size_bytes;
      EXPECT_FALSE(buffer.error().message.empty());
    }
  }
  EXPECT_TRUE(succeeded(device().allocate(64, MemoryKind::device)));  // it still works
}

TEST_P(Memory, InUseIsWhatWasAllocatedAndNothingAfterwards) {
  const std::int64_t before = device().memory_in_use_bytes();
  {
    auto first = allocate(1 << 16);
    auto second = allocate(1 << 12);
    EXPECT_GE(device().memory_in_use_bytes() - before, (1 << 16) + (1 << 12));
    first.reset();
    EXPECT_GE(device().memory_in_use_bytes() - before, 1 << 12);
    EXPECT_LT(device().memory_in_use_bytes() - before, 1 << 16);
    EXPECT_FALSE(device().allocate(SIZE_MAX, MemoryKind::device).ok());
  }
  EXPECT_EQ(device().memory_in_use_bytes(), before);
}

TEST_P(Memory, HoldsWhatWasCopiedToIt) {
  const std::vector<std::uint8_t> values = counted(100003);
  auto buffer = upload(values);
  EXPECT_EQ(download<std::uint8_t>(*buffer), values);
}

TEST_P(Memory, CopiesRangesBetweenAllKinds) {
  const std::vector<std::uint8_t> values = counted(64);
  for (const MemoryKind from : kKinds) {
    for (const MemoryKind to : kKinds) {
      auto src = device().allocate(64, from);
      auto dst = device().allocate(64, to);
      if (!src || !dst) {
        continue;
      }
      auto staging = upload(values);
      copy(**src, *staging);
      copy(**dst, *staging);
      ASSERT_TRUE(succeeded(device().copy(stream(), {dst->get(), 40, src->get(), 3, 20})));
      ASSERT_TRUE(succeeded(device().synchronise(stream())));
      std::vector<std::uint8_t> expected = values;
      std::copy_n(values.begin() + 3, 20, expected.begin() + 40);
      EXPECT_EQ(download<std::uint8_t>(**dst), expected);
      EXPECT_EQ(download<std::uint8_t>(**src), values);
    }
  }
}

TEST_P(Memory, CopiesWithinOneBuffer) {
  std::vector<std::uint8_t> values = counted(64);
  auto buffer = upload(values);
  ASSERT_TRUE(succeeded(device().copy(stream(), {buffer.get(), 32, buffer.get(), 0, 32})));
  ASSERT_TRUE(succeeded(device().synchronise(stream())));
  std::copy_n(values.begin(), 32, values.begin() + 32);
  EXPECT_EQ(download<std::uint8_t>(*buffer), values);
}

TEST_P(Memory, CopiesBeyondTheEndAreErrorsAndWriteNothing) {
  const std::vector<std::uint8_t> values = counted(64);
  auto src = upload(std::vector<std::uint8_t>(64, 255));
  auto dst = upload(values);
  const device::CopyRange bad[] = {{dst.get(), 0, src.get(), 0, 65},
                                   {dst.get(), 1, src.get(), 0, 64},
                                   {dst.get(), 0, src.get(), 1, 64},
                                   {dst.get(), 65, src.get(), 0, 0},
                                   {dst.get(), 0, src.get(), SIZE_MAX, 2},
                                   {dst.get(), SIZE_MAX - 1, src.get(), 0, 4},
                                   {dst.get(), 0, src.get(), 0, SIZE_MAX},
                                   {nullptr, 0, src.get(), 0, 1},
                                   {dst.get(), 0, nullptr, 0, 1},
                                   {dst.get(), 0, dst.get(), 1, 4}};
  for (const device::CopyRange& range : bad) {
    const core::Status copied = device().copy(stream(), range);
    ASSERT_FALSE(copied.ok()) << range.dst_offset_bytes << " " << range.src_offset_bytes << " "
                              << range.size_bytes;
    EXPECT_FALSE(copied.error().message.empty());
  }
  EXPECT_TRUE(succeeded(device().copy(stream(), {dst.get(), 64, src.get(), 64, 0})));  // nothing, at the end
  EXPECT_TRUE(succeeded(device().synchronise(stream())));
  EXPECT_EQ(download<std::uint8_t>(*dst), values);
}

INSTANTIATE_TEST_SUITE_P(Device, Memory, testing::ValuesIn(all_devices()), target_name);

}  // namespace
}  // namespace jissoku::tests
