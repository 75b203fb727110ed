#include "jissoku/device/host_memory.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "jissoku/core/machine.hpp"
#include "jissoku/device/host_fill.hpp"
#include "jissoku/numerics/codes.hpp"
#include "jissoku/numerics/verification.hpp"

namespace jissoku::device {
namespace {

using numerics::Data;
using numerics::DataType;

class HostMemory : public testing::Test {
 protected:
  std::unique_ptr<Buffer> allocate(std::size_t size_bytes) {
    return HostBuffer::allocate(size_bytes, MemoryKind::pageable, in_use_bytes_).value();
  }
  std::atomic<std::int64_t> in_use_bytes_ = 0;
};

TEST_F(HostMemory, IsAlignedAndCounted) {
  {
    const auto first = allocate(1);
    const auto second = allocate(1000);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first->host_data()) % 64, 0U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(second->host_data()) % 64, 0U);
    EXPECT_EQ(second->size_bytes(), 1000U);
    EXPECT_EQ(in_use_bytes_, 1001);
  }
  EXPECT_EQ(in_use_bytes_, 0);
}

TEST_F(HostMemory, NothingOrMoreThanThereIsIsRefused) {
  EXPECT_EQ(HostBuffer::allocate(0, MemoryKind::pageable, in_use_bytes_).error().message.id,
            "device.empty_buffer");
  const auto more_than_there_is = static_cast<std::size_t>(core::available_memory_bytes()) * 2;
  for (const std::size_t size_bytes : {more_than_there_is, SIZE_MAX}) {
    const auto buffer = HostBuffer::allocate(size_bytes, MemoryKind::pageable, in_use_bytes_);
    ASSERT_FALSE(buffer.ok());
    EXPECT_EQ(buffer.error().exit_code, core::ExitCode::unavailable);
    EXPECT_EQ(buffer.error().message.id, "device.out_of_memory");
  }
  EXPECT_EQ(in_use_bytes_, 0);
}

TEST_F(HostMemory, EventsReadTheHostClock) {
  HostEvent first;
  HostEvent second;
  const std::int64_t before_ns = host_clock_ns();
  first.record_now();
  second.record_now();
  const std::int64_t after_ns = host_clock_ns();
  const auto elapsed = host_elapsed_ns(first, second);
  ASSERT_TRUE(elapsed.ok());
  EXPECT_GE(*elapsed, 0);
  EXPECT_LE(*elapsed, static_cast<double>(after_ns - before_ns));
  EXPECT_EQ(*elapsed, -host_elapsed_ns(second, first).value());
}

TEST_F(HostMemory, EventsOfOthersAndUnrecordedOnesHaveNoTime) {
  class Foreign final : public Event {};
  HostEvent recorded;
  recorded.record_now();
  EXPECT_EQ(host_elapsed_ns(recorded, Foreign{}).error().message.id, "device.foreign_event");
  EXPECT_EQ(host_elapsed_ns(Foreign{}, recorded).error().message.id, "device.foreign_event");
  EXPECT_EQ(host_elapsed_ns(recorded, HostEvent{}).error().message.id, "device.event_not_recorded");
  EXPECT_EQ(host_elapsed_ns(HostEvent{}, recorded).error().message.id, "device.event_not_recorded");
}

/// Fills 70 x 1500 elements (more than one thread's share) of a buffer set to `kUntouched` before.
template <typename T>
class HostFill : public testing::Test {
 protected:
  static constexpr std::int64_t kRows = 70, kColumns = 1501, kBatch = 2;
  static constexpr T kUntouched = T(-77);

  static Fill fill_of(std::int64_t leading_dimension, std::int64_t offset) {
    Fill fill;
    fill.out.type = sizeof(T) == 8 ? DataType::f64 : DataType::f32;
    fill.out.rows = kRows;
    fill.out.columns = kColumns;
    fill.out.leading_dimension = leading_dimension;
    fill.out.offset_elements = offset;
    fill.out.batch = kBatch;
    fill.out.batch_stride = kRows * leading_dimension + 3;
    fill.seed = 99;
    fill.magnitude = 5;
    return fill;
  }

  /// The buffer after the fill.
  static std::vector<T> run(Fill fill, int threads) {
    const std::int64_t count = fill.out.offset_elements + fill.out.batch * fill.out.batch_stride + 7;
    std::vector<T> values(static_cast<std::size_t>(count), kUntouched);
    std::atomic<std::int64_t> in_use_bytes = 0;
    const auto buffer =
        HostBuffer::allocate(values.size() * sizeof(T), MemoryKind::pageable, in_use_bytes).value();
    std::memcpy(buffer->host_data(), values.data(), buffer->size_bytes());
    fill.out.buffer = buffer.get();
    fill_host(fill, threads);
    std::memcpy(values.data(), buffer->host_data(), buffer->size_bytes());
    return values;
  }

