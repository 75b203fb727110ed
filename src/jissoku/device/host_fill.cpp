#include "jissoku/device/host_fill.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

#include "jissoku/device/device.hpp"
#include "jissoku/numerics/codes.hpp"
#include "jissoku/numerics/narrow.hpp"
#include "jissoku/numerics/verification.hpp"

namespace jissoku::device {
namespace {

/// Below this a thread costs more than it brings.
constexpr std::int64_t kElementsPerThread = 65536;

void write(const Fill& fill, std::int64_t first, std::span<float> out) {
  if (fill.poison) {
    std::fill(out.begin(), out.end(), numerics::poison_f32());
  } else {
    numerics::fill_values(fill.data, fill.seed, static_cast<std::uint64_t>(first), fill.magnitude, out);
  }
  if (fill.out.type == numerics::DataType::tf32 && !fill.poison) {
    std::transform(out.begin(), out.end(), out.begin(), numerics::to_tf32);
  }
}

void write(const Fill& fill, std::int64_t first, std::span<double> out) {
  if (fill.poison) {
    std::fill(out.begin(), out.end(), numerics::poison_f64());
  } else {
    numerics::fill_values(fill.data, fill.seed, static_cast<std::uint64_t>(first), fill.magnitude, out);
  }
}

/// Logical elements [begin, end), a row (or what the range holds of it) at a time.
template <typename T>
void fill_range(const Fill& fill, std::int64_t begin, std::int64_t end) {
  const TensorView& out = fill.out;
  T* const base = reinterpret_cast<T*>(out.buffer->host_data()) + out.offset_elements;
  while (begin < end) {
    const std::int64_t column = begin % out.columns;
    const std::int64_t row = begin / out.columns % out.rows;
    const std::int64_t batch = begin / out.columns / out.rows;
    const std::int64_t count = std::min(end - begin, out.columns - column);
    T* const target = base + batch * out.batch_stride + row * out.leading_dimension + column;
    write(fill, begin, std::span<T>(target, static_cast<std::size_t>(count)));
    begin += count;
  }
}

/// What is written where a format has no NaN: the code whose magnitude is largest, which no fill gives.
float poison_of(numerics::DataType type) {
  switch (type) {
    case numerics::DataType::e3m2:
    case numerics::DataType::e2m3:
    case numerics::DataType::e2m1:
    case numerics::DataType::i8:
    case numerics::DataType::i32:
      return -std::numeric_limits<float>::infinity();  // saturates
    default:
      return numerics::poison_f32();
  }
}

/// The FP32 values as codes of the format. Formats below a byte: whole rows only.
void fill_codes(const Fill& fill, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t kPiece = 256;                              // whole bytes in every format
  constexpr numerics::Conversion kOverflows = {.saturate = false};  // beyond its range a value is not hidden
  const TensorView& out = fill.out;
  const std::int64_t bits = numerics::storage_bits(out.type);
  float values[kPiece];
  while (begin < end) {
    const std::int64_t column = begin % out.columns;
    const std::int64_t row = begin / out.columns % out.rows;
    const std::int64_t batch = begin / out.columns / out.rows;
    const std::int64_t count = std::min({kPiece, end - begin, out.columns - column});
    if (fill.poison) {
      std::fill(values, values + count, poison_of(out.type));
    } else {
      write(fill, begin, std::span<float>(values, static_cast<std::size_t>(count)));
    }
    const std::int64_t element =
        out.offset_elements + batch * out.batch_stride + row * out.leading_dimension + column;
    numerics::encode(out.type, values, count, out.buffer->host_data() + element * bits / 8, kOverflows);
    begin += count;
  }
}

using FillRange = void (*)(const Fill& fill, std::int64_t begin, std::int64_t end);

void fill_parallel(const Fill& fill, int threads, FillRange fill_range) {
  const std::int64_t elements = fill.out.batch * fill.out.rows * fill.out.columns;
  const std::int64_t parts = std::clamp<std::int64_t>(elements / kElementsPerThread, 1, std::max(threads, 1));
  const auto start_of = [&](std::int64_t part) {
    const std::int64_t start = elements / parts * part + std::min(part, elements % parts);
    const bool whole_rows = numerics::storage_bits(fill.out.type) < 8 && part < parts;
    return whole_rows ? start / fill.out.columns * fill.out.columns : start;
  };
  std::vector<std::thread> helpers;
  std::int64_t part = 1;
  try {
    for (; part < parts; ++part) {
      helpers.emplace_back(fill_range, fill, start_of(part), start_of(part + 1));
    }
  } catch (const std::system_error&) {
    fill_range(fill, start_of(part), elements);  // no more threads to be had: the rest is ours
  }
  fill_range(fill, 0, start_of(1));
  for (std::thread& helper : helpers) {
    helper.join();
  }
}

}  // namespace

void fill_host(const Fill& fill, int threads) {
  switch (fill.out.type) {
    case numerics::DataType::f64:
      return fill_parallel(fill, threads, fill_range<double>);
    case numerics::DataType::f32:
    case numerics::DataType::tf32:
      return fill_parallel(fill, threads, fill_range<float>);
    default:
      return fill_parallel(fill, threads, fill_codes);
  }
}

}  // namespace jissoku::device
