#include "jissoku/experiments/matmul/operands.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "jissoku/experiments/matmul/round_trip.hpp"

namespace jissoku::experiments::matmul {
namespace {

using numerics::DataType;

device::TensorView matrix(std::int64_t rows, std::int64_t columns, DataType type) {
  device::TensorView view;
  view.type = type;
  view.rows = rows;
  view.columns = columns;
  // Rows of formats below a byte must start on one.
  view.leading_dimension = numerics::storage_bits(type) < 8 ? (columns + 7) / 8 * 8 : columns;
  return view;
}

std::size_t view_bytes(const device::TensorView& view) {
  return static_cast<std::size_t>(view.rows) * static_cast<std::size_t>(view.leading_dimension) *
         static_cast<std::size_t>(numerics::storage_bits(view.type)) / 8;
}

/// Seeds of A, B and C must differ, or C = A x A^T would hide errors that cancel.
std::uint64_t seed_of(std::uint64_t seed, std::uint64_t operand) {
  return numerics::random_bits(seed, operand);
}

}  // namespace

DataType accumulator_of(DataType input) {
  switch (input) {
    case DataType::f64:
      return DataType::f64;
    case DataType::i8:
    case DataType::i32:
      return DataType::i32;
    default:
      return DataType::f32;
  }
}

DataType output_of(DataType input) {
  return accumulator_of(input);
}

device::Gemm describe_gemm(const Problem& problem, const Params& params) {
  const auto& [m, n, k] = problem.shape;
  device::Gemm gemm;
  gemm.a = params.transpose_a ? matrix(k, m, problem.type) : matrix(m, k, problem.type);
  gemm.b = params.transpose_b ? matrix(n, k, problem.type) : matrix(k, n, problem.type);
  gemm.c = matrix(m, n, output_of(problem.type));
  gemm.transpose_a = params.transpose_a;
  gemm.transpose_b = params.transpose_b;
  gemm.alpha = params.alpha;
  gemm.beta = params.beta;
  gemm.accumulator = accumulator_of(problem.type);
  return gemm;
}

std::int64_t operand_bytes(const Problem& problem, const Params& params) {
  const device::Gemm gemm = describe_gemm(problem, params);
  const std::size_t before = params.beta == 0 ? 0 : view_bytes(gemm.c);
  return static_cast<std::int64_t>(view_bytes(gemm.a) + view_bytes(gemm.b) + view_bytes(gemm.c) + before);
}

core::Result<Operands> Operands::allocate(Session& session, const Problem& problem, const Params& params) {
  Operands operands(session);
  operands.gemm_ = describe_gemm(problem, params);
  struct Slot {
    device::TensorView* view;
    std::unique_ptr<device::Buffer>* buffer;
  };
  for (const Slot& slot : {Slot{&operands.gemm_.a, &operands.a_},
                           Slot{&operands.gemm_.b, &operands.b_},
                           Slot{&operands.gemm_.c, &operands.c_}}) {
    auto buffer = session.device->allocate(view_bytes(*slot.view), device::MemoryKind::device);
    if (!buffer) {
      return buffer.error();
    }
    *slot.buffer = std::move(*buffer);
    slot.view->buffer = slot.buffer->get();
  }
  return operands;
}

core::Status Operands::fill(const Filling& filling) {
  filling_ = filling;
  std::uint64_t operand = 0;
  for (const device::TensorView& view : {gemm_.a, gemm_.b}) {
    const device::Fill fill{view, filling.data, seed_of(filling.seed, operand++), filling.magnitude};
    if (auto filled = launch_and_wait(*session_, fill); !filled) {
      return filled;
    }
  }
  return reset_c();
}

core::Status Operands::reset_c() {
  device::Fill fill{gemm_.c, filling_.data, seed_of(filling_.seed, 2), filling_.magnitude};
  fill.poison = gemm_.beta == 0;
  return launch_and_wait(*session_, fill);
}

/// A matrix as the verification reads it, with what it may have to own for that.
struct Operands::HostMatrix {
  numerics::MatrixView view;
  std::unique_ptr<device::Buffer> copy;
};

core::Status Operands::place_on_host(const device::TensorView& view, HostMatrix& out) {
  out.view = {view.buffer->host_data(), view.type, view.rows, view.columns, view.leading_dimension};
  if (out.view.data == nullptr) {
    auto pageable = session_->device->allocate(view_bytes(view), device::MemoryKind::pageable);
    if (!pageable) {
      return pageable.error();
    }
    out.copy = std::move(*pageable);
    if (auto copied = copy_and_wait(*session_, *out.copy, *view.buffer, view_bytes(view)); !copied) {
      return copied;
    }
    out.view.data = out.copy->host_data();
  }
  return {};
}

core::Status Operands::multiply(const device::Gemm& gemm, RoundTrip* trip) {
  if (trip == nullptr) {
    return launch_and_wait(*session_, gemm);
  }
  if (auto taken = trip->take_operands(); !taken) {
    return taken;
  }
  for (const Step& step : trip->steps(gemm)) {
    if (auto queued = enqueue(*session_, step); !queued) {
      return queued;
    }
  }
  return session_->device->synchronise(*session_->stream);
}

core::Result<numerics::Verification> Operands::verify(const device::Gemm& gemm,
                                                      bool exact,
                                                      int threads,
                                                      RoundTrip* trip) {
  if (auto reset = reset_c(); !reset) {
    return reset.error();
  }
  numerics::GemmCheck check;
  HostMatrix before, a, b, c;
  if (gemm.beta != 0) {
    auto buffer = session_->device->allocate(view_bytes(gemm.c), device::MemoryKind::pageable);
    if (!buffer) {
      return buffer.error();
    }
    before.copy = std::move(*buffer);
    if (auto copied = copy_and_wait(*session_, *before.copy, *gemm.c.buffer, view_bytes(gemm.c)); !copied) {
      return copied.error();
    }
    check.c_before = before.copy->host_data();
  }
  if (auto done = multiply(gemm, trip); !done) {
    return done.error();
  }
  device::TensorView c_view = gemm.c;
  c_view.buffer = trip == nullptr ? gemm.c.buffer : &trip->c();
  for (auto [view, out] : {std::pair{&gemm.a, &a},
                           std::pair{&gemm.b, &b},
                           std::pair<const device::TensorView*, HostMatrix*>{&c_view, &c}}) {
    if (auto placed = place_on_host(*view, *out); !placed) {
      return placed.error();
    }
  }
  check.a = a.view;
  check.b = b.view;
  check.c = c.view;
  check.transpose_a = gemm.transpose_a;
  check.transpose_b = gemm.transpose_b;
  check.alpha = gemm.alpha;
  check.beta = gemm.beta;
  check.accumulator = gemm.accumulator;
  check.truncating = numerics::unit_roundoff(gemm.a.type) > numerics::unit_roundoff(gemm.accumulator);
  check.integer_operands = exact;
  check.seed = seed_of(filling_.seed, 3);
  check.threads = threads;
  return numerics::verify_gemm(check);
}

}  // namespace jissoku::experiments::matmul
