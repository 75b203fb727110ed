// Host memory for operands: in huge pages where the system gives them, touched before it is handed out.
#pragma once

#include <atomic>
#include <memory>

#include "jissoku/backends/cpu/thread_team.hpp"
#include "jissoku/device/device.hpp"

namespace jissoku::backends::cpu {

class PagedBuffer final : public device::Buffer {
 public:
  /// Aligned to 4 KiB, from 2 MiB up to 2 MiB. Pages are touched by the team, member by member in
  /// equal parts, as the first toucher's NUMA node gets them. `in_use_bytes` counts it while it lives.
  /// Fails (unavailable) with the sizes when memory does not suffice or cannot be locked (`pinned`).
  static core::Result<std::unique_ptr<device::Buffer>> allocate(std::size_t size_bytes,
                                                                device::MemoryKind kind,
                                                                ThreadTeam& team,
                                                                std::atomic<std::int64_t>& in_use_bytes);
  ~PagedBuffer() override;
  PagedBuffer(const PagedBuffer&) = delete;
  PagedBuffer& operator=(const PagedBuffer&) = delete;

  std::size_t size_bytes() const override { return size_bytes_; }
  device::MemoryKind kind() const override { return kind_; }
  std::byte* host_data() override { return data_; }
  std::string paging() const override { return paging_; }

 private:
  PagedBuffer(std::size_t size_bytes, device::MemoryKind kind, std::atomic<std::int64_t>& in_use_bytes);
  bool map();
  void touch(ThreadTeam& team);

  std::byte* mapping_ = nullptr;  ///< with an inaccessible page at either end
  std::size_t mapping_bytes_ = 0;
  std::byte* data_ = nullptr;
  std::size_t size_bytes_;
  device::MemoryKind kind_;
  std::string paging_;
  std::atomic<std::int64_t>& in_use_bytes_;
};

/// "huge_pages" if at least 90 % of the mapping that holds `address` lies in huge pages, "base_pages"
/// if not, "" if /proc/self/smaps does not tell.
std::string paging_of(const void* address);

}  // namespace jissoku::backends::cpu
