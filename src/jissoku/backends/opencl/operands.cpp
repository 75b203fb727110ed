#include "jissoku/backends/opencl/operands.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>

#include "jissoku/device/host_fill.hpp"
#include "jissoku/device/host_memory.hpp"
#include "jissoku/device/views.hpp"

namespace jissoku::backends::opencl {

core::Result<Operands> Operands::take(OpenClStream& stream, const device::Operation& operation) {
  Operands operands;
  std::size_t index = 0;
  for (const device::NamedView& named : device::views_of(operation)) {
    auto* const buffer = dynamic_cast<OpenClBuffer*>(named.view->buffer);
    if (buffer == nullptr || buffer->memory() == nullptr) {
      return core::make_error(core::ExitCode::usage,
                              "opencl.host_memory",
                              {{"device", stream.runtime().id()},
                               {"operation", device::to_string(operation)},
                               {"tensor", std::string(named.name)}});
    }
    operands.memory_.at(index++) = buffer->memory();
    const auto& mapped = operands.mapped_;
    if (buffer->is_mapped() && std::find(mapped.begin(), mapped.end(), buffer) == mapped.end()) {
      operands.mapped_.push_back(buffer);
    }
  }
  for (std::size_t done = 0; done < operands.mapped_.size(); ++done) {
    if (auto unmapped = operands.mapped_[done]->unmap(stream.queue()); !unmapped) {
      operands.mapped_.resize(done);
      static_cast<void>(operands.give_back(stream));
      return unmapped.error();
    }
  }
  return operands;
}

core::Status Operands::give_back(OpenClStream& stream) {
  core::Status first;
  for (OpenClBuffer* buffer : mapped_) {
    core::Status mapped = buffer->map(stream.queue(), false);
    first = first ? std::move(mapped) : std::move(first);
  }
  return first;
}

namespace {

int fill_threads(const Runtime& runtime) {
  return runtime.facts().is_cpu ? std::max(runtime.facts().compute_units, 1)
                                : static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
}

}  // namespace

core::Status fill(OpenClStream& stream, const device::Fill& fill, Commands& commands) {
  const int threads = fill_threads(stream.runtime());
  if (fill.out.buffer->host_data() != nullptr) {
    if (auto finished = stream.finish(); !finished) {
      return finished;
    }
    device::fill_host(fill, threads);
    return stream.marker(commands);
  }
  const auto element = static_cast<std::size_t>(numerics::storage_bits(fill.out.type)) / 8;
  const std::int64_t extent = device::extent_elements(fill.out).value_or(0);
  const std::size_t size = static_cast<std::size_t>(extent) * element;
  const std::size_t offset = static_cast<std::size_t>(fill.out.offset_elements) * element;
  std::atomic<std::int64_t> uncounted = 0;
  auto staging = device::HostBuffer::allocate(size, device::MemoryKind::pageable, uncounted);
  if (!staging) {
    return staging.error();
  }
  const cl_mem memory = dynamic_cast<OpenClBuffer&>(*fill.out.buffer).memory();
  const bool padded = extent != fill.out.rows * fill.out.columns * fill.out.batch;
  if (padded) {  // what lies between the rows must stay
    Commands reading;
    auto read = stream.read(memory, offset, (*staging)->host_data(), size, reading);
    read = read ? stream.finish() : read;
    if (!read) {
      stream.abandon();
      return read;
    }
  }
  device::Fill on_host = fill;
  on_host.out.buffer = staging->get();
  on_host.out.offset_elements = 0;
  device::fill_host(on_host, threads);
  auto written = stream.write(memory, offset, (*staging)->host_data(), size, commands);
  core::Status finished = stream.finish();
  if (!finished) {
    stream.abandon();
  }
  return written ? finished : written;
}

}  // namespace jissoku::backends::opencl