  static std::vector<T> expected(const Fill& fill) {
    std::vector<T> logical(kBatch * kRows * kColumns);
    numerics::fill_values(fill.data, fill.seed, 0, fill.magnitude, logical);
    std::vector<T> values(
        static_cast<std::size_t>(fill.out.offset_elements + fill.out.batch * fill.out.batch_stride + 7),
        kUntouched);
    for (std::size_t index = 0; index < logical.size(); ++index) {
      const auto place = static_cast<std::int64_t>(index);
      const std::int64_t at = fill.out.offset_elements + place / (kRows * kColumns) * fill.out.batch_stride +
                              place / kColumns % kRows * fill.out.leading_dimension + place % kColumns;
      values[static_cast<std::size_t>(at)] = logical[index];
    }
    return values;
  }
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(HostFill, Types);

TYPED_TEST(HostFill, WritesTheElementsByLogicalIndexAndNothingElse) {
  for (const Data data : {Data::normal, Data::uniform, Data::ints, Data::zeros}) {
    for (const std::int64_t padding : {0, 9}) {
      Fill fill = this->fill_of(this->kColumns + padding, padding);
      fill.data = data;
      EXPECT_EQ(this->run(fill, 1), this->expected(fill)) << numerics::to_string(data) << " " << padding;
    }
  }
}

TYPED_TEST(HostFill, DoesNotDependOnTheNumberOfThreads) {
  const Fill fill = this->fill_of(this->kColumns + 2, 1);
  const auto alone = this->run(fill, 1);
  for (const int threads : {0, 2, 3, 7, 64}) {
    EXPECT_EQ(this->run(fill, threads), alone) << threads;
  }
}

TYPED_TEST(HostFill, PoisonsTheElementsAndNothingElse) {
  Fill fill = this->fill_of(this->kColumns + 4, 2);
  fill.poison = true;
  const auto values = this->run(fill, 2);
  TypeParam pattern{};
  if constexpr (sizeof(TypeParam) == 8) {
    pattern = numerics::poison_f64();
  } else {
    pattern = numerics::poison_f32();
  }
  std::int64_t poisoned = 0;
  for (const TypeParam& value : values) {
    const bool is_pattern = std::memcmp(&value, &pattern, sizeof pattern) == 0;
    EXPECT_TRUE(is_pattern || value == this->kUntouched);
    poisoned += is_pattern ? 1 : 0;
  }
  EXPECT_EQ(poisoned, this->kBatch * this->kRows * this->kColumns);
  fill.data = Data::zeros;
  fill.poison = false;
  EXPECT_EQ(this->run(fill, 2), this->expected(fill));
}

/// Bytes of a padded matrix of codes after the fill; padding stays 0x55.
std::vector<std::byte> filled_codes(const Fill& original, int threads) {
  Fill fill = original;
  std::atomic<std::int64_t> in_use{0};
  const auto elements = static_cast<std::size_t>(fill.out.rows * fill.out.leading_dimension);
  std::vector<std::byte> bytes(elements * static_cast<std::size_t>(numerics::storage_bits(fill.out.type)) / 8,
                               std::byte{0x55});
  auto buffer = HostBuffer::allocate(bytes.size(), MemoryKind::pageable, in_use).value();
  std::memcpy(buffer->host_data(), bytes.data(), bytes.size());
  fill.out.buffer = buffer.get();
  fill_host(fill, threads);
  std::memcpy(bytes.data(), buffer->host_data(), bytes.size());
  return bytes;
}

TEST(HostFillOfCodes, RoundsEachValueWhateverTheThreads) {
  constexpr std::int64_t kRows = 301, kColumns = 1001, kLeading = 1016;
  std::vector<float> values(kRows * kColumns);
  numerics::fill_values(Data::normal, 7, 0, 1, std::span<float>(values));
  for (const DataType type : {DataType::f16,
                              DataType::bf16,
                              DataType::e4m3,
                              DataType::e5m2,
                              DataType::e3m2,
                              DataType::e2m3,
                              DataType::e2m1,
                              DataType::i8,
                              DataType::i32}) {
    Fill fill;
    fill.out.type = type;
    fill.out.rows = kRows;
    fill.out.columns = kColumns;
    fill.out.leading_dimension = kLeading;
    fill.seed = 7;
    const std::vector<std::byte> bytes = filled_codes(fill, 1);
    EXPECT_TRUE(filled_codes(fill, 5) == bytes) << numerics::to_string(type);
    const std::int64_t row_bytes = kLeading * numerics::storage_bits(type) / 8;
    std::vector<float> row(kColumns);
    for (const std::int64_t i : {std::int64_t{0}, std::int64_t{1}, kRows - 1}) {
      numerics::decode(type, bytes.data() + i * row_bytes, 0, kColumns, row.data());
      for (std::int64_t j = 0; j < kColumns; ++j) {
        const float value = values[static_cast<std::size_t>(i * kColumns + j)];
        ASSERT_EQ(row[static_cast<std::size_t>(j)],
                  numerics::decode(type, numerics::encode(type, value, {.saturate = false})))
            << numerics::to_string(type) << " " << i << " " << j;
      }
    }
    EXPECT_EQ(bytes[static_cast<std::size_t>(row_bytes - 1)], std::byte{0x55}) << "padding";
    fill.poison = true;
    EXPECT_TRUE(filled_codes(fill, 1) != bytes);
  }
}

}  // namespace
}  // namespace jissoku::device
