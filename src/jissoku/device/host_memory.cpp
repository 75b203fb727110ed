#include "jissoku/device/host_memory.hpp"

#include <chrono>
#include <cstring>
#include <new>

#include "jissoku/core/machine.hpp"

namespace jissoku::device {
namespace {

using core::ExitCode;
using core::make_error;

constexpr std::align_val_t kAlignment{64};

}  // namespace

core::Result<std::unique_ptr<Buffer>> HostBuffer::allocate(std::size_t size_bytes,
                                                           MemoryKind kind,
                                                           std::atomic<std::int64_t>& in_use_bytes) {
  if (size_bytes == 0) {
    return make_error(ExitCode::usage, "device.empty_buffer");
  }
  // The kernel would promise more than there is, and end the process when it is touched.
  const double available = static_cast<double>(core::available_memory_bytes());
  void* const data = static_cast<double>(size_bytes) <= available
                         ? ::operator new(size_bytes, kAlignment, std::nothrow)
                         : nullptr;
  if (data == nullptr) {
    return make_error(ExitCode::unavailable,
                      "device.out_of_memory",
                      {{"size", static_cast<double>(size_bytes)}, {"available", available}});
  }
  return std::unique_ptr<Buffer>(
      new HostBuffer(static_cast<std::byte*>(data), size_bytes, kind, in_use_bytes));
}

HostBuffer::HostBuffer(std::byte* data,
                       std::size_t size_bytes,
                       MemoryKind kind,
                       std::atomic<std::int64_t>& in_use_bytes)
    : data_(data), size_bytes_(size_bytes), kind_(kind), in_use_bytes_(in_use_bytes) {
  in_use_bytes_ += static_cast<std::int64_t>(size_bytes_);
}

HostBuffer::~HostBuffer() {
  in_use_bytes_ -= static_cast<std::int64_t>(size_bytes_);
  ::operator delete(data_, kAlignment);
}

void HostEvent::record_now() {
  time_ns_ = host_clock_ns();
  recorded_ = true;
}

core::Result<double> host_elapsed_ns(const Event& start, const Event& stop) {
  const auto* first = dynamic_cast<const HostEvent*>(&start);
  const auto* last = dynamic_cast<const HostEvent*>(&stop);
  if (first == nullptr || last == nullptr) {
    return make_error(ExitCode::usage, "device.foreign_event");
  }
  if (!first->recorded() || !last->recorded()) {
    return make_error(ExitCode::usage, "device.event_not_recorded");
  }
  return static_cast<double>(last->time_ns() - first->time_ns());
}

std::int64_t host_clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void copy_host(const CopyRange& range) {
  std::memcpy(range.dst->host_data() + range.dst_offset_bytes,
              range.src->host_data() + range.src_offset_bytes,
              range.size_bytes);
}

}  // namespace jissoku::device
