#include "jissoku/backends/opencl/opencl_device.hpp"

#include <limits>
#include <utility>

#include "jissoku/backends/opencl/elementwise.hpp"
#include "jissoku/backends/opencl/operands.hpp"
#include "jissoku/backends/opencl/probes.hpp"
#include "jissoku/device/host_memory.hpp"
#include "jissoku/device/validate.hpp"
#include "jissoku/device/views.hpp"

namespace jissoku::backends::opencl {
namespace {

using core::ExitCode;
using device::Activity;
using device::Operation;
using device::Support;
using numerics::DataType;

const char kOwn[] = "own";
const char kClblast[] = "clblast";

Support unsupported(core::Message reason) {
  return {.ok = false, .emulated = false, .reason = std::move(reason)};
}

Support supported() {
  return {.ok = true, .emulated = false, .reason = {}};
}

bool has_kernel(const Operation& operation) {
  return std::holds_alternative<device::Fill>(operation) || std::holds_alternative<device::Gemm>(operation) ||
         std::holds_alternative<device::FmaPeak>(operation) ||
         std::holds_alternative<device::MemoryTriad>(operation) || is_elementwise(operation);
}

bool can_fill(DataType type) {
  return type == DataType::f64 || type == DataType::f32 || type == DataType::tf32 || type == DataType::f16 ||
         type == DataType::bf16;
}

core::Message lacks(const std::string& id, const Operation& operation, const char* what, std::string value) {
  return core::message(
      what, {{"device", id}, {"operation", device::to_string(operation)}, {"type", std::move(value)}});
}

std::string shown(DataType type) {
  return std::string(numerics::display_name(type));
}

core::Error foreign_event() {
  return core::make_error(ExitCode::usage, "device.foreign_event");
}

}  // namespace

core::Result<std::unique_ptr<device::Device>> OpenClDevice::open(device::Info info,
                                                                 std::shared_ptr<Runtime> runtime,
                                                                 const std::string& clblast_library) {
  auto queue = runtime->create_queue();
  if (!queue) {
    return queue.error();
  }
  std::unique_ptr<OpenClDevice> device(
      new OpenClDevice(std::move(info), std::move(runtime), std::move(*queue)));
  device->clblast_ = Clblast::open(clblast_library);
  if (!device->clblast_) {
    device->info_.notes.push_back(device->clblast_.error().message);
  }
  return std::unique_ptr<device::Device>(std::move(device));
}

OpenClDevice::OpenClDevice(device::Info info,
                           std::shared_ptr<Runtime> runtime,
                           Handle<cl_command_queue> queue)
    : info_(std::move(info)),
      runtime_(std::move(runtime)),
      mapping_queue_(std::move(queue)),
      own_(std::make_unique<OwnGemm>(runtime_)) {}

Support OpenClDevice::supports(const Operation& operation) const {
  if (!has_kernel(operation)) {
    return unsupported(core::message("device.operation_unsupported",
                                     {{"device", info_.id}, {"operation", device::to_string(operation)}}));
  }
  if (const core::Status sound = device::validate_layout(operation); !sound) {
    return unsupported(sound.error().message);
  }
  const bool has_f64 = runtime_->facts().has_f64();
  for (const device::NamedView& named : device::views_of(operation)) {
    if (named.view->scale_block != 0) {
      return unsupported(core::message("device.scales_unsupported",
                                       {{"device", info_.id},
                                        {"operation", device::to_string(operation)},
                                        {"tensor", std::string(named.name)}}));
    }
    if (is_elementwise(operation) && named.view->type != DataType::f32) {
      return unsupported(lacks(info_.id, operation, "opencl.type", shown(named.view->type)));
    }
    if (named.view->type == DataType::f64 && !has_f64 && !std::holds_alternative<device::Fill>(operation)) {
      return unsupported(core::message("opencl.no_f64", {{"device", info_.id}}));
    }
  }
  if (const auto* fill = std::get_if<device::Fill>(&operation)) {
    return can_fill(fill->out.type)
               ? supported()
               : unsupported(lacks(info_.id, operation, "opencl.type", shown(fill->out.type)));
  }
  if (const auto* peak = std::get_if<device::FmaPeak>(&operation)) {
    if (!peak->variant.empty()) {
      return unsupported(
          core::message("device.only_default_variant", {{"device", info_.id}, {"variant", peak->variant}}));
    }
    const bool known = peak->type == DataType::f32 || (peak->type == DataType::f64 && has_f64);
    return known ? supported() : unsupported(lacks(info_.id, operation, "opencl.type", shown(peak->type)));
  }
  const auto* gemm = std::get_if<device::Gemm>(&operation);
  return gemm != nullptr ? supports_gemm(*gemm) : supported();
}

Support OpenClDevice::supports_gemm(const device::Gemm& gemm) const {
  if (gemm.variant.empty() || gemm.variant == kOwn) {
    return own_->supports(gemm);
  }
  if (gemm.variant != kClblast) {
    return unsupported(core::message(
        "device.no_such_variant",
        {{"device", info_.id}, {"variant", gemm.variant}, {"known", std::string(kOwn) + ", " + kClblast}}));
  }
  return clblast_ ? (*clblast_)->supports(gemm, *runtime_) : unsupported(clblast_.error().message);
}

std::vector<device::Variant> OpenClDevice::variants(const Operation& operation) const {
  const auto* gemm = std::get_if<device::Gemm>(&operation);
  if (gemm == nullptr) {
    return {};
  }
  std::vector<device::Variant> variants;
  device::Variant own;
  own.name = kOwn;
  own.library = "Jissoku";
  variants.push_back(own_->supports(*gemm).ok ? own_->variant(*gemm) : own);
  if (clblast_) {
    variants.push_back((*clblast_)->variant());
  } else {
    device::Variant missing;
    missing.name = kClblast;
    missing.library = "CLBlast";
    missing.notes.push_back(clblast_.error().message);
    variants.push_back(missing);
  }
  return variants;
}

core::Result<std::unique_ptr<device::Buffer>> OpenClDevice::allocate(std::size_t size_bytes,
                                                                     device::MemoryKind kind) {
  if (kind == device::MemoryKind::pageable) {
    auto memory = device::HostBuffer::allocate(size_bytes, kind, in_use_bytes_);
    if (!memory) {
      return memory;
    }
    return std::unique_ptr<device::Buffer>(std::make_unique<PageableBuffer>(std::move(*memory)));
  }
  return OpenClBuffer::allocate(runtime_, mapping_queue_.get(), size_bytes, kind, in_use_bytes_);
}

core::Result<std::unique_ptr<device::Stream>> OpenClDevice::create_stream() {
  auto queue = runtime_->create_queue();
  if (!queue) {
    return queue.error();
  }
  return std::unique_ptr<device::Stream>(std::make_unique<OpenClStream>(runtime_, std::move(*queue)));
}

core::Result<std::unique_ptr<device::Event>> OpenClDevice::create_event() {
  return std::unique_ptr<device::Event>(std::make_unique<OpenClEvent>(runtime_));
}

/// Enqueues by `work`, keeps its commands in the stream and tells the recorder of the call. What was queued
/// before a failure is kept too, since the device may be at it.
template <typename Work>
core::Status OpenClDevice::recorded(OpenClStream& stream,
                                    Activity activity,
                                    const std::string& name,
                                    Work work) {
  const std::int64_t correlation = ++correlation_;
  const std::int64_t start_ns = recorder_ != nullptr ? device::host_clock_ns() : 0;
  Commands commands;
  core::Status done = work(commands);
  stream.keep(activity, name, correlation, recorder_ != nullptr && done.ok(), std::move(commands));
  if (recorder_ != nullptr && done) {
    recorder_->host_call(activity, name, correlation, start_ns, device::host_clock_ns());
  }
  return done;
}

core::Status OpenClDevice::launch(device::Stream& stream, const Operation& operation) {
  if (Support support = supports(operation); !support.ok) {
    return core::Error{ExitCode::unavailable, std::move(support.reason)};
  }
  if (core::Status sound = device::validate(operation); !sound) {
    return sound;
  }
  auto& own = static_cast<OpenClStream&>(stream);
  return recorded(own, Activity::launch, device::to_string(operation), [&](Commands& commands) {
    return enqueue(own, operation, commands);
  });
}

core::Status OpenClDevice::enqueue(OpenClStream& stream, const Operation& operation, Commands& commands) {
  if (const auto* data = std::get_if<device::Fill>(&operation)) {
    return fill(stream, *data, commands);
  }
  if (const auto* peak = std::get_if<device::FmaPeak>(&operation)) {
    return launch_fma_peak(stream, *peak, commands);
  }
  auto operands = Operands::take(stream, operation);
  if (!operands) {
    return operands.error();
  }
  const Operands& memory = *operands;
  core::Status done;
  if (const auto* triad = std::get_if<device::MemoryTriad>(&operation)) {
    done = launch_triad(stream, *triad, memory[0], memory[1], memory[2], commands);
  } else if (const auto* gemm = std::get_if<device::Gemm>(&operation)) {
    const GemmMemory matrices{memory[0], memory[1], memory[2]};
    done = gemm->variant == kClblast ? (*clblast_)->launch(stream, *gemm, matrices, commands)
                                     : own_->launch(stream, *gemm, matrices, commands);
  } else {
    done = launch_elementwise(stream, operation, memory, commands);
  }
  core::Status mapped = operands->give_back(stream);
  return done ? mapped : done;
}

core::Status OpenClDevice::copy(device::Stream& stream, const device::CopyRange& range) {
  if (core::Status sound = device::validate(range); !sound) {
    return sound;
  }
  auto& own = static_cast<OpenClStream&>(stream);
  return recorded(own, Activity::copy, "copy", [&](Commands& commands) {
    return range.size_bytes == 0 ? own.marker(commands) : enqueue_copy(own, range, commands);
  });
}

core::Status OpenClDevice::enqueue_copy(OpenClStream& stream,
                                        const device::CopyRange& range,
                                        Commands& commands) {
  std::byte* const to = range.dst->host_data();
  std::byte* const from = range.src->host_data();
  if (to != nullptr && from != nullptr) {
    if (core::Status finished = stream.finish(); !finished) {
      return finished;
    }
    device::copy_host(range);
    return stream.marker(commands);
  }
  if (auto* const used = dynamic_cast<QueueUse*>(to != nullptr ? range.dst : range.src)) {
    used->use_in(stream.queue());
  }
  const auto memory_of = [](device::Buffer& buffer) { return static_cast<OpenClBuffer&>(buffer).memory(); };
  if (from != nullptr) {
    return stream.write(memory_of(*range.dst),
                        range.dst_offset_bytes,
                        from + range.src_offset_bytes,
                        range.size_bytes,
                        commands);
  }
  if (to != nullptr) {
    return stream.read(memory_of(*range.src),
                       range.src_offset_bytes,
                       to + range.dst_offset_bytes,
                       range.size_bytes,
                       commands);
  }
  return stream.copy(memory_of(*range.dst),
                     range.dst_offset_bytes,
                     memory_of(*range.src),
                     range.src_offset_bytes,
                     range.size_bytes,
                     commands);
}

core::Status OpenClDevice::record(device::Stream& stream, device::Event& event) {
  auto* const own = dynamic_cast<OpenClEvent*>(&event);
  return own == nullptr ? core::Status(foreign_event()) : own->record(static_cast<OpenClStream&>(stream));
}

core::Status OpenClDevice::wait(device::Stream& stream, device::Event& event) {
  auto* const own = dynamic_cast<OpenClEvent*>(&event);
  return own == nullptr ? core::Status(foreign_event()) : own->make_wait(static_cast<OpenClStream&>(stream));
}

core::Status OpenClDevice::synchronise(device::Stream& stream) {
  auto& own = static_cast<OpenClStream&>(stream);
  const std::int64_t correlation = ++correlation_;
  const std::int64_t start_ns = recorder_ != nullptr ? device::host_clock_ns() : 0;
  core::Status done = own.synchronise(recorder_);
  if (recorder_ != nullptr) {
    recorder_->host_call(
        Activity::synchronise, "synchronise", correlation, start_ns, device::host_clock_ns());
  }
  return done;
}

void OpenClDevice::set_recorder(device::Recorder* recorder) {
  recorder_ = recorder;
  if (recorder != nullptr) {
    compare_clocks();
  }
}

/// Of a few markers, each of which ended between two readings of the host's clock, the one that is known
/// best.
void OpenClDevice::compare_clocks() {
  host_minus_device_ns_.reset();
  auto queue = runtime_->create_queue();
  if (!queue) {
    return;
  }
  constexpr int kMarkers = 5;
  OpenClStream stream(runtime_, std::move(*queue));
  std::int64_t narrowest_ns = std::numeric_limits<std::int64_t>::max();
  for (int marker = 0; marker < kMarkers; ++marker) {
    OpenClEvent event(runtime_);
    const std::int64_t before_ns = device::host_clock_ns();
    if (!event.record(stream)) {
      return;
    }
    const auto marked_ns = event.time_ns();
    const std::int64_t window_ns = device::host_clock_ns() - before_ns;
    if (marked_ns && window_ns < narrowest_ns) {
      narrowest_ns = window_ns;
      host_minus_device_ns_ = before_ns + window_ns / 2 - *marked_ns;
    }
  }
}

core::Result<double> OpenClDevice::elapsed_ns(const device::Event& start, const device::Event& stop) {
  const auto* const first = dynamic_cast<const OpenClEvent*>(&start);
  const auto* const last = dynamic_cast<const OpenClEvent*>(&stop);
  if (first == nullptr || last == nullptr || &first->runtime() != &last->runtime()) {
    return foreign_event();
  }
  if (!first->recorded() || !last->recorded()) {
    return core::make_error(ExitCode::usage, "device.event_not_recorded");
  }
  const auto start_ns = first->time_ns();
  const auto stop_ns = last->time_ns();
  if (!start_ns || !stop_ns) {
    return start_ns ? stop_ns.error() : start_ns.error();
  }
  return static_cast<double>(*stop_ns - *start_ns);
}

}  // namespace jissoku::backends::opencl
