#include "jissoku/device/validate.hpp"

#include <cmath>
#include <string>

#include "jissoku/device/views.hpp"

namespace jissoku::device {
namespace {

using core::ExitCode;
using core::make_error;
using core::Status;
using numerics::DataType;

/// An operation while it is checked, with what an error needs to name it.
struct Checked {
  std::string operation;

  Status shape(const char* name, const TensorView& view, std::int64_t rows, std::int64_t columns) const {
    if (view.rows == rows && view.columns == columns) {
      return {};
    }
    return make_error(ExitCode::usage,
                      "device.wrong_shape",
                      {{"operation", operation},
                       {"tensor", std::string(name)},
                       {"rows", view.rows},
                       {"columns", view.columns},
                       {"expected_rows", rows},
                       {"expected_columns", columns}});
  }
  Status batch(const char* name, const TensorView& view, std::int64_t batch) const {
    if (view.batch == batch) {
      return {};
    }
    return make_error(ExitCode::usage,
                      "device.wrong_batch",
                      {{"operation", operation},
                       {"tensor", std::string(name)},
                       {"batch", view.batch},
                       {"expected", batch}});
  }
  Status same(const char* name, const TensorView& view, const TensorView& as) const {
    const Status fits = shape(name, view, as.rows, as.columns);
    return fits ? batch(name, view, as.batch) : fits;
  }
  Status single(const char* name, const TensorView& view, std::int64_t rows, std::int64_t columns) const {
    const Status fits = shape(name, view, rows, columns);
    return fits ? batch(name, view, 1) : fits;
  }
  Status value(const char* name, bool good, double value) const {
    if (good) {
      return {};
    }
    return make_error(ExitCode::usage,
                      "device.wrong_value",
                      {{"operation", operation}, {"name", std::string(name)}, {"value", value}});
  }
  Status type(const char* name, const TensorView& view, DataType expected) const {
    if (view.type == expected) {
      return {};
    }
    return make_error(ExitCode::usage,
                      "device.wrong_type",
                      {{"operation", operation},
                       {"tensor", std::string(name)},
                       {"type", std::string(numerics::display_name(view.type))},
                       {"expected", std::string(numerics::display_name(expected))}});
  }
};

/// The first that failed.
Status all(std::initializer_list<Status> checks) {
  for (const Status& check : checks) {
    if (!check) {
      return check;
    }
  }
  return {};
}

Status fits(const Checked& check, const Fill& op) {
  const bool needs_magnitude = op.data == numerics::Data::ints && !op.poison;
  return check.value("magnitude", !needs_magnitude || op.magnitude >= 1, op.magnitude);
}

Status fits(const Checked& check, const Cast& op) {
  return check.same("out", op.out, op.in);
}

Status fits(const Checked& check, const Quantise& op) {
  return check.same("out", op.out, op.in);
}

Status fits(const Checked& check, const Gemm& op) {
  const std::int64_t m = op.transpose_a ? op.a.columns : op.a.rows;
  const std::int64_t k = op.transpose_a ? op.a.rows : op.a.columns;
  const std::int64_t n = op.c.columns;
  // E4M3 with E5M2 is a product of its own; any other mixture is a mistake.
  const auto is_fp8 = [](DataType type) { return type == DataType::e4m3 || type == DataType::e5m2; };
  const bool mixed_fp8 = is_fp8(op.a.type) && is_fp8(op.b.type);
  return all({check.shape("c", op.c, m, n),
              check.shape("b", op.b, op.transpose_b ? n : k, op.transpose_b ? k : n),
              check.batch("b", op.b, op.a.batch),
              check.batch("c", op.c, op.a.batch),
              mixed_fp8 ? Status{} : check.type("b", op.b, op.a.type),
              check.value("alpha", std::isfinite(op.alpha), op.alpha),
              check.value("beta", std::isfinite(op.beta), op.beta)});
}

Status fits(const Checked& check, const BiasActivation& op) {
  return all({check.same("out", op.out, op.in), check.single("bias", op.bias, 1, op.in.columns)});
}

Status fits(const Checked& check, const BiasActivationGradient& op) {
  return all({check.same("grad_out", op.grad_out, op.out),
              check.same("grad_in", op.grad_in, op.out),
              check.single("grad_bias", op.grad_bias, 1, op.out.columns)});
}

Status fits(const Checked&, const Scale&) {
  return {};
}

Status fits(const Checked& check, const Softmax& op) {
  return check.same("out", op.out, op.in);
}

Status fits(const Checked& check, const Reduce& op) {
  return check.single("out", op.out, 1, 1);
}

Status fits(const Checked& check, const MseLoss& op) {
  return all({check.same("target", op.target, op.prediction),
              check.same("gradient", op.gradient, op.prediction),
              check.single("value", op.value, 1, 1)});
}

Status fits(const Checked& check, const SgdStep& op) {
  return all(
      {check.same("momentum", op.momentum, op.weights), check.same("gradient", op.gradient, op.weights)});
}

Status fits(const Checked& check, const FmaPeak& op) {
  return check.value("flops", std::isfinite(op.flops) && op.flops > 0, op.flops);
}

Status fits(const Checked& check, const MemoryTriad& op) {
  return all({check.type("a", op.a, DataType::f64),
              check.type("b", op.b, DataType::f64),
              check.type("c", op.c, DataType::f64),
              check.same("b", op.b, op.a),
              check.same("c", op.c, op.a)});
}

core::Error bad_view(const Checked& check, const char* id, const NamedView& named) {
  const TensorView& view = *named.view;
  return make_error(ExitCode::usage,
                    id,
                    {{"operation", check.operation},
                     {"tensor", std::string(named.name)},
                     {"rows", view.rows},
                     {"columns", view.columns},
                     {"leading_dimension", view.leading_dimension},
                     {"batch", view.batch},
                     {"batch_stride", view.batch_stride}});
}

/// Batches one after another, or interleaved within rows (heads of attention).
bool batches_apart(const TensorView& view, std::int64_t matrix_extent) {
  if (view.batch == 1 || view.batch_stride >= matrix_extent) {
    return true;
  }
  std::int64_t together = 0;
  return view.batch_stride >= view.columns &&
         !__builtin_mul_overflow(view.batch - 1, view.batch_stride, &together) &&
         !__builtin_add_overflow(together, view.columns, &together) && view.leading_dimension >= together;
}

bool rows_on_bytes(const TensorView& view) {
  const int bits = numerics::storage_bits(view.type);
  const auto whole = [bits](std::int64_t elements) { return elements % 8 * bits % 8 == 0; };
  return whole(view.offset_elements) && (view.rows == 1 || whole(view.leading_dimension)) &&
         (view.batch == 1 || whole(view.batch_stride));
}

Status check_view(const Checked& check, const NamedView& named) {
  const TensorView& view = *named.view;
  if (view.rows < 1 || view.columns < 1 || view.batch < 1) {
    return bad_view(check, "device.empty_view", named);
  }
  if (view.leading_dimension < view.columns) {
    return bad_view(check, "device.leading_dimension", named);
  }
  TensorView matrix = view;
  matrix.batch = 1;
  const auto matrix_extent = extent_elements(matrix);
  if (view.offset_elements < 0 || view.scale_block < 0 || !matrix_extent || !extent_elements(view)) {
    return bad_view(check, "device.view_range", named);
  }
  if (named.written && !batches_apart(view, *matrix_extent)) {
    return bad_view(check, "device.batch_overlap", named);
  }
  if (!rows_on_bytes(view)) {
    return bad_view(check, "device.row_alignment", named);
  }
  return {};
}

Status check_within(const Checked& check,
                    const std::string& tensor,
                    const Buffer* buffer,
                    std::int64_t end_elements,
                    DataType type) {
  if (buffer == nullptr) {
    return make_error(
        ExitCode::usage, "device.no_buffer", {{"operation", check.operation}, {"tensor", tensor}});
  }
  // Whole bytes first, so that the bits of the end never overflow.
  const std::int64_t bits = numerics::storage_bits(type);
  const auto size_bytes = static_cast<std::int64_t>(buffer->size_bytes());
  const std::int64_t needed_bytes = end_elements / 8 > INT64_MAX / bits - bits
                                        ? INT64_MAX
                                        : end_elements / 8 * bits + (end_elements % 8 * bits + 7) / 8;
  if (needed_bytes <= size_bytes) {
    return {};
  }
  return make_error(ExitCode::usage,
                    "device.beyond_buffer",
                    {{"operation", check.operation},
                     {"tensor", tensor},
                     {"end", static_cast<double>(needed_bytes)},
                     {"size", static_cast<double>(size_bytes)}});
}

/// Precondition: check_view() is ok.
Status check_memory(const Checked& check, const NamedView& named) {
  const TensorView& view = *named.view;
  std::int64_t end = 0;
  if (__builtin_add_overflow(view.offset_elements, *extent_elements(view), &end)) {
    return bad_view(check, "device.view_range", named);
  }
  Status data = check_within(check, named.name, view.buffer, end, view.type);
  if (!data || view.scale_block == 0) {
    return data;
  }
  const std::int64_t scales_per_row = (view.columns - 1) / view.scale_block + 1;
  std::int64_t scales = 0;
  if (__builtin_mul_overflow(view.rows, scales_per_row, &scales) ||
      __builtin_mul_overflow(scales, view.batch, &scales)) {
    return bad_view(check, "device.view_range", named);
  }
  return check_within(check, std::string(named.name) + ".scales", view.scales, scales, view.scale_type);
}

core::Error bad_copy(const char* id, const CopyRange& range) {
  const auto bytes = [](std::size_t count) { return static_cast<double>(count); };
  return make_error(ExitCode::usage,
                    id,
                    {{"count", bytes(range.size_bytes)},
                     {"src_offset", bytes(range.src_offset_bytes)},
                     {"dst_offset", bytes(range.dst_offset_bytes)},
                     {"src_size", bytes(range.src == nullptr ? 0 : range.src->size_bytes())},
                     {"dst_size", bytes(range.dst == nullptr ? 0 : range.dst->size_bytes())}});
}

bool within(const Buffer& buffer, std::size_t offset, std::size_t count) {
  return offset <= buffer.size_bytes() && count <= buffer.size_bytes() - offset;
}

}  // namespace

Status validate_layout(const Operation& operation) {
  const Checked check{to_string(operation)};
  for (const NamedView& named : views_of(operation)) {
    if (Status sound = check_view(check, named); !sound) {
      return sound;
    }
  }
  return std::visit([&](const auto& op) { return fits(check, op); }, operation);
}

Status validate(const Operation& operation) {
  if (Status sound = validate_layout(operation); !sound) {
    return sound;
  }
  const Checked check{to_string(operation)};
  for (const NamedView& named : views_of(operation)) {
    if (Status inside = check_memory(check, named); !inside) {
      return inside;
    }
  }
  return {};
}

Status validate(const CopyRange& range) {
  if (range.src == nullptr || range.dst == nullptr) {
    return bad_copy("device.copy_without_buffer", range);
  }
  if (!within(*range.src, range.src_offset_bytes, range.size_bytes) ||
      !within(*range.dst, range.dst_offset_bytes, range.size_bytes)) {
    return bad_copy("device.copy_beyond_buffer", range);
  }
  const bool overlap = range.src == range.dst && range.size_bytes > 0 &&
                       range.src_offset_bytes < range.dst_offset_bytes + range.size_bytes &&
                       range.dst_offset_bytes < range.src_offset_bytes + range.size_bytes;
  return overlap ? Status(bad_copy("device.copy_overlap", range)) : Status{};
}

}  // namespace jissoku::device
