#include "jissoku/backends/cpu/paged_buffer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <utility>

#include "jissoku/core/machine.hpp"

namespace jissoku::backends::cpu {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
/// Left for everything else when memory is checked before it is taken.
constexpr std::int64_t kReserveBytes = std::int64_t{64} << 20;

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

core::Error too_large(std::size_t size_bytes, std::int64_t available_bytes) {
  return core::make_error(
      core::ExitCode::unavailable,
      "device.out_of_memory",
      {{"size", static_cast<double>(size_bytes)}, {"available", static_cast<double>(available_bytes)}});
}

core::Error cannot_lock(std::size_t size_bytes, int error_number) {
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  return core::make_error(core::ExitCode::unavailable,
                          "cpu.no_lock",
                          {{"wanted", static_cast<double>(size_bytes)},
                           {"limit", static_cast<double>(limit.rlim_cur)},
                           {"why", std::string(std::strerror(error_number))}});
}

/// "Size:  2048 kB" -> 2048, for the field of that name.
bool read_kib(const std::string& line, const char* field, double& kib) {
  const std::size_t length = std::strlen(field);
  if (line.compare(0, length, field) != 0) {
    return false;
  }
  kib = std::strtod(line.c_str() + length, nullptr);
  return true;
}

}  // namespace

std::string paging_of(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  bool inside = false;
  double size_kib = 0;
  double huge_kib = 0;
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    // Fields are "Name: value"; only a mapping's first line starts with two hexadecimal addresses.
    if (std::sscanf(line.c_str(), "%lx-%lx ", &first, &last) == 2) {
      inside = first <= wanted && wanted < last;
    } else if (inside) {
      read_kib(line, "Size:", size_kib);
      if (read_kib(line, "AnonHugePages:", huge_kib)) {
        return huge_kib >= 0.9 * size_kib ? "huge_pages" : "base_pages";
      }
    }
  }
  return {};
}

PagedBuffer::PagedBuffer(std::size_t size_bytes,
                         device::MemoryKind kind,
                         std::atomic<std::int64_t>& in_use_bytes)
    : size_bytes_(size_bytes), kind_(kind), in_use_bytes_(in_use_bytes) {
  in_use_bytes_ += static_cast<std::int64_t>(size_bytes_);
}

PagedBuffer::~PagedBuffer() {
  if (mapping_ != nullptr) {
    munmap(mapping_, mapping_bytes_);
  }
  in_use_bytes_ -= static_cast<std::int64_t>(size_bytes_);
}

core::Result<std::unique_ptr<device::Buffer>> PagedBuffer::allocate(std::size_t size_bytes,
                                                                    device::MemoryKind kind,
                                                                    ThreadTeam& team,
                                                                    std::atomic<std::int64_t>& in_use_bytes) {
  if (size_bytes == 0) {
    return core::make_error(core::ExitCode::usage, "device.empty_buffer");
  }
  // Asked first: a kernel that overcommits grants anything and kills the program when it is touched.
  const std::int64_t available_bytes =
      std::max<std::int64_t>(core::available_memory_bytes() - kReserveBytes, 0);
  if (std::cmp_greater(size_bytes, available_bytes)) {
    return too_large(size_bytes, available_bytes);
  }
  std::unique_ptr<PagedBuffer> buffer(new PagedBuffer(size_bytes, kind, in_use_bytes));
  if (!buffer->map()) {
    return too_large(size_bytes, available_bytes);
  }
  buffer->touch(team);
  if (kind == device::MemoryKind::pinned && mlock(buffer->data_, size_bytes) != 0) {
    return cannot_lock(size_bytes, errno);
  }
  buffer->paging_ = paging_of(buffer->data_);
  return std::unique_ptr<device::Buffer>(std::move(buffer));
}

bool PagedBuffer::map() {
  const bool huge = size_bytes_ >= kHugePage;
  const std::size_t alignment = huge ? kHugePage : kPage;
  const std::size_t usable_bytes = round_up(size_bytes_, alignment);
  // Room to align, and a page at either end that stays inaccessible: an overrun faults, and the kernel
  // does not merge the mapping with a neighbour, whose pages paging_of() would then count.
  mapping_bytes_ = usable_bytes + alignment + 2 * kPage;
  void* mapping = mmap(nullptr, mapping_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) {
    return false;
  }
  mapping_ = static_cast<std::byte*>(mapping);
  const auto start = reinterpret_cast<std::uintptr_t>(mapping_);
  data_ = mapping_ + (round_up(start + kPage, alignment) - start);
  if (mprotect(data_, usable_bytes, PROT_READ | PROT_WRITE) != 0) {
    return false;
  }
  if (huge) {
    madvise(data_, usable_bytes, MADV_HUGEPAGE);  // a wish; paging() tells what came of it
  }
  return true;
}

void PagedBuffer::touch(ThreadTeam& team) {
  team.run_ranges(static_cast<std::int64_t>(size_bytes_),
                  static_cast<std::int64_t>(size_bytes_ >= kHugePage ? kHugePage : kPage),
                  [this](int, std::int64_t first, std::int64_t last) {
                    for (std::int64_t at = first; at < last; at += static_cast<std::int64_t>(kPage)) {
                      data_[at] = std::byte{0};
                    }
                  });
}

}  // namespace jissoku::backends::cpu
