#include "jissoku/backends/cpu/cpu_device.hpp"

#include <algorithm>
#include <utility>

#include "jissoku/backends/cpu/own_engine.hpp"
#include "jissoku/backends/cpu/paged_buffer.hpp"
#include "jissoku/backends/cpu/product.hpp"
#include "jissoku/backends/cpu/team_operations.hpp"
#include "jissoku/backends/cpu/tensor_operations.hpp"
#include "jissoku/device/host_fill.hpp"
#include "jissoku/device/host_memory.hpp"
#include "jissoku/device/validate.hpp"
#include "jissoku/device/views.hpp"

namespace jissoku::backends::cpu {
namespace {

using core::ExitCode;
using device::Activity;
using device::Operation;
using device::Support;
using numerics::DataType;

/// The device whose thread settings the libraries have now: they are one to a process.
std::atomic<const CpuDevice*> libraries_owner{nullptr};

Support unsupported(core::Message reason) {
  return {.ok = false, .emulated = false, .reason = std::move(reason)};
}

Support supported() {
  return {.ok = true, .emulated = false, .reason = {}};
}

bool has_kernel(const Operation& operation) {
  return std::holds_alternative<device::Fill>(operation) || std::holds_alternative<device::Cast>(operation) ||
         std::holds_alternative<device::Gemm>(operation) ||
         std::holds_alternative<device::Scale>(operation) ||
         std::holds_alternative<device::FmaPeak>(operation) ||
         std::holds_alternative<device::MemoryTriad>(operation) || is_tensor_operation(operation);
}

bool is_wide(DataType type) {
  return type == DataType::f32 || type == DataType::f64;
}

core::Message operation_message(const char* id,
                                const Operation& operation,
                                std::vector<core::Argument> more) {
  std::vector<core::Argument> args = {{"device", std::string("cpu")},
                                      {"operation", device::to_string(operation)}};
  args.insert(args.end(), more.begin(), more.end());
  return core::message(id, std::move(args));
}

core::Message wrong_type(const Operation& operation, DataType type) {
  return operation_message(
      "device.type_unsupported", operation, {{"type", std::string(numerics::display_name(type))}});
}

/// FP32 and FP64, without block scales; only a cast may mix them, and only a fill knows all formats.
Support tensors_supported(const Operation& operation) {
  const device::NamedViews views = device::views_of(operation);
  for (const device::NamedView& named : views) {
    const device::TensorView& view = *named.view;
    const bool fills = std::holds_alternative<device::Fill>(operation) && view.type != DataType::e8m0;
    if (!is_wide(view.type) && !fills) {
      return unsupported(wrong_type(operation, view.type));
    }
    if (view.scale_block != 0) {
      return unsupported(
          operation_message("device.scales_unsupported", operation, {{"tensor", std::string(named.name)}}));
    }
    if (!std::holds_alternative<device::Cast>(operation) && view.type != views.begin()->view->type) {
      return unsupported(operation_message(
          "device.types_mixed",
          operation,
          {{"tensor", std::string(named.name)}, {"type", std::string(numerics::display_name(view.type))}}));
    }
  }
  return supported();
}

}  // namespace

core::Result<std::unique_ptr<device::Device>> CpuDevice::open(device::Info info,
                                                              ThreadPlan plan,
                                                              const gemm::Caches& caches,
                                                              const std::vector<std::string>& folders) {
  FoundEngines found = load_engines({folders, plan.threads, plan.cpus});
  auto team = ThreadTeam::create(plan.threads, plan.cpus);
  if (!team) {
    return team.error();
  }
  return std::unique_ptr<device::Device>(
      new CpuDevice(std::move(info), std::move(plan), caches, std::move(found), std::move(*team)));
}

CpuDevice::CpuDevice(device::Info info,
                     ThreadPlan plan,
                     const gemm::Caches& caches,
                     FoundEngines found,
                     std::unique_ptr<ThreadTeam> team)
    : info_(std::move(info)),
      plan_(std::move(plan)),
      team_(std::move(team)),
      libraries_(std::move(found.usable)),
      unusable_(std::move(found.unusable)),
      kernels_(usable_kernels()),
      caller_pin_(plan_.cpus) {
  for (const auto& library : libraries_) {
    engines_.push_back(library.get());
  }
  own_engines_.push_back(make_own_engine(*team_, *kernels_.front(), {caches}));
  engines_.push_back(own_engines_.back().get());
  info_.notes = plan_.notes;
  for (const Unusable& engine : unusable_) {
    info_.notes.push_back(engine.reason);
  }
  libraries_owner = this;
}

CpuDevice::~CpuDevice() {
  const CpuDevice* self = this;
  libraries_owner.compare_exchange_strong(self, nullptr);
}

void CpuDevice::own_the_libraries() {
  if (libraries_owner.exchange(this) == this) {
    return;
  }
  const std::vector<int> before = thread_cpus();
  for (const auto& library : libraries_) {
    library->prepare_threads(plan_.threads, plan_.cpus);
  }
  set_thread_cpus(before);
}

Support CpuDevice::supports(const Operation& operation) const {
  if (!has_kernel(operation)) {
    return unsupported(operation_message("device.operation_unsupported", operation, {}));
  }
  if (const core::Status sound = device::validate_layout(operation); !sound) {
    return unsupported(sound.error().message);
  }
  if (const auto* gemm = std::get_if<device::Gemm>(&operation)) {
    return supports_gemm(*gemm);
  }
  if (Support tensors = tensors_supported(operation); !tensors.ok) {
    return tensors;
  }
  if (const auto* peak = std::get_if<device::FmaPeak>(&operation)) {
    return supports_peak(*peak);
  }
  return supported();
}

Support CpuDevice::supports_gemm(const device::Gemm& gemm) const {
  if (gemm.c.scale_block != 0) {
    return unsupported(operation_message("device.scales_unsupported", gemm, {{"tensor", std::string("c")}}));
  }
  if (gemm.accumulator != gemm.c.type) {
    return unsupported(
        core::message("cpu.accumulator",
                      {{"type", std::string(numerics::display_name(gemm.c.type))},
                       {"accumulator", std::string(numerics::display_name(gemm.accumulator))}}));
  }
  if (const Engine* engine = engine_for(gemm)) {
    return engine->supports(product_of(gemm));
  }
  if (gemm.variant.empty()) {
    return engines_.back()->supports(product_of(gemm));  // our own does the most: what it says holds for all
  }
  for (const Unusable& engine : unusable_) {
    if (engine.name == gemm.variant) {
      return unsupported(engine.reason);
    }
  }
  return unsupported(core::message("cpu.no_such_engine", {{"engine", gemm.variant}}));
}

Support CpuDevice::supports_peak(const device::FmaPeak& peak) const {
  if (!is_wide(peak.type)) {
    return unsupported(wrong_type(peak, peak.type));
  }
  if (kernels_for(peak) == nullptr) {
    return unsupported(core::message("cpu.no_such_isa", {{"isa", peak.variant}}));
  }
  return supported();
}

Engine* CpuDevice::engine_for(const device::Gemm& gemm) const {
  const Product product = product_of(gemm);
  for (Engine* engine : engines_) {
    const bool fits =
        gemm.variant.empty() ? engine->supports(product).ok : engine->variant().name == gemm.variant;
    if (fits) {
      return engine;
    }
  }
  return nullptr;
}

const Kernels* CpuDevice::kernels_for(const device::FmaPeak& peak) const {
  for (const Kernels* kernels : kernels_) {
    if (peak.variant.empty() || peak.variant == kernels->name) {
      return kernels;
    }
  }
  return nullptr;
}

std::vector<device::Variant> CpuDevice::variants(const Operation& operation) const {
  std::vector<device::Variant> variants;
  if (std::holds_alternative<device::Gemm>(operation)) {
    for (const Engine* engine : engines_) {
      variants.push_back(engine->variant());
    }
    variants.back().pinning = join_cpus(plan_.cpus);  // our own engine's, which is the last
  }
  if (std::holds_alternative<device::FmaPeak>(operation)) {
    for (const Kernels* kernels : kernels_) {
      device::Variant& variant = variants.emplace_back();
      variant.name = kernels->name;
      variant.library = "Jissoku";
      variant.kernel = kernels->name;
      variant.threads = plan_.threads;
      variant.pinning = join_cpus(plan_.cpus);
    }
  }
  return variants;
}

core::Result<std::unique_ptr<device::Buffer>> CpuDevice::allocate(std::size_t size_bytes,
                                                                  device::MemoryKind kind) {
  return PagedBuffer::allocate(size_bytes, kind, *team_, in_use_bytes_);
}

core::Result<std::unique_ptr<device::Stream>> CpuDevice::create_stream() {
  return std::unique_ptr<device::Stream>(std::make_unique<device::ImmediateStream>());
}

core::Result<std::unique_ptr<device::Event>> CpuDevice::create_event() {
  return std::unique_ptr<device::Event>(std::make_unique<device::HostEvent>());
}

namespace {

/// Does the work and tells the recorder, if there is one. Host and device are one, and so are their times.
template <typename Work>
core::Status recorded(device::Recorder* recorder,
                      std::int64_t correlation,
                      Activity activity,
                      const std::string& name,
                      Work work) {
  const std::int64_t start_ns = recorder != nullptr ? device::host_clock_ns() : 0;
  core::Status done = work();
  if (recorder != nullptr) {
    const std::int64_t end_ns = device::host_clock_ns();
    recorder->host_call(activity, name, correlation, start_ns, end_ns);
    if (activity != Activity::synchronise) {
      recorder->device_work(activity, name, correlation, start_ns, end_ns);
    }
  }
  return done;
}

}  // namespace

core::Status CpuDevice::launch(device::Stream&, const Operation& operation) {
  if (Support support = supports(operation); !support.ok) {
    return core::Error{ExitCode::unavailable, std::move(support.reason)};
  }
  if (core::Status sound = device::validate(operation); !sound) {
    return sound;
  }
  return recorded(recorder_, ++correlation_, Activity::launch, device::to_string(operation), [&] {
    return compute(operation);
  });
}

core::Status CpuDevice::compute(const Operation& operation) {
  if (const auto* fill = std::get_if<device::Fill>(&operation)) {
    caller_pin_.release();  // it starts threads of its own, which would inherit the one CPU
    device::fill_host(*fill, plan_.threads);
    return {};
  }
  caller_pin_.pin();
  if (const auto* gemm = std::get_if<device::Gemm>(&operation)) {
    return multiply(*gemm);
  }
  if (const auto* peak = std::get_if<device::FmaPeak>(&operation)) {
    run_fma_peak(*team_, *kernels_for(*peak), *peak);
  } else if (const auto* triad = std::get_if<device::MemoryTriad>(&operation)) {
    run_triad(*team_, *triad);
  } else if (const auto* cast = std::get_if<device::Cast>(&operation)) {
    run_cast(*team_, *cast);
  } else if (const auto* scale = std::get_if<device::Scale>(&operation)) {
    run_scale(*team_, *scale);
  } else {
    run_tensor_operation(*team_, operation);
  }
  return {};
}

core::Status CpuDevice::multiply(const device::Gemm& gemm) {
  own_the_libraries();
  Engine& engine = *engine_for(gemm);
  for (std::int64_t batch = 0; batch < gemm.c.batch; ++batch) {
    if (core::Status done = engine.multiply(product_of(gemm, batch)); !done) {
      return done;
    }
  }
  return {};
}

core::Status CpuDevice::copy(device::Stream&, const device::CopyRange& range) {
  if (core::Status sound = device::validate(range); !sound) {
    return sound;
  }
  return recorded(recorder_, ++correlation_, Activity::copy, "copy", [&] {
    device::copy_host(range);
    return core::Status{};
  });
}

core::Status CpuDevice::record(device::Stream&, device::Event& event) {
  auto* own = dynamic_cast<device::HostEvent*>(&event);
  if (own == nullptr) {
    return core::make_error(ExitCode::usage, "device.foreign_event");
  }
  own->record_now();
  return {};
}

core::Status CpuDevice::wait(device::Stream&, device::Event& event) {
  if (dynamic_cast<device::HostEvent*>(&event) == nullptr) {
    return core::make_error(ExitCode::usage, "device.foreign_event");
  }
  return {};  // what comes before a recorded event is done already
}

core::Status CpuDevice::synchronise(device::Stream&) {
  caller_pin_.release();
  return recorded(
      recorder_, ++correlation_, Activity::synchronise, "synchronise", [] { return core::Status{}; });
}

core::Result<double> CpuDevice::elapsed_ns(const device::Event& start, const device::Event& stop) {
  return device::host_elapsed_ns(start, stop);
}

}  // namespace jissoku::backends::cpu
