#include "jissoku/device/host_fill.hpp"

#include <algorithm>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

#include "jissoku/device/device.hpp"
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

/// The FP32 values, each rounded to the nearest of the format.
void write(const Fill& fill, std::int64_t first, std::span<std::uint16_t> out) {
  constexpr std::int64_t kPiece = 256;
  float values[kPiece];
  const bool half = fill.out.type == numerics::DataType::f16;
  for (std::size_t done = 0; done < out.size(); done += kPiece) {
    const std::size_t count = std::min<std::size_t>(kPiece, out.size() - done);
    write(fill, first + static_cast<std::int64_t>(done), std::span<float>(values, count));
    std::transform(values, values + count, out.begin() + static_cast<std::ptrdiff_t>(done), [&](float value) {
      return half ? numerics::to_f16(value) : numerics::to_bf16(value);
    });
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

template <typename T>
void fill_parallel(const Fill& fill, int threads) {
  const std::int64_t elements = fill.out.batch * fill.out.rows * fill.out.columns;
  const std::int64_t parts = std::clamp<std::int64_t>(elements / kElementsPerThread, 1, std::max(threads, 1));
  const auto start_of = [&](std::int64_t part) {
    return elements / parts * part + std::min(part, elements % parts);
  };
  std::vector<std::thread> helpers;
  std::int64_t part = 1;
  try {
    for (; part < parts; ++part) {
      helpers.emplace_back(fill_range<T>, fill, start_of(part), start_of(part + 1));
    }
  } catch (const std::system_error&) {
    fill_range<T>(fill, start_of(part), elements);  // no more threads to be had: the rest is ours
  }
  fill_range<T>(fill, 0, start_of(1));
  for (std::thread& helper : helpers) {
    helper.join();
  }
}

}  // namespace

void fill_host(const Fill& fill, int threads) {
  switch (fill.out.type) {
    case numerics::DataType::f64:
      return fill_parallel<double>(fill, threads);
    case numerics::DataType::f16:
    case numerics::DataType::bf16:
      return fill_parallel<std::uint16_t>(fill, threads);
    default:
      return fill_parallel<float>(fill, threads);
  }
}

}  // namespace jissoku::device
