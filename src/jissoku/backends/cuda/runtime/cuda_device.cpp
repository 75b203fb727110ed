#include "jissoku/backends/cuda/runtime/cuda_device.hpp"

#include <cuda_runtime_api.h>
#include <thread>
#include <utility>

#include "jissoku/backends/cuda/rules/recipe.hpp"
#include "jissoku/backends/cuda/rules/support.hpp"
#include "jissoku/backends/cuda/runtime/memory.hpp"
#include "jissoku/backends/cuda/runtime/status.hpp"
#include "jissoku/device/host_fill.hpp"
#include "jissoku/device/host_memory.hpp"
#include "jissoku/device/validate.hpp"

namespace jissoku::backends::cuda {
namespace {

using core::ExitCode;
using core::make_error;
using core::Status;
using device::Activity;
using device::MemoryKind;
using device::Operation;
using device::TensorView;

DeviceView seen_from_device(const TensorView& view, void* data) {
  return {data, view.rows, view.columns, view.leading_dimension, view.batch, view.batch_stride};
}

/// Where a copy finds the buffer; CUDA tells host from device by the address.
std::byte* copy_address(device::Buffer& buffer) {
  auto* own = dynamic_cast<CudaBuffer*>(&buffer);
  return own != nullptr && own->kind() == MemoryKind::device ? own->device_data() : buffer.host_data();
}

}  // namespace

core::Result<std::unique_ptr<device::Device>> CudaDevice::open(DeviceFacts facts) {
  if (Status entered = enter_device(facts.ordinal); !entered) {
    return entered.error();
  }
  // Until here the runtime may have put off what makes the context, and its errors.
  if (Status made = check(cudaFree(nullptr), "cudaFree"); !made) {
    return made.error();
  }
  std::unique_ptr<CudaDevice> device(new CudaDevice(std::move(facts)));
  const DeviceFacts& known = device->facts_;
  if (device->nvml_ != nullptr && device->nvml_->is_partitioned(known.pci_address)) {
    device->facts_.info.notes.push_back(core::message("cuda.mig_mode"));
  }
  return std::unique_ptr<device::Device>(std::move(device));
}

CudaDevice::CudaDevice(DeviceFacts facts)
    : facts_(std::move(facts)),
      engine_(std::make_unique<GemmEngine>(facts_.capability)),
      nvml_(Nvml::open()) {}

CudaDevice::~CudaDevice() {
  cudaSetDevice(facts_.ordinal);
}

device::Support CudaDevice::supports(const Operation& operation) const {
  device::Support verdict = cuda::supports(operation, facts_.info.id, facts_.capability);
  if (verdict.ok && std::holds_alternative<device::Gemm>(operation)) {
    if (const Status there = GemmEngine::library(); !there) {
      return {.ok = false, .emulated = false, .reason = there.error().message};
    }
  }
  return verdict;
}

std::vector<device::Variant> CudaDevice::variants(const Operation& operation) const {
  if (const auto* gemm = std::get_if<device::Gemm>(&operation)) {
    return {engine_->describe(product_of(*gemm))};
  }
  if (std::holds_alternative<device::FmaPeak>(operation)) {
    device::Variant variant;
    variant.name = kPeakVariant;
    variant.library = "Jissoku";
    variant.kernel = kPeakVariant;
    return {variant};
  }
  return {};
}

core::Result<std::unique_ptr<device::Buffer>> CudaDevice::allocate(std::size_t size_bytes, MemoryKind kind) {
  if (kind == MemoryKind::pageable) {
    return device::HostBuffer::allocate(size_bytes, kind, pageable_bytes_);
  }
  if (Status entered = enter_device(facts_.ordinal); !entered) {
    return entered.error();
  }
  return CudaBuffer::allocate(facts_.ordinal, size_bytes, kind, in_use_bytes_);
}

core::Result<std::unique_ptr<device::Stream>> CudaDevice::create_stream() {
  if (Status entered = enter_device(facts_.ordinal); !entered) {
    return entered.error();
  }
  return CudaStream::create(facts_.ordinal, in_use_bytes_);
}

core::Result<std::unique_ptr<device::Event>> CudaDevice::create_event() {
  if (Status entered = enter_device(facts_.ordinal); !entered) {
    return entered.error();
  }
  auto event = CudaEvent::create();
  if (!event) {
    return event.error();
  }
  return std::unique_ptr<device::Event>(std::move(*event));
}

core::Result<CudaStream*> CudaDevice::enter(device::Stream& stream) const {
  auto* const own = dynamic_cast<CudaStream*>(&stream);
  if (own == nullptr || own->ordinal() != facts_.ordinal) {
    return make_error(ExitCode::usage, "cuda.foreign_stream");
  }
  if (Status entered = enter_device(facts_.ordinal); !entered) {
    return entered.error();
  }
  return own;
}

Status CudaDevice::launch(device::Stream& stream, const Operation& operation) {
  if (device::Support support = supports(operation); !support.ok) {
    return core::Error{ExitCode::unavailable, std::move(support.reason)};
  }
  if (Status sound = device::validate(operation); !sound) {
    return sound;
  }
  const auto entered = enter(stream);
  if (!entered) {
    return entered.error();
  }
  return log_.call(Activity::launch, device::to_string(operation), **entered, [&] {
    return enqueue(**entered, operation);
  });
}

Status CudaDevice::enqueue(CudaStream& stream, const Operation& operation) {
  if (const auto* one = std::get_if<device::Fill>(&operation)) {
    return fill(stream, *one);
  }
  if (const auto* one = std::get_if<device::Gemm>(&operation)) {
    return multiply(stream, *one);
  }
  if (const auto* one = std::get_if<device::MemoryTriad>(&operation)) {
    return triad(stream, *one);
  }
  if (const auto* one = std::get_if<device::BiasActivation>(&operation)) {
    return bias_activation(stream, *one);
  }
  const auto& peak = std::get<device::FmaPeak>(operation);
  const bool fp64 = peak.type == numerics::DataType::f64;
  return check(launch_fma_peak(fp64, peak.flops, facts_.multiprocessors, stream.handle()), "fma_peak");
}

core::Result<void*> CudaDevice::address_of(const TensorView& view, const char* tensor) const {
  const auto* own = dynamic_cast<const CudaBuffer*>(view.buffer);
  const bool reachable =
      own != nullptr && (own->ordinal() == facts_.ordinal || own->kind() != MemoryKind::device);
  if (!reachable) {
    return make_error(ExitCode::usage,
                      "cuda.not_addressable",
                      {{"device", facts_.info.id}, {"tensor", std::string(tensor)}});
  }
  return own->device_data() + view.offset_elements * numerics::storage_bits(view.type) / 8;
}

Status CudaDevice::fill(CudaStream& stream, const device::Fill& fill) {
  if (dynamic_cast<const CudaBuffer*>(fill.out.buffer) == nullptr &&
      fill.out.buffer->host_data() != nullptr) {
    // Pageable memory: the host's own work, in its place in the queue.
    if (Status done = check(cudaStreamSynchronize(stream.handle()), "cudaStreamSynchronize"); !done) {
      return done;
    }
    device::fill_host(fill, static_cast<int>(std::thread::hardware_concurrency()));
    return {};
  }
  const auto out = address_of(fill.out, "out");
  if (!out) {
    return out.error();
  }
  return check(
      launch_fill(recipe_of(fill), seen_from_device(fill.out, *out), facts_.multiprocessors, stream.handle()),
      "fill");
}

Status CudaDevice::multiply(CudaStream& stream, const device::Gemm& gemm) {
  const auto a = address_of(gemm.a, "a");
  const auto b = address_of(gemm.b, "b");
  const auto c = address_of(gemm.c, "c");
  for (const auto* address : {&a, &b, &c}) {
    if (!*address) {
      return address->error();
    }
  }
  return engine_->multiply(product_of(gemm), {*b, *a, *c}, gemm.alpha, gemm.beta, stream);
}

Status CudaDevice::triad(CudaStream& stream, const device::MemoryTriad& triad) {
  const auto a = address_of(triad.a, "a");
  const auto b = address_of(triad.b, "b");
  const auto c = address_of(triad.c, "c");
  for (const auto* address : {&a, &b, &c}) {
    if (!*address) {
      return address->error();
    }
  }
  return check(launch_triad(seen_from_device(triad.a, *a),
                            seen_from_device(triad.b, *b),
                            seen_from_device(triad.c, *c),
                            facts_.multiprocessors,
                            stream.handle()),
               "memory_triad");
}

Status CudaDevice::bias_activation(CudaStream& stream, const device::BiasActivation& operation) {
  const auto in = address_of(operation.in, "in");
  const auto bias = address_of(operation.bias, "bias");
  const auto out = address_of(operation.out, "out");
  for (const auto* address : {&in, &bias, &out}) {
    if (!*address) {
      return address->error();
    }
  }
  return check(launch_bias_activation(seen_from_device(operation.in, *in),
                                      seen_from_device(operation.bias, *bias),
                                      seen_from_device(operation.out, *out),
                                      operation.activation == device::Activation::relu,
                                      facts_.multiprocessors,
                                      stream.handle()),
               "bias_activation");
}

Status CudaDevice::copy(device::Stream& stream, const device::CopyRange& range) {
  if (Status sound = device::validate(range); !sound) {
    return sound;
  }
  const auto entered = enter(stream);
  if (!entered) {
    return entered.error();
  }
  return log_.call(Activity::copy, "copy", **entered, [&] {
    if (range.size_bytes == 0) {
      return Status();
    }
    std::byte* const dst = copy_address(*range.dst);
    std::byte* const src = copy_address(*range.src);
    if (dst == nullptr || src == nullptr) {
      return Status(make_error(ExitCode::usage,
                               "cuda.not_addressable",
                               {{"device", facts_.info.id}, {"tensor", std::string("copy")}}));
    }
    return check(cudaMemcpyAsync(dst + range.dst_offset_bytes,
                                 src + range.src_offset_bytes,
                                 range.size_bytes,
                                 cudaMemcpyDefault,
                                 (*entered)->handle()),
                 "cudaMemcpyAsync");
  });
}

Status CudaDevice::record(device::Stream& stream, device::Event& event) {
  auto* const own = dynamic_cast<CudaEvent*>(&event);
  if (own == nullptr) {
    return make_error(ExitCode::usage, "device.foreign_event");
  }
  const auto entered = enter(stream);
  return entered ? own->record(**entered) : Status(entered.error());
}

Status CudaDevice::wait(device::Stream& stream, device::Event& event) {
  const auto* const own = dynamic_cast<const CudaEvent*>(&event);
  if (own == nullptr) {
    return make_error(ExitCode::usage, "device.foreign_event");
  }
  const auto entered = enter(stream);
  if (!entered) {
    return entered.error();
  }
  return check(cudaStreamWaitEvent((*entered)->handle(), own->handle(), 0), "cudaStreamWaitEvent");
}

Status CudaDevice::synchronise(device::Stream& stream) {
  const auto entered = enter(stream);
  if (!entered) {
    return entered.error();
  }
  Status done = log_.call(Activity::synchronise, "synchronise", **entered, [&] {
    return check(cudaStreamSynchronize((*entered)->handle()), "cudaStreamSynchronize");
  });
  if (done) {
    log_.report(**entered);
  }
  return done;
}

core::Result<double> CudaDevice::elapsed_ns(const device::Event& start, const device::Event& stop) {
  const auto* const first = dynamic_cast<const CudaEvent*>(&start);
  const auto* const last = dynamic_cast<const CudaEvent*>(&stop);
  if (first == nullptr || last == nullptr) {
    return make_error(ExitCode::usage, "device.foreign_event");
  }
  if (Status entered = enter_device(facts_.ordinal); !entered) {
    return entered.error();
  }
  return cuda::elapsed_ns(*first, *last);
}

device::Telemetry CudaDevice::telemetry() {
  const bool readable = nvml_ != nullptr && !facts_.pci_address.empty();
  return readable ? nvml_->read(facts_.pci_address) : device::Telemetry{};
}

void CudaDevice::set_recorder(device::Recorder* recorder) {
  if (enter_device(facts_.ordinal)) {
    log_.set_recorder(recorder);
  } else if (recorder == nullptr) {
    log_.set_recorder(nullptr);
  }
}

}  // namespace jissoku::backends::cuda
