#include "jissoku/backends/model/narrow_tensors.hpp"

#include <cstdint>

#include "jissoku/device/device.hpp"
#include "jissoku/numerics/narrow.hpp"

namespace jissoku::backends::model {
namespace {

using device::TensorView;
using numerics::DataType;

template <typename T>
T* row_of(const TensorView& view, std::int64_t batch, std::int64_t row) {
  return reinterpret_cast<T*>(view.buffer->host_data()) + view.offset_elements + batch * view.batch_stride +
         row * view.leading_dimension;
}

template <typename In, typename Out, typename Convert>
void convert_rows(const TensorView& in, const TensorView& out, Convert convert) {
  for (std::int64_t batch = 0; batch < out.batch; ++batch) {
    for (std::int64_t row = 0; row < out.rows; ++row) {
      const In* const from = row_of<In>(in, batch, row);
      Out* const to = row_of<Out>(out, batch, row);
      for (std::int64_t column = 0; column < out.columns; ++column) {
        to[column] = convert(from[column]);
      }
    }
  }
}

float same(float value) {
  return value;
}

/// Through FP32, which holds all but FP64 exactly.
template <typename In, typename Read>
void cast_from(const TensorView& in, const TensorView& out, Read read) {
  switch (out.type) {
    case DataType::f64:
      return convert_rows<In, double>(in, out, [&](In value) { return static_cast<double>(read(value)); });
    case DataType::tf32:
      return convert_rows<In, float>(in, out, [&](In value) { return numerics::to_tf32(read(value)); });
    case DataType::f16:
      return convert_rows<In, std::uint16_t>(
          in, out, [&](In value) { return numerics::to_f16(read(value)); });
    case DataType::bf16:
      return convert_rows<In, std::uint16_t>(
          in, out, [&](In value) { return numerics::to_bf16(read(value)); });
    default:
      return convert_rows<In, float>(in, out, read);
  }
}

}  // namespace

bool fits_f32(DataType type) {
  return type == DataType::f32 || type == DataType::tf32 || type == DataType::f16 || type == DataType::bf16;
}

TensorView widened_view(const TensorView& view) {
  TensorView wide;
  wide.rows = view.rows;
  wide.columns = view.columns;
  wide.leading_dimension = view.columns;
  wide.batch = view.batch;
  wide.batch_stride = view.batch_stride == 0 ? 0 : view.rows * view.columns;
  return wide;
}

void widen(const TensorView& in, const TensorView& out) {
  TensorView once = out;
  once.batch = out.batch_stride == 0 ? 1 : out.batch;
  switch (in.type) {
    case DataType::f16:
      return convert_rows<std::uint16_t, float>(in, once, numerics::from_f16);
    case DataType::bf16:
      return convert_rows<std::uint16_t, float>(in, once, numerics::from_bf16);
    case DataType::tf32:
      return convert_rows<float, float>(in, once, numerics::to_tf32);
    default:
      return convert_rows<float, float>(in, once, same);
  }
}

bool can_cast(DataType in, DataType out) {
  if (in == DataType::f64) {
    return out == DataType::f64 || out == DataType::f32;
  }
  return fits_f32(in) && (out == DataType::f64 || fits_f32(out));
}

void cast(const device::Cast& operation) {
  const TensorView& in = operation.in;
  const TensorView& out = operation.out;
  switch (in.type) {
    case DataType::f64:
      if (out.type == DataType::f64) {
        return convert_rows<double, double>(in, out, [](double value) { return value; });
      }
      return convert_rows<double, float>(in, out, [](double value) { return static_cast<float>(value); });
    case DataType::f16:
      return cast_from<std::uint16_t>(in, out, numerics::from_f16);
    case DataType::bf16:
      return cast_from<std::uint16_t>(in, out, numerics::from_bf16);
    default:
      return cast_from<float>(in, out, same);
  }
}

}  // namespace jissoku::backends::model
