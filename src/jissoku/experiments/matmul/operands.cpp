#include "jissoku/experiments/matmul/operands.hpp"

namespace jissoku::experiments::matmul {
namespace {

using numerics::DataType;

device::TensorView matrix(std::int64_t rows, std::int64_t columns, DataType type) {
  device::TensorView view;
  view.type = type;
  view.rows = rows;
  view.columns = columns;
  view.leading_dimension = columns;
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

core::Result<numerics::MatrixView> Operands::on_host(const device::TensorView& view,
                                                     std::unique_ptr<device::Buffer>& copy) {
  numerics::MatrixView out{nullptr, view.type, view.rows, view.columns, view.leading_dimension};
  out.data = view.buffer->host_data();
  if (out.data == nullptr) {
    auto pageable = session_->device->allocate(view_bytes(view), device::MemoryKind::pageable);
    if (!pageable) {
      return pageable.error();
    }
    copy = std::move(*pageable);
    if (auto copied = copy_and_wait(*session_, *copy, *view.buffer, view_bytes(view)); !copied) {
      return copied.error();
    }
    out.data = copy->host_data();
  }
  return out;
}

core::Result<numerics::Verification> Operands::verify(const device::Gemm& gemm, bool exact, int threads) {
  if (auto reset = reset_c(); !reset) {
    return reset.error();
  }
  numerics::GemmCheck check;
  std::unique_ptr<device::Buffer> before, copies[3];
  if (gemm.beta != 0) {
    auto buffer = session_->device->allocate(view_bytes(gemm.c), device::MemoryKind::pageable);
    if (!buffer) {
      return buffer.error();
    }
    before = std::move(*buffer);
    if (auto copied = copy_and_wait(*session_, *before, *gemm.c.buffer, view_bytes(gemm.c)); !copied) {
      return copied.error();
    }
    check.c_before = before->host_data();
  }
  if (auto done = launch_and_wait(*session_, gemm); !done) {
    return done.error();
  }
  struct Part {
    const device::TensorView& view;
    numerics::MatrixView& out;
    std::unique_ptr<device::Buffer>& copy;
  };
  for (const Part& part : {Part{gemm.a, check.a, copies[0]},
                           Part{gemm.b, check.b, copies[1]},
                           Part{gemm.c, check.c, copies[2]}}) {
    auto matrix_on_host = on_host(part.view, part.copy);
    if (!matrix_on_host) {
      return matrix_on_host.error();
    }
    part.out = *matrix_on_host;
  }
  check.transpose_a = gemm.transpose_a;
  check.transpose_b = gemm.transpose_b;
  check.alpha = gemm.alpha;
  check.beta = gemm.beta;
  check.accumulator = gemm.accumulator;
  check.integer_operands = exact;
  check.seed = seed_of(filling_.seed, 3);
  check.threads = threads;
  return numerics::verify_gemm(check);
}

}  // namespace jissoku::experiments::matmul
