// Memory of a modelled device. The device's own is counted against the model's capacity, hidden from the
// host, and takes real memory only once something is written to it or read from it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "jissoku/device/device.hpp"

namespace jissoku::backends::model {

class ModelBuffer final : public device::Buffer {
 public:
  /// For host kinds the memory is there at once. `capacity_bytes` bounds MemoryKind::device; `in_use_bytes`
  /// counts it and must outlive the buffer. Fails (unavailable) as the card would, or as this machine does.
  static core::Result<std::unique_ptr<device::Buffer>> allocate(const std::string& device_id,
                                                                std::size_t size_bytes,
                                                                device::MemoryKind kind,
                                                                std::int64_t capacity_bytes,
                                                                std::atomic<std::int64_t>& in_use_bytes);
  ~ModelBuffer() override;
  ModelBuffer(const ModelBuffer&) = delete;
  ModelBuffer& operator=(const ModelBuffer&) = delete;

  std::size_t size_bytes() const override { return size_bytes_; }
  device::MemoryKind kind() const override { return kind_; }
  std::byte* host_data() override { return on_host() ? memory_->host_data() : nullptr; }

  bool on_host() const { return kind_ != device::MemoryKind::device; }
  /// The real memory behind it, taken now if it was not yet. Fails (unavailable) where this machine has not
  /// that much. Owned by this.
  core::Result<device::Buffer*> memory();

  /// Different for all buffers of a process.
  std::uint64_t serial() const { return serial_; }
  /// Grows with every write through the device. Writes through host_data() are not seen.
  std::uint64_t generation() const { return generation_; }
  void written() { ++generation_; }

  /// What was last computed into it, and the generation it had afterwards.
  struct Result {
    std::string signature;
    std::uint64_t generation = 0;
  };
  Result result;

 private:
  ModelBuffer(std::size_t size_bytes, device::MemoryKind kind, std::atomic<std::int64_t>& in_use_bytes);

  std::size_t size_bytes_;
  device::MemoryKind kind_;
  std::atomic<std::int64_t>& in_use_bytes_;
  std::atomic<std::int64_t> taken_bytes_ = 0;
  std::unique_ptr<device::Buffer> memory_;
  std::uint64_t serial_;
  std::uint64_t generation_ = 1;
};

}  // namespace jissoku::backends::model
