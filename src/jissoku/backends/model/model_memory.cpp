#include "jissoku/backends/model/model_memory.hpp"

#include <algorithm>
#include <utility>

#include "jissoku/device/host_memory.hpp"

namespace jissoku::backends::model {
namespace {

using core::ExitCode;
using core::make_error;

std::atomic<std::uint64_t> last_serial{0};

}  // namespace

core::Result<std::unique_ptr<device::Buffer>> ModelBuffer::allocate(const std::string& device_id,
                                                                    std::size_t size_bytes,
                                                                    device::MemoryKind kind,
                                                                    std::int64_t capacity_bytes,
                                                                    std::atomic<std::int64_t>& in_use_bytes) {
  if (size_bytes == 0) {
    return make_error(ExitCode::usage, "device.empty_buffer");
  }
  if (kind == device::MemoryKind::device) {
    const auto left = static_cast<double>(std::max<std::int64_t>(0, capacity_bytes - in_use_bytes));
    if (static_cast<double>(size_bytes) > left) {
      return make_error(ExitCode::unavailable,
                        "model.out_of_memory",
                        {{"device", device_id},
                         {"size", static_cast<double>(size_bytes)},
                         {"available", left},
                         {"capacity", static_cast<double>(capacity_bytes)}});
    }
  }
  std::unique_ptr<ModelBuffer> buffer(new ModelBuffer(size_bytes, kind, in_use_bytes));
  if (buffer->on_host()) {
    if (auto memory = buffer->memory(); !memory) {
      return memory.error();
    }
  }
  return std::unique_ptr<device::Buffer>(std::move(buffer));
}

ModelBuffer::ModelBuffer(std::size_t size_bytes,
                         device::MemoryKind kind,
                         std::atomic<std::int64_t>& in_use_bytes)
    : size_bytes_(size_bytes), kind_(kind), in_use_bytes_(in_use_bytes), serial_(++last_serial) {
  if (!on_host()) {
    in_use_bytes_ += static_cast<std::int64_t>(size_bytes_);
  }
}

ModelBuffer::~ModelBuffer() {
  if (!on_host()) {
    in_use_bytes_ -= static_cast<std::int64_t>(size_bytes_);
  }
}

core::Result<device::Buffer*> ModelBuffer::memory() {
  if (memory_ == nullptr) {
    auto taken = device::HostBuffer::allocate(size_bytes_, device::MemoryKind::pageable, taken_bytes_);
    if (!taken) {
      return taken.error();
    }
    memory_ = std::move(*taken);
  }
  return memory_.get();
}

}  // namespace jissoku::backends::model
