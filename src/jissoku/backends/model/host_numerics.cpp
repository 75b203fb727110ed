#include "jissoku/backends/model/host_numerics.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "jissoku/backends/model/narrow_tensors.hpp"
#include "jissoku/device/host_fill.hpp"
#include "jissoku/device/host_memory.hpp"
#include "jissoku/device/views.hpp"

namespace jissoku::backends::model {
namespace {

using device::Operation;
using device::Support;
using device::TensorView;
using numerics::DataType;

Support supported() {
  return {.ok = true, .emulated = false, .reason = {}};
}

Support unsupported(core::Message reason) {
  return {.ok = false, .emulated = false, .reason = std::move(reason)};
}

/// As the injected device sees it: operands in FP32, its own default way.
device::Gemm widened(device::Gemm gemm) {
  for (TensorView* operand : {&gemm.a, &gemm.b}) {
    if (operand->type != DataType::f64 && operand->type != DataType::f32) {
      *operand = widened_view(*operand);
    }
  }
  gemm.variant.clear();
  return gemm;
}

/// FP32 scratch with the operand's values, in `wide` afterwards.
core::Result<std::unique_ptr<device::Buffer>> widen_operand(const TensorView& operand,
                                                            TensorView& wide,
                                                            std::atomic<std::int64_t>& in_use_bytes) {
  const std::int64_t matrices = wide.batch_stride == 0 ? 1 : wide.batch;
  const auto size_bytes = static_cast<std::size_t>(matrices * wide.rows * wide.columns) * sizeof(float);
  auto scratch = device::HostBuffer::allocate(size_bytes, device::MemoryKind::pageable, in_use_bytes);
  if (scratch) {
    wide.buffer = scratch->get();
    widen(operand, wide);
  }
  return scratch;
}

int fill_threads() {
  constexpr unsigned kMost = 16;
  return static_cast<int>(std::min(kMost, std::max(1U, std::thread::hardware_concurrency())));
}

}  // namespace

core::Result<device::Device*> HostNumerics::opened() {
  if (device_ == nullptr) {
    auto device = inject_();
    auto stream = device ? (*device)->create_stream() : device.error();
    if (!stream) {
      return stream.error();
    }
    device_ = std::move(*device);
    stream_ = std::move(*stream);
  }
  return device_.get();
}

Support HostNumerics::supports(const Operation& operation) {
  if (std::holds_alternative<device::Fill>(operation) || std::holds_alternative<device::Cast>(operation) ||
      std::holds_alternative<device::FmaPeak>(operation)) {
    return supported();
  }
  const std::lock_guard lock(mutex_);
  const auto device = opened();
  if (!device) {
    return unsupported(device.error().message);
  }
  const auto* gemm = std::get_if<device::Gemm>(&operation);
  Support support = gemm != nullptr ? (*device)->supports(widened(*gemm)) : (*device)->supports(operation);
  return support.ok ? supported()
                    : unsupported(core::message("model.numerics_lack",
                                                {{"device", (*device)->info().id},
                                                 {"reasons", std::vector<core::Message>{support.reason}}}));
}

core::Status HostNumerics::compute(const Operation& operation) {
  const std::lock_guard lock(mutex_);
  if (const auto* fill = std::get_if<device::Fill>(&operation)) {
    device::fill_host(*fill, fill_threads());
    return {};
  }
  if (const auto* one = std::get_if<device::Cast>(&operation)) {
    cast(*one);
    return {};
  }
  if (std::holds_alternative<device::FmaPeak>(operation)) {
    return {};
  }
  if (const auto device = opened(); !device) {
    return device.error();
  }
  const auto* gemm = std::get_if<device::Gemm>(&operation);
  return gemm != nullptr ? multiply(*gemm) : run(operation);
}

core::Status HostNumerics::run(const Operation& operation) {
  core::Status done = device_->launch(*stream_, operation);
  done = done ? device_->synchronise(*stream_) : done;
  if (!done) {  // it may be lost: opened anew for what comes next
    stream_.reset();
    device_.reset();
  }
  return done;
}

core::Status HostNumerics::multiply(const device::Gemm& gemm) {
  std::atomic<std::int64_t> scratch_bytes = 0;
  std::vector<std::unique_ptr<device::Buffer>> scratch;
  device::Gemm wide = widened(gemm);
  for (const auto& [from, to] : {std::pair{&gemm.a, &wide.a}, std::pair{&gemm.b, &wide.b}}) {
    if (from->type == to->type) {
      continue;
    }
    auto buffer = widen_operand(*from, *to, scratch_bytes);
    if (!buffer) {
      return buffer.error();
    }
    scratch.push_back(std::move(*buffer));
  }
  return run(wide);
}

}  // namespace jissoku::backends::model
