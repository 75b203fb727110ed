#include "jissoku/backends/model/model_device.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "jissoku/backends/model/model_memory.hpp"
#include "jissoku/backends/model/signature.hpp"
#include "jissoku/backends/model/support.hpp"
#include "jissoku/device/host_memory.hpp"
#include "jissoku/device/validate.hpp"
#include "jissoku/device/views.hpp"

namespace jissoku::backends::model {
namespace {

using core::ExitCode;
using core::make_error;
using core::Result;
using core::Status;
using device::Activity;
using device::Operation;

struct ModelStream final : device::Stream {
  std::int64_t busy_until_ns = 0;  ///< host clock
};

struct ModelEvent final : device::Event {
  std::optional<std::int64_t> time_ns;  ///< host clock
};

ModelStream& of_model(device::Stream& stream) {
  return static_cast<ModelStream&>(stream);
}

core::Error foreign_event() {
  return make_error(ExitCode::usage, "device.foreign_event");
}

ModelBuffer* of_model(device::Buffer* buffer) {
  return dynamic_cast<ModelBuffer*>(buffer);
}

/// By view: whether it lies in host memory.
std::vector<bool> on_host(const Operation& operation) {
  std::vector<bool> flags;
  for (const device::NamedView& named : device::views_of(operation)) {
    flags.push_back(of_model(named.view->buffer)->on_host());
  }
  return flags;
}

/// Kernels address the device's memory, and the host's where its pages cannot move.
Status check_operands(const Operation& operation, const std::string& device_id) {
  for (const device::NamedView& named : device::views_of(operation)) {
    const ModelBuffer* buffer = of_model(named.view->buffer);
    if (buffer == nullptr || buffer->kind() == device::MemoryKind::pageable) {
      return make_error(ExitCode::usage,
                        buffer == nullptr ? "model.foreign_buffer" : "model.pageable_operand",
                        {{"device", device_id},
                         {"operation", device::to_string(operation)},
                         {"tensor", std::string(named.name)}});
    }
  }
  return {};
}

ModelBuffer* output_of(const Operation& operation) {
  for (const device::NamedView& named : device::views_of(operation)) {
    if (named.written) {
      return of_model(named.view->buffer);
    }
  }
  return nullptr;
}

Route route_of(const ModelBuffer& dst, const ModelBuffer& src) {
  if (!dst.on_host() && !src.on_host()) {
    return Route::within_device;
  }
  const bool pageable =
      dst.kind() == device::MemoryKind::pageable || src.kind() == device::MemoryKind::pageable;
  return pageable || (dst.on_host() && src.on_host()) ? Route::pageable : Route::pinned;
}

}  // namespace

ModelDevice::ModelDevice(Model model, std::shared_ptr<HostTime> time, std::shared_ptr<HostNumerics> numerics)
    : model_(std::move(model)), time_(std::move(time)), numerics_(std::move(numerics)) {}

device::Support ModelDevice::supports(const Operation& operation) const {
  device::Support support = hardware_supports(model_, operation);
  return support.ok && model_.parameters.compute ? numerics_->supports(operation) : support;
}

Result<std::unique_ptr<device::Buffer>> ModelDevice::allocate(std::size_t size_bytes,
                                                              device::MemoryKind kind) {
  return ModelBuffer::allocate(
      model_.info.id, size_bytes, kind, model_.parameters.memory_bytes, in_use_bytes_);
}

Result<std::unique_ptr<device::Stream>> ModelDevice::create_stream() {
  return std::unique_ptr<device::Stream>(std::make_unique<ModelStream>());
}

Result<std::unique_ptr<device::Event>> ModelDevice::create_event() {
  return std::unique_ptr<device::Event>(std::make_unique<ModelEvent>());
}

/// The host spends its call, then the work starts as soon as the stream is free.
void ModelDevice::enqueue(
    device::Stream& stream, Activity activity, const std::string& name, const Work& work, bool blocking) {
  const std::int64_t called_ns = time_->now_ns();
  time_->advance_ns(model_.parameters.call_ns);
  std::int64_t& busy_until_ns = of_model(stream).busy_until_ns;
  const std::int64_t start_ns = std::max(time_->now_ns(), busy_until_ns);
  busy_until_ns = start_ns + duration_ns(model_.parameters, work, works_++);
  if (blocking) {
    time_->advance_ns(busy_until_ns - time_->now_ns());
  }
  ++correlation_;
  if (recorder_ != nullptr) {
    const std::int64_t offset_ns = model_.parameters.clock_offset_ns;
    recorder_->host_call(activity, name, correlation_, called_ns, time_->now_ns());
    recorder_->device_work(activity, name, correlation_, start_ns + offset_ns, busy_until_ns + offset_ns);
  }
}

Status ModelDevice::check(const Operation& operation) const {
  if (device::Support support = supports(operation); !support.ok) {
    return core::Error{ExitCode::unavailable, std::move(support.reason)};
  }
  if (Status sound = device::validate(operation); !sound) {
    return sound;
  }
  return check_operands(operation, model_.info.id);
}

Status ModelDevice::launch(device::Stream& stream, const Operation& operation) {
  const std::string signature = signature_of(operation);
  ModelBuffer* const output = signature.empty() ? nullptr : output_of(operation);
  const bool is_there = output != nullptr && output->result.signature == signature &&
                        output->result.generation == output->generation();
  if (!is_there) {
    if (Status sound = check(operation); !sound) {
      return sound;
    }
    if (Status computed = compute(operation); !computed) {
      return computed;
    }
    if (output != nullptr) {
      output->result = {signature, output->generation()};
    }
  }
  enqueue(stream,
          Activity::launch,
          device::to_string(operation),
          kernel_of(model_.parameters, operation, on_host(operation)),
          false);
  return {};
}

Status ModelDevice::compute(const Operation& operation) {
  Operation inner = operation;
  for (const device::NamedView& named : device::views_of(inner)) {
    ModelBuffer* const buffer = of_model(named.view->buffer);
    if (named.written) {
      buffer->written();
    }
    if (!model_.parameters.compute) {
      continue;
    }
    const auto memory = buffer->memory();
    if (!memory) {
      return memory.error();
    }
    const_cast<device::TensorView*>(named.view)->buffer = *memory;  // `inner` is ours and not const
  }
  if (!model_.parameters.compute) {
    return {};
  }
  ++computations_;
  return numerics_->compute(inner);
}

Status ModelDevice::copy(device::Stream& stream, const device::CopyRange& range) {
  if (Status sound = device::validate(range); !sound) {
    return sound;
  }
  ModelBuffer* const src = of_model(range.src);
  ModelBuffer* const dst = of_model(range.dst);
  if (src == nullptr || dst == nullptr) {
    return make_error(ExitCode::usage,
                      "model.foreign_buffer",
                      {{"device", model_.info.id},
                       {"operation", std::string("copy")},
                       {"tensor", std::string(src == nullptr ? "src" : "dst")}});
  }
  if (Status moved = move_bytes(range); !moved) {
    return moved;
  }
  const Route route = route_of(*dst, *src);
  enqueue(stream,
          Activity::copy,
          "copy",
          Copy{route, static_cast<double>(range.size_bytes)},
          route == Route::pageable);
  return {};
}

Status ModelDevice::move_bytes(const device::CopyRange& range) {
  ModelBuffer& dst = *of_model(range.dst);
  dst.written();
  if (!model_.parameters.compute) {
    return {};
  }
  const auto from = of_model(range.src)->memory();
  const auto to = dst.memory();
  if (!from || !to) {
    return from ? to.error() : from.error();
  }
  device::CopyRange inner = range;
  inner.src = *from;
  inner.dst = *to;
  device::copy_host(inner);
  return {};
}

Status ModelDevice::record(device::Stream& stream, device::Event& event) {
  auto* own = dynamic_cast<ModelEvent*>(&event);
  if (own == nullptr) {
    return foreign_event();
  }
  time_->advance_ns(model_.parameters.call_ns);
  own->time_ns = std::max(time_->now_ns(), of_model(stream).busy_until_ns);
  return {};
}

Status ModelDevice::wait(device::Stream& stream, device::Event& event) {
  const auto* own = dynamic_cast<ModelEvent*>(&event);
  if (own == nullptr) {
    return foreign_event();
  }
  time_->advance_ns(model_.parameters.call_ns);
  std::int64_t& busy_until_ns = of_model(stream).busy_until_ns;
  busy_until_ns = std::max(busy_until_ns, own->time_ns.value_or(busy_until_ns));
  return {};
}

Status ModelDevice::synchronise(device::Stream& stream) {
  const std::int64_t called_ns = time_->now_ns();
  const std::int64_t waiting_ns = std::max<std::int64_t>(0, of_model(stream).busy_until_ns - called_ns);
  time_->advance_ns(waiting_ns + model_.parameters.synchronise_ns);
  ++correlation_;
  if (recorder_ != nullptr) {
    recorder_->host_call(Activity::synchronise, "synchronise", correlation_, called_ns, time_->now_ns());
  }
  return {};
}

Result<double> ModelDevice::elapsed_ns(const device::Event& start, const device::Event& stop) {
  const auto* first = dynamic_cast<const ModelEvent*>(&start);
  const auto* last = dynamic_cast<const ModelEvent*>(&stop);
  if (first == nullptr || last == nullptr) {
    return foreign_event();
  }
  if (!first->time_ns || !last->time_ns) {
    return make_error(ExitCode::usage, "device.event_not_recorded");
  }
  return static_cast<double>(*last->time_ns - *first->time_ns);
}

device::Telemetry ModelDevice::telemetry() {
  device::Telemetry telemetry;
  telemetry.link = model_.link;
  return telemetry;
}

}  // namespace jissoku::backends::model
