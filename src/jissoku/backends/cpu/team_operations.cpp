#include "jissoku/backends/cpu/team_operations.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>

#include "jissoku/backends/cpu/team_parts.hpp"

namespace jissoku::backends::cpu {
namespace {

using device::TensorView;
using numerics::DataType;

const PeakKernel& peak_kernel(const Kernels& kernels, DataType type) {
  return type == DataType::f32 ? kernels.peak_f32 : kernels.peak_f64;
}

std::int64_t peak_steps(const PeakKernel& kernel, double flops) {
  return static_cast<std::int64_t>(std::ceil(flops / kernel.flops_per_step));
}

template <typename From, typename To>
void cast(ThreadTeam& team, const TensorView& in, const TensorView& out) {
  for_each_part(team, in, [&](auto batch, auto row, auto first, auto last) {
    const From* from = row_of<From>(in, batch, row);
    To* to = row_of<To>(out, batch, row);
    // In the default rounding mode the conversion rounds to nearest even (IEEE 754).
    std::transform(from + first, from + last, to + first, [](From value) { return static_cast<To>(value); });
  });
}

template <typename T>
void scale(ThreadTeam& team, const TensorView& tensor, T factor) {
  for_each_part(team, tensor, [&](auto batch, auto row, auto first, auto last) {
    T* values = row_of<T>(tensor, batch, row);
    std::transform(
        values + first, values + last, values + first, [factor](T value) { return value * factor; });
  });
}

}  // namespace

void run_fma_peak(ThreadTeam& team, const Kernels& kernels, const device::FmaPeak& operation) {
  const PeakKernel& kernel = peak_kernel(kernels, operation.type);
  std::atomic<double> kept{0};
  team.run_ranges(peak_steps(kernel, operation.flops), 1, [&](int, std::int64_t first, std::int64_t last) {
    kept.store(kernel.run(last - first), std::memory_order_relaxed);
  });
}

double fma_peak_flops(const Kernels& kernels, const device::FmaPeak& operation) {
  const PeakKernel& kernel = peak_kernel(kernels, operation.type);
  return static_cast<double>(peak_steps(kernel, operation.flops)) * kernel.flops_per_step;
}

void run_triad(ThreadTeam& team, const device::MemoryTriad& operation) {
  constexpr double kScalar = 3.0;  // STREAM's
  for_each_part(team, operation.a, [&](auto batch, auto row, auto first, auto last) {
    double* a = row_of<double>(operation.a, batch, row);
    const double* b = row_of<double>(operation.b, batch, row);
    const double* c = row_of<double>(operation.c, batch, row);
    for (std::int64_t i = first; i < last; ++i) {
      a[i] = b[i] + kScalar * c[i];
    }
  });
}

void run_cast(ThreadTeam& team, const device::Cast& operation) {
  const bool from_f32 = operation.in.type == DataType::f32;
  const bool to_f32 = operation.out.type == DataType::f32;
  if (from_f32 && to_f32) {
    cast<float, float>(team, operation.in, operation.out);
  } else if (from_f32) {
    cast<float, double>(team, operation.in, operation.out);
  } else if (to_f32) {
    cast<double, float>(team, operation.in, operation.out);
  } else {
    cast<double, double>(team, operation.in, operation.out);
  }
}

void run_scale(ThreadTeam& team, const device::Scale& operation) {
  if (operation.tensor.type == DataType::f32) {
    scale<float>(team, operation.tensor, static_cast<float>(operation.factor));
  } else {
    scale<double>(team, operation.tensor, operation.factor);
  }
}

}  // namespace jissoku::backends::cpu
