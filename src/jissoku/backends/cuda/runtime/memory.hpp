// Memory that the GPU addresses: its own, and page-locked host memory.
#pragma once

#include <atomic>
#include <memory>

#include "jissoku/device/device.hpp"

namespace jissoku::backends::cuda {

class CudaBuffer final : public device::Buffer {
 public:
  /// `kind` is device, pinned or mapped; the device of that ordinal is current. Device memory is counted in
  /// `in_use_bytes`, which must outlive the buffer. Fails (usage) for a size of 0 and (unavailable) when
  /// there is not that much room.
  static core::Result<std::unique_ptr<device::Buffer>> allocate(int ordinal,
                                                                std::size_t size_bytes,
                                                                device::MemoryKind kind,
                                                                std::atomic<std::int64_t>& in_use_bytes);
  ~CudaBuffer() override;
  CudaBuffer(const CudaBuffer&) = delete;
  CudaBuffer& operator=(const CudaBuffer&) = delete;

  std::size_t size_bytes() const override { return size_bytes_; }
  device::MemoryKind kind() const override { return kind_; }
  std::byte* host_data() override { return host_; }
  /// Where the GPU finds it.
  std::byte* device_data() const { return device_; }
  int ordinal() const { return ordinal_; }

 private:
  CudaBuffer(int ordinal,
             std::size_t size_bytes,
             device::MemoryKind kind,
             std::atomic<std::int64_t>& in_use_bytes)
      : ordinal_(ordinal), size_bytes_(size_bytes), kind_(kind), in_use_bytes_(in_use_bytes) {}
  core::Status allocate_on_device();
  core::Status allocate_on_host();

  int ordinal_;
  std::size_t size_bytes_;
  device::MemoryKind kind_;
  std::atomic<std::int64_t>& in_use_bytes_;
  std::byte* host_ = nullptr;
  std::byte* device_ = nullptr;
};

}  // namespace jissoku::backends::cuda
