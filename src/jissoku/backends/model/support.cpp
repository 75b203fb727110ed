#include "jissoku/backends/model/support.hpp"

#include <string>
#include <utility>

#include "jissoku/backends/model/narrow_tensors.hpp"
#include "jissoku/device/validate.hpp"
#include "jissoku/device/views.hpp"

namespace jissoku::backends::model {
namespace {

using core::message;
using device::Operation;
using device::Support;
using numerics::DataType;

Support supported() {
  return {.ok = true, .emulated = false, .reason = {}};
}

Support unsupported(core::Message reason) {
  return {.ok = false, .emulated = false, .reason = std::move(reason)};
}

std::string shown(DataType type) {
  return std::string(numerics::display_name(type));
}

Support rate_supported(const Model& model, DataType type) {
  const auto found = model.parameters.rates.find(type);
  if (found != model.parameters.rates.end() && found->second.flops_per_second > 0) {
    return supported();
  }
  const bool known = found != model.parameters.rates.end() && !found->second.reason.empty();
  return unsupported(
      known ? found->second.reason
            : message("model.format_not_modelled", {{"device", model.info.id}, {"type", shown(type)}}));
}

Support only_default_variant(const Model& model, const std::string& variant) {
  return variant.empty() ? supported()
                         : unsupported(message("device.only_default_variant",
                                               {{"device", model.info.id}, {"variant", variant}}));
}

/// Sums and results in FP32; in FP64 where the operands are.
Support output_supported(const Model& model, const device::Gemm& gemm) {
  const DataType sum = gemm.a.type == DataType::f64 ? DataType::f64 : DataType::f32;
  if (gemm.c.type == sum && gemm.accumulator == sum) {
    return supported();
  }
  return unsupported(message("model.accumulator",
                             {{"device", model.info.id},
                              {"type", shown(gemm.a.type)},
                              {"sum", shown(sum)},
                              {"accumulator", shown(gemm.accumulator)},
                              {"output", shown(gemm.c.type)}}));
}

Support can_do(const Model& model, const device::Gemm& gemm) {
  for (const Support& support : {only_default_variant(model, gemm.variant),
                                 rate_supported(model, gemm.a.type),
                                 output_supported(model, gemm)}) {
    if (!support.ok) {
      return support;
    }
  }
  return supported();
}

Support can_do(const Model& model, const device::FmaPeak& peak) {
  const Support way = only_default_variant(model, peak.variant);
  return way.ok ? rate_supported(model, peak.type) : way;
}

Support can_do(const Model& model, const device::Fill& fill) {
  return fill.out.type == DataType::f64 || fits_f32(fill.out.type)
             ? supported()
             : unsupported(message("model.format_not_modelled",
                                   {{"device", model.info.id}, {"type", shown(fill.out.type)}}));
}

Support can_do(const Model& model, const device::Cast& cast) {
  return can_cast(cast.in.type, cast.out.type)
             ? supported()
             : unsupported(message(
                   "model.cast",
                   {{"device", model.info.id}, {"from", shown(cast.in.type)}, {"to", shown(cast.out.type)}}));
}

/// The rest is computed in FP32 and FP64 only.
template <typename Other>
Support can_do(const Model& model, const Other& operation) {
  for (const device::NamedView& named : device::views_of(operation)) {
    if (named.view->type != DataType::f32 && named.view->type != DataType::f64) {
      return unsupported(message("device.type_unsupported",
                                 {{"device", model.info.id},
                                  {"operation", device::to_string(operation)},
                                  {"type", shown(named.view->type)}}));
    }
  }
  return supported();
}

}  // namespace

Support hardware_supports(const Model& model, const Operation& operation) {
  if (const core::Status sound = device::validate_layout(operation); !sound) {
    return unsupported(sound.error().message);
  }
  for (const device::NamedView& named : device::views_of(operation)) {
    if (named.view->scale_block != 0) {
      return unsupported(message("device.scales_unsupported",
                                 {{"device", model.info.id},
                                  {"operation", device::to_string(operation)},
                                  {"tensor", std::string(named.name)}}));
    }
  }
  return std::visit([&](const auto& op) { return can_do(model, op); }, operation);
}

}  // namespace jissoku::backends::model
