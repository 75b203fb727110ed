#include "jissoku/backends/reference/reference_device.hpp"

#include "jissoku/backends/reference/kernels.hpp"
#include "jissoku/device/host_memory.hpp"
#include "jissoku/device/validate.hpp"
#include "jissoku/device/views.hpp"

namespace jissoku::backends::reference {
namespace {

using core::ExitCode;
using core::make_error;
using core::Message;
using core::message;
using core::Result;
using core::Status;
using device::Activity;
using device::Operation;
using device::Support;
using numerics::DataType;

const char kId[] = "reference";

Support unsupported(Message reason) {
  return {false, false, std::move(reason)};
}

bool is_wide(DataType type) {
  return type == DataType::f32 || type == DataType::f64;
}

Support wrong_type(const Operation& operation, DataType type) {
  return unsupported(message("device.type_unsupported",
                             {{"device", std::string(kId)},
                              {"operation", device::to_string(operation)},
                              {"type", std::string(numerics::display_name(type))}}));
}

/// All tensors FP32 or all FP64, without block scales; only a cast may have both formats.
Support types_supported(const Operation& operation) {
  const bool may_mix = std::holds_alternative<device::Cast>(operation);
  const device::NamedViews views = device::views_of(operation);
  for (const device::NamedView& named : views) {
    if (!is_wide(named.view->type)) {
      return wrong_type(operation, named.view->type);
    }
    if (!may_mix && named.view->type != views.begin()->view->type) {
      return unsupported(message("device.types_mixed",
                                 {{"device", std::string(kId)},
                                  {"operation", device::to_string(operation)},
                                  {"tensor", std::string(named.name)},
                                  {"type", std::string(numerics::display_name(named.view->type))}}));
    }
    if (named.view->scale_block != 0) {
      return unsupported(message("device.scales_unsupported",
                                 {{"device", std::string(kId)},
                                  {"operation", device::to_string(operation)},
                                  {"tensor", std::string(named.name)}}));
    }
  }
  return {true, false, {}};
}

/// Of the kinds it does: accumulating more exactly than asked for is fine, so f32 and f64 both are.
Support gemm_supported(const device::Gemm& gemm) {
  if (!gemm.variant.empty()) {
    return unsupported(
        message("device.only_default_variant", {{"device", std::string(kId)}, {"variant", gemm.variant}}));
  }
  return is_wide(gemm.accumulator) ? Support{true, false, {}} : wrong_type(gemm, gemm.accumulator);
}

std::string to_string(device::MemoryKind kind) {
  switch (kind) {
    case device::MemoryKind::device:
      return "device";
    case device::MemoryKind::pageable:
      return "pageable";
    case device::MemoryKind::pinned:
      return "pinned";
    case device::MemoryKind::mapped:
      return "mapped";
  }
  return "";
}

}  // namespace

device::Info ReferenceDevice::describe() {
  device::Info info;
  info.id = kId;
  info.name = "plain loops on one CPU thread";
  info.backend = kId;
  info.is_host = true;
  info.compute_units = 1;
  return info;
}

Support ReferenceDevice::supports(const Operation& operation) const {
  if (!has_kernel(operation)) {
    return unsupported(message("device.operation_unsupported",
                               {{"device", std::string(kId)}, {"operation", device::to_string(operation)}}));
  }
  if (const Status sound = device::validate_layout(operation); !sound) {
    return unsupported(sound.error().message);
  }
  if (Support types = types_supported(operation); !types.ok) {
    return types;
  }
  const auto* gemm = std::get_if<device::Gemm>(&operation);
  return gemm == nullptr ? Support{true, false, {}} : gemm_supported(*gemm);
}

Result<std::unique_ptr<device::Buffer>> ReferenceDevice::allocate(std::size_t size_bytes,
                                                                  device::MemoryKind kind) {
  if (kind ==
      device::MemoryKind::pinned) {  // its pages may move; plain memory under that name would be a lie
    return make_error(ExitCode::unavailable,
                      "device.memory_kind",
                      {{"device", std::string(kId)}, {"kind", to_string(kind)}});
  }
  return device::HostBuffer::allocate(size_bytes, kind, in_use_bytes_);
}

Result<std::unique_ptr<device::Stream>> ReferenceDevice::create_stream() {
  return std::unique_ptr<device::Stream>(std::make_unique<device::ImmediateStream>());
}

Result<std::unique_ptr<device::Event>> ReferenceDevice::create_event() {
  return std::unique_ptr<device::Event>(std::make_unique<device::HostEvent>());
}

/// Does the work and tells the recorder, if there is one. Host and device are one, and so are their times.
template <typename Work>
void ReferenceDevice::recorded(Activity activity, const std::string& name, Work work) {
  const std::int64_t correlation = ++correlation_;
  const std::int64_t start_ns = device::host_clock_ns();
  work();
  const std::int64_t end_ns = device::host_clock_ns();
  if (recorder_ == nullptr) {
    return;
  }
  recorder_->host_call(activity, name, correlation, start_ns, end_ns);
  if (activity != Activity::synchronise) {
    recorder_->device_work(activity, name, correlation, start_ns, end_ns);
  }
}

Status ReferenceDevice::launch(device::Stream&, const Operation& operation) {
  if (Support support = supports(operation); !support.ok) {
    return core::Error{ExitCode::unavailable, std::move(support.reason)};
  }
  if (Status sound = device::validate(operation); !sound) {
    return sound;
  }
  recorded(Activity::launch, device::to_string(operation), [&] { compute(operation); });
  return {};
}

Status ReferenceDevice::copy(device::Stream&, const device::CopyRange& range) {
  if (Status sound = device::validate(range); !sound) {
    return sound;
  }
  recorded(Activity::copy, "copy", [&] { device::copy_host(range); });
  return {};
}

Status ReferenceDevice::record(device::Stream&, device::Event& event) {
  auto* own = dynamic_cast<device::HostEvent*>(&event);
  if (own == nullptr) {
    return make_error(ExitCode::usage, "device.foreign_event");
  }
  own->record_now();
  return {};
}

Status ReferenceDevice::wait(device::Stream&, device::Event& event) {
  if (dynamic_cast<device::HostEvent*>(&event) == nullptr) {
    return make_error(ExitCode::usage, "device.foreign_event");
  }
  return {};  // what comes before a recorded event is done already
}

Status ReferenceDevice::synchronise(device::Stream&) {
  recorded(Activity::synchronise, "synchronise", [] {});
  return {};
}

Result<double> ReferenceDevice::elapsed_ns(const device::Event& start, const device::Event& stop) {
  return device::host_elapsed_ns(start, stop);
}

}  // namespace jissoku::backends::reference
