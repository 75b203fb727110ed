// Plain host memory, immediate streams and host-clock events: what a device needs that computes
// within the call.
#pragma once

#include <atomic>
#include <memory>

#include "jissoku/device/device.hpp"

namespace jissoku::device {

/// 64-byte aligned memory of exactly the size asked for, counted in `in_use_bytes` while it lives.
class HostBuffer final : public Buffer {
 public:
  /// Fails (usage) for a size of 0, and (unavailable) when the machine has not that much room now;
  /// `in_use_bytes` must outlive the buffer.
  static core::Result<std::unique_ptr<Buffer>> allocate(std::size_t size_bytes,
                                                        MemoryKind kind,
                                                        std::atomic<std::int64_t>& in_use_bytes);
  ~HostBuffer() override;
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;

  std::size_t size_bytes() const override { return size_bytes_; }
  MemoryKind kind() const override { return kind_; }
  std::byte* host_data() override { return data_; }

 private:
  HostBuffer(std::byte* data,
             std::size_t size_bytes,
             MemoryKind kind,
             std::atomic<std::int64_t>& in_use_bytes);

  std::byte* data_;
  std::size_t size_bytes_;
  MemoryKind kind_;
  std::atomic<std::int64_t>& in_use_bytes_;
};

/// A queue that is always empty, since its work is done when the call returns.
class ImmediateStream final : public Stream {};

/// CLOCK_MONOTONIC when it was recorded.
class HostEvent final : public Event {
 public:
  void record_now();
  bool recorded() const { return recorded_; }
  std::int64_t time_ns() const { return time_ns_; }

 private:
  bool recorded_ = false;
  std::int64_t time_ns_ = 0;
};

/// Time between two recorded HostEvents. Fails (usage) for events not recorded or of another device.
core::Result<double> host_elapsed_ns(const Event& start, const Event& stop);

/// CLOCK_MONOTONIC.
std::int64_t host_clock_ns();

/// Copies between two buffers that the host can address. Precondition: validate(range) is ok.
void copy_host(const CopyRange& range);

}  // namespace jissoku::device
