#include "jissoku/experiments/devices/devices.hpp"

#include <algorithm>
#include <set>

#include "jissoku/experiments/matmul/operands.hpp"
#include "jissoku/experiments/matmul/rows.hpp"

namespace jissoku::experiments::devices {
namespace {

using document::Row;
using document::RowStatus;

/// Small enough to be instant, odd enough to reach the edges of a kernel's blocks.
const matmul::Problem kTrial{{61, 53, 47}, numerics::DataType::f32};

Row describe(const device::Info& info, const device::Variant& variant) {
  Row row;
  row.experiment = "devices";
  row.device = variant.name.empty() ? info.id : info.id + ":" + variant.name;
  row.implementation = matmul::implementation_of(variant, "");
  row.id = document::row_id(row);
  return row;
}

void reject(Row& row, const core::Message& reason) {
  row.status = RowStatus::unsupported;
  row.reason = reason;
}

/// Multiplies integers through the variant and compares every element.
void try_out(Session& session, const device::Variant& variant, const core::Machine& machine, Row& row) {
  const matmul::Params params;
  device::Gemm gemm = matmul::describe_gemm(kTrial, params);
  gemm.variant = variant.name;
  if (const device::Support support = session.device->supports(gemm); !support.ok) {
    reject(row, support.reason);
    return;
  }
  auto operands = matmul::Operands::allocate(session, kTrial, params);
  if (!operands) {
    reject(row, operands.error().message);
    return;
  }
  const int magnitude = numerics::exact_integer_magnitude(gemm.accumulator, kTrial.shape.k);
  if (auto filled = operands->fill({numerics::Data::ints, magnitude, 1}); !filled) {
    reject(row, filled.error().message);
    return;
  }
  gemm = operands->gemm();
  gemm.variant = variant.name;
  const auto verification = operands->verify(gemm, true, machine.usable_threads);
  if (!verification) {
    reject(row, verification.error().message);
    return;
  }
  row.verification = *verification;
  row.status = verification->passed ? RowStatus::converged : RowStatus::wrong;
  row.reason = verification->finding;
}

/// Variants that the backend knows of but this machine lacks, with the device's reason.
void add_missing(const Session& session, const std::vector<device::Variant>& there, document::RowSink& sink) {
  for (const std::string& name : session.info().variant_names) {
    const bool known = std::any_of(
        there.begin(), there.end(), [&](const device::Variant& variant) { return variant.name == name; });
    if (known) {
      continue;
    }
    device::Gemm gemm = matmul::describe_gemm(kTrial, {});
    gemm.variant = name;
    device::Variant variant;
    variant.name = name;
    Row row = describe(session.info(), variant);
    reject(row, session.device->supports(gemm).reason);
    sink.row(std::move(row));
  }
}

void examine(const Context& context, const Params& params, const device::Info& info) {
  device::OpenOptions options;
  options.threads = params.threads > 0 ? params.threads : context.machine->usable_threads;
  auto session = open_session(*context.registry, info.id, options);
  if (!session) {
    Row row = describe(info, {});
    reject(row, session.error().message);
    context.sink->row(std::move(row));
    return;
  }
  const std::vector<device::Variant> variants = ways_of(*session->device, matmul::describe_gemm(kTrial, {}));
  for (const device::Variant& variant : variants) {
    Row row = describe(session->info(), variant);
    if (context.sink->has_row(row.id)) {
      continue;
    }
    // On the host's CPU by a queue, the first variant proves the way there; a library that compiles its
    // kernels for it may take 20 s the first time.
    if (info.is_host && info.queued && &variant != &variants.front()) {
      row.status = document::RowStatus::skipped;
      row.reason = core::message("devices.not_tried", {{"device", row.device}});
    } else {
      try_out(*session, variant, *context.machine, row);
    }
    context.sink->row(std::move(row));
  }
  add_missing(*session, variants, *context.sink);
}

}  // namespace

core::Status run(const Context& context, const Params& params) {
  for (const device::Backend& backend : context.registry->backends()) {
    for (const device::Info& info : backend.list().devices) {
      if (!info.modelled) {  // nothing of this machine is found by trying it
        examine(context, params, info);
      }
    }
  }
  return {};
}

}  // namespace jissoku::experiments::devices
