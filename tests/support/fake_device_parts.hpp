// What a fake device is told (FakeDeviceOptions), what it remembers (FakeJournal), and the objects
// it hands out. The device itself is in fake_device.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jissoku/device/device.hpp"
#include "jissoku/device/views.hpp"

namespace jissoku::tests {

enum class FakeCall {
  open,
  allocate,
  create_stream,
  create_event,
  launch,
  copy,
  record,
  wait,
  synchronise,
  elapsed
};
inline constexpr FakeCall kFakeCalls[] = {FakeCall::open,
                                          FakeCall::allocate,
                                          FakeCall::create_stream,
                                          FakeCall::create_event,
                                          FakeCall::launch,
                                          FakeCall::copy,
                                          FakeCall::record,
                                          FakeCall::wait,
                                          FakeCall::synchronise,
                                          FakeCall::elapsed};

/// The call fails with `test.fake_failure`.
struct FakeFailure {
  FakeCall call = FakeCall::launch;
  int from = 0;   ///< the first occurrence that fails, 0-based
  int count = 1;  ///< how many in a row
};

enum class FakeResult {
  right,
  zeroed,           ///< C is all 0
  one_element_off,  ///< the element in the middle is off by its own size + 1
  untouched,        ///< C keeps what was in it
  not_a_number,     ///< the last element is NaN
};

struct FakeVariant {
  std::string name = "plain";
  double gflops = 10;  ///< FP32; FP64 is half
  FakeResult result = FakeResult::right;
  bool missing = false;  ///< known by name, not in variants(); supports() says `test.fake_missing`
};

struct FakeDeviceOptions {
  std::string id = "fake", name = "Fake device", fingerprint = "fake hardware";
  /// A host device finishes within the call and keeps `threads` CPUs busy. Another one works while
  /// the host goes on, hides its memory and has its own clock.
  bool is_host = true;
  std::optional<bool> queued;  ///< Info::queued; unless given, what is no host
  int threads = 2;
  std::vector<FakeVariant> variants = {FakeVariant{}};
  double launch_ns = 1000;  ///< fixed cost of any launch or copy
  double fma_gflops = 100;  ///< FP32; FP64 is half; 0: no such probe
  double triad_gbps = 20;   ///< 0: no such probe
  double memory_gbps = 10;  ///< of copies and everything else
  double noise = 0.01;      ///< relative sigma of each launch's time
  std::uint64_t seed = 1;
  std::function<double(std::int64_t launch)> slowdown;  ///< factor on the time of the n-th launch
  std::int64_t device_clock_offset_ns = 5'000'000'000;
  std::int64_t memory_bytes = std::int64_t{1} << 33;
  bool compute = true;  ///< false: times only, memory stays as it is
  std::string datasheet;
  std::vector<FakeFailure> failures;
  std::function<std::optional<core::Error>(FakeCall)> fault;  ///< asked at each call: an error it shall give
};

/// What was asked of a fake, for tests to look at afterwards. Failed calls are counted too.
struct FakeJournal {
  std::map<FakeCall, int> calls;
  std::map<std::string, int> gemms;       ///< launches by variant
  std::map<std::string, int> operations;  ///< launches by name
};

namespace detail {

/// Memory that the host may or may not see.
class FakeBuffer final : public device::Buffer {
 public:
  FakeBuffer(std::unique_ptr<device::Buffer> memory, bool hidden)
      : memory_(std::move(memory)), hidden_(hidden) {}
  std::size_t size_bytes() const override { return memory_->size_bytes(); }
  device::MemoryKind kind() const override { return memory_->kind(); }
  std::byte* host_data() override { return hidden_ ? nullptr : memory_->host_data(); }
  device::Buffer* memory() { return memory_.get(); }

 private:
  std::unique_ptr<device::Buffer> memory_;
  bool hidden_;
};

inline device::Buffer* memory_of(device::Buffer* buffer) {
  auto* fake = dynamic_cast<FakeBuffer*>(buffer);
  return fake == nullptr ? buffer : fake->memory();
}

struct FakeStream final : device::Stream {
  std::int64_t busy_until_ns = 0;
};

struct FakeEvent final : device::Event {
  std::optional<std::int64_t> time_ns;
};

inline void mix(std::uint64_t& hash, const void* data, std::size_t size_bytes) {
  const char* bytes = static_cast<const char*>(data);
  for (std::size_t done = 0; done < size_bytes; done += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + done, std::min(sizeof word, size_bytes - done));
    hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29;
  }
}

/// Everything between a view's first and last element.
inline void mix(std::uint64_t& hash, const device::TensorView& view) {
  const auto element_bytes = static_cast<std::size_t>(numerics::storage_bits(view.type)) / 8;
  mix(hash,
      view.buffer->host_data() + static_cast<std::size_t>(view.offset_elements) * element_bytes,
      static_cast<std::size_t>(*device::extent_elements(view)) * element_bytes);
}

/// Plants a fault in C.
template <typename T>
void spoil(const device::TensorView& c, FakeResult how) {
  T* const base = reinterpret_cast<T*>(c.buffer->host_data()) + c.offset_elements;
  for (std::int64_t row = 0; row < c.rows && how == FakeResult::zeroed; ++row) {
    std::fill_n(base + row * c.leading_dimension, c.columns, T{0});
  }
  if (how == FakeResult::one_element_off) {
    T& element = base[c.rows / 2 * c.leading_dimension + c.columns / 2];
    element += std::abs(element) + 1;
  }
  if (how == FakeResult::not_a_number) {
    base[(c.rows - 1) * c.leading_dimension + c.columns - 1] = static_cast<T>(NAN);
  }
}

/// a = b + 3 c.
inline void add_triad(const device::MemoryTriad& op) {
  const auto row_of = [](const device::TensorView& view, std::int64_t row) {
    return reinterpret_cast<double*>(view.buffer->host_data()) + view.offset_elements +
           row * view.leading_dimension;
  };
  for (std::int64_t row = 0; row < op.a.rows; ++row) {
    for (std::int64_t column = 0; column < op.a.columns; ++column) {
      row_of(op.a, row)[column] = row_of(op.b, row)[column] + 3 * row_of(op.c, row)[column];
    }
  }
}

}  // namespace detail

}  // namespace jissoku::tests
