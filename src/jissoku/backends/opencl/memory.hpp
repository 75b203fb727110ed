// Buffers. On a device that is the host's CPU we give OpenCL pages of our own, so that their alignment is
// known (a copy between addresses that differ in their place within a page can take twice as long) and large
// ones are huge pages; elsewhere the driver allocates.
#pragma once

#include <atomic>
#include <memory>

#include "jissoku/backends/opencl/runtime.hpp"
#include "jissoku/device/device.hpp"

namespace jissoku::backends::opencl {

/// Host memory that copies of a queue may still read or write when its owner lets it go.
class QueueUse {
 public:
  /// `queue` has, or will have, a command that uses it. Another queue than before is waited for.
  void use_in(cl_command_queue queue);

 protected:
  QueueUse() = default;
  ~QueueUse() { finish(); }
  QueueUse(const QueueUse&) = delete;
  QueueUse& operator=(const QueueUse&) = delete;
  /// Waits for the queue's commands, as well as that can be done.
  void finish() const;
  cl_command_queue queue() const { return queue_.get(); }

 private:
  Handle<cl_command_queue> queue_;
};

/// Ordinary host memory for copies.
class PageableBuffer final : public device::Buffer, public QueueUse {
 public:
  explicit PageableBuffer(std::unique_ptr<device::Buffer> memory) : memory_(std::move(memory)) {}
  ~PageableBuffer() override { finish(); }
  PageableBuffer(const PageableBuffer&) = delete;
  PageableBuffer& operator=(const PageableBuffer&) = delete;
  std::size_t size_bytes() const override { return memory_->size_bytes(); }
  device::MemoryKind kind() const override { return memory_->kind(); }
  std::byte* host_data() override { return memory_->host_data(); }

 private:
  std::unique_ptr<device::Buffer> memory_;
};

class OpenClBuffer final : public device::Buffer, public QueueUse {
 public:
  /// `kind` is not pageable. `queue` maps it where the host is to address it.
  /// Fails (usage) for a size of 0 and (unavailable) where there is not that much, or it cannot be locked.
  /// `in_use_bytes` must outlive the buffer.
  static core::Result<std::unique_ptr<device::Buffer>> allocate(const std::shared_ptr<Runtime>& runtime,
                                                                cl_command_queue queue,
                                                                std::size_t size_bytes,
                                                                device::MemoryKind kind,
                                                                std::atomic<std::int64_t>& in_use_bytes);
  ~OpenClBuffer() override;
  OpenClBuffer(const OpenClBuffer&) = delete;
  OpenClBuffer& operator=(const OpenClBuffer&) = delete;

  std::size_t size_bytes() const override { return size_bytes_; }
  device::MemoryKind kind() const override { return kind_; }
  std::byte* host_data() override { return host_; }

  /// What kernels take; nullptr for pinned memory, which is for copies only.
  cl_mem memory() const { return kind_ == device::MemoryKind::pinned ? nullptr : memory_.get(); }
  /// The host has it mapped while no kernel runs on it.
  bool is_mapped() const { return kind_ == device::MemoryKind::mapped; }
  /// Enqueues that the host gets or gives up its address.
  core::Status map(cl_command_queue in, bool blocking);
  core::Status unmap(cl_command_queue in);

 private:
  OpenClBuffer(const std::shared_ptr<Runtime>& runtime,
               std::size_t size_bytes,
               device::MemoryKind kind,
               std::atomic<std::int64_t>& in_use_bytes);
  core::Status lock();

  std::shared_ptr<Runtime> runtime_;
  std::size_t size_bytes_;
  device::MemoryKind kind_;
  std::atomic<std::int64_t>& in_use_bytes_;
  Handle<cl_mem> memory_;
  std::byte* host_ = nullptr;
  bool locked_ = false;
};

/// Device memory for our own use, not counted and not addressable by the host.
core::Result<Handle<cl_mem>> create_device_memory(const Runtime& runtime, std::size_t size_bytes);

}  // namespace jissoku::backends::opencl
