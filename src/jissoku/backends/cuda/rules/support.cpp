#include "jissoku/backends/cuda/rules/support.hpp"

#include <limits>
#include <utility>

#include "jissoku/device/validate.hpp"
#include "jissoku/device/views.hpp"

namespace jissoku::backends::cuda {
namespace {

using core::Message;
using core::message;
using device::Operation;
using device::Support;
using numerics::DataType;

Support unsupported(Message reason) {
  return {.ok = false, .emulated = false, .reason = std::move(reason)};
}

Support supported() {
  return {.ok = true, .emulated = false, .reason = {}};
}

std::string name_of(DataType type) {
  return std::string(numerics::display_name(type));
}

/// What a request is judged by.
struct Judge {
  const Operation& operation;
  const std::string& device;
  ComputeCapability capability;

  Support wrong_type(DataType type, const std::string& types) const {
    return unsupported(message("cuda.type_unsupported",
                               {{"device", device},
                                {"operation", device::to_string(operation)},
                                {"type", name_of(type)},
                                {"types", types}}));
  }
  Support too_old_for(DataType type) const {
    return unsupported(
        message("cuda.needs_capability",
                {{"type", name_of(type)}, {"needed", std::string("8.0")}, {"has", to_string(capability)}}));
  }
  Support wrong_variant(const std::string& variant, const char* known) const {
    return unsupported(message("device.no_such_variant",
                               {{"device", device}, {"variant", variant}, {"known", std::string(known)}}));
  }

  Support operator()(const device::Fill& fill) const {
    switch (fill.out.type) {
      case DataType::f64:
      case DataType::f32:
      case DataType::tf32:
      case DataType::f16:
      case DataType::bf16:
        return supported();
      default:
        return wrong_type(fill.out.type, "FP64, FP32, TF32, FP16 and BF16");
    }
  }

  Support operator()(const device::Gemm& gemm) const {
    if (!gemm.variant.empty() && gemm.variant != kGemmVariant) {
      return wrong_variant(gemm.variant, kGemmVariant);
    }
    switch (gemm.a.type) {
      case DataType::f64:
        return summed_in(gemm, DataType::f64);
      case DataType::f32:
      case DataType::f16:
        return summed_in(gemm, DataType::f32);
      case DataType::tf32:
      case DataType::bf16:
        return at_least(capability, 8, 0) ? summed_in(gemm, DataType::f32) : too_old_for(gemm.a.type);
      default:
        return wrong_type(gemm.a.type, "FP64, FP32, TF32, FP16 and BF16");
    }
  }
  Support summed_in(const device::Gemm& gemm, DataType type) const {
    if (gemm.accumulator != type || gemm.c.type != type) {
      return unsupported(message("cuda.accumulator",
                                 {{"type", name_of(gemm.a.type)},
                                  {"expected", name_of(type)},
                                  {"accumulator", name_of(gemm.accumulator)},
                                  {"result", name_of(gemm.c.type)}}));
    }
    for (const device::NamedView& named : device::views_of(operation)) {
      constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
      for (const std::int64_t size : {named.view->rows, named.view->columns, named.view->batch}) {
        if (size > kMost) {
          return unsupported(message("cuda.dimension", {{"dimension", size}}));
        }
      }
    }
    return supported();
  }

  Support operator()(const device::FmaPeak& peak) const {
    if (!peak.variant.empty() && peak.variant != kPeakVariant) {
      return wrong_variant(peak.variant, kPeakVariant);
    }
    if (peak.type == DataType::f32) {
      return supported();
    }
    // Matrix products of these run on tensor cores, which a loop of multiply-adds does not reach: it would
    // be a ceiling that products break through.
    const bool on_tensor_cores = peak.type == DataType::f64
                                     ? (capability.major == 8 && capability.minor == 0) ||
                                           capability.major == 9 || capability.major == 10
                                     : true;
    return on_tensor_cores ? unsupported(message("cuda.peak_tensor_cores", {{"type", name_of(peak.type)}}))
                           : supported();
  }

  Support only_in(DataType type) const {
    for (const device::NamedView& named : device::views_of(operation)) {
      if (named.view->type != type) {
        return wrong_type(named.view->type, name_of(type));
      }
    }
    return supported();
  }
  Support operator()(const device::MemoryTriad&) const { return only_in(DataType::f64); }
  Support operator()(const device::BiasActivation&) const { return only_in(DataType::f32); }

  template <typename Other>
  Support operator()(const Other&) const {
    return unsupported(message("device.operation_unsupported",
                               {{"device", device}, {"operation", device::to_string(operation)}}));
  }
};

}  // namespace

Support supports(const Operation& operation, const std::string& device, const ComputeCapability& capability) {
  const Judge judge{operation, device, capability};
  Support verdict = std::visit(judge, operation);
  if (!verdict.ok) {
    return verdict;
  }
  if (const core::Status sound = device::validate_layout(operation); !sound) {
    return unsupported(sound.error().message);
  }
  for (const device::NamedView& named : device::views_of(operation)) {
    if (named.view->scale_block != 0) {
      return unsupported(message("device.scales_unsupported",
                                 {{"device", device},
                                  {"operation", device::to_string(operation)},
                                  {"tensor", std::string(named.name)}}));
    }
  }
  return verdict;
}

}  // namespace jissoku::backends::cuda
