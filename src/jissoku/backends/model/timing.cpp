#include "jissoku/backends/model/timing.hpp"

#include <algorithm>
#include <cmath>

#include "jissoku/device/device.hpp"
#include "jissoku/device/views.hpp"
#include "jissoku/numerics/random.hpp"

namespace jissoku::backends::model {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr double kTwoPi = 6.283185307179586;

std::int64_t pieces(std::int64_t length, std::int64_t piece) {
  return (length - 1) / piece + 1;
}

double real(std::int64_t value) {
  return static_cast<double>(value);
}

/// Without latencies.
double work_ns(const Parameters& parameters, const Kernel& kernel) {
  const double arithmetic = kernel.flops / kernel.flops_per_second;
  const double memory =
      kernel.memory_bytes / (parameters.memory_bytes_per_second * parameters.memory_reachable_share);
  const double link = kernel.link_bytes / parameters.pinned_bytes_per_second;
  return kNsPerSecond * std::max({arithmetic, memory, link});
}

double work_ns(const Parameters& parameters, const Copy& copy) {
  switch (copy.route) {
    case Route::within_device:
      return work_ns(parameters, Kernel{.memory_bytes = 2 * copy.bytes});
    case Route::pinned:
      return kNsPerSecond * copy.bytes / parameters.pinned_bytes_per_second;
    case Route::pageable:
      return kNsPerSecond * copy.bytes / parameters.pageable_bytes_per_second;
  }
  return 0;
}

double latency_ns(const Parameters& parameters, const Kernel&) {
  return parameters.launch_latency_ns;
}

double latency_ns(const Parameters& parameters, const Copy& copy) {
  return copy.route == Route::within_device ? parameters.launch_latency_ns : parameters.copy_latency_ns;
}

double undisturbed_ns(const Parameters& parameters, const Work& work) {
  return std::visit([&](const auto& one) { return latency_ns(parameters, one) + work_ns(parameters, one); },
                    work);
}

double jitter_mean_ns(const Parameters& parameters, const Work& work) {
  return std::holds_alternative<Kernel>(work) ? parameters.launch_jitter_ns : 0;
}

/// In (0, 1); the `which`-th of a work's three numbers.
double uniform(std::uint64_t seed, std::uint64_t index, std::uint64_t which) {
  const std::uint64_t bits = numerics::random_bits(seed, 3 * index + which) >> 11;
  return (static_cast<double>(bits) + 0.5) * 0x1p-53;
}

/// Whether the operation also reads what it writes.
bool reads_its_output(const device::Operation& operation) {
  const auto* gemm = std::get_if<device::Gemm>(&operation);
  return (gemm != nullptr && gemm->beta != 0) || std::holds_alternative<device::Scale>(operation) ||
         std::holds_alternative<device::SgdStep>(operation);
}

/// Flops per second that this product gets.
double product_rate(const Parameters& parameters, const device::Gemm& gemm) {
  const Rate& rate = parameters.rates.at(gemm.a.type);
  const std::int64_t k = gemm.transpose_a ? gemm.a.rows : gemm.a.columns;
  return rate.flops_per_second * rate.reachable_share *
         shape_efficiency(parameters, gemm.c.rows, gemm.c.columns, k, gemm.c.batch);
}

}  // namespace

double shape_efficiency(
    const Parameters& parameters, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch) {
  const Tile& tile = parameters.tile;
  const std::int64_t rows = pieces(m, tile.rows);
  const std::int64_t columns = pieces(n, tile.columns);
  const double padded =
      real(rows * tile.rows) * real(columns * tile.columns) * real(pieces(k, tile.depth) * tile.depth);
  const double useful = real(m) * real(n) * real(k) / padded;
  if (parameters.compute_units == 0) {
    return useful;
  }
  const double tiles = real(rows) * real(columns) * real(batch);
  const double units = real(parameters.compute_units);
  return useful * tiles / (std::ceil(tiles / units) * units);
}

Kernel kernel_of(const Parameters& parameters,
                 const device::Operation& operation,
                 const std::vector<bool>& on_host) {
  Kernel kernel;
  std::size_t index = 0;
  for (const device::NamedView& named : device::views_of(operation)) {
    const bool twice = named.written && reads_its_output(operation);
    const double bytes = device::logical_bytes(*named.view) * (twice ? 2 : 1);
    (index < on_host.size() && on_host[index] ? kernel.link_bytes : kernel.memory_bytes) += bytes;
    ++index;
  }
  if (const auto* gemm = std::get_if<device::Gemm>(&operation)) {
    kernel.flops = device::gemm_flops(*gemm);
    kernel.flops_per_second = product_rate(parameters, *gemm);
  }
  if (const auto* peak = std::get_if<device::FmaPeak>(&operation)) {
    kernel.flops = peak->flops;
    kernel.flops_per_second = parameters.rates.at(peak->type).flops_per_second;
  }
  return kernel;
}

double expected_ns(const Parameters& parameters, const Work& work) {
  return undisturbed_ns(parameters, work) + jitter_mean_ns(parameters, work);
}

std::int64_t duration_ns(const Parameters& parameters, const Work& work, std::uint64_t index) {
  const double sigma = parameters.noise_sigma;
  const double normal = std::sqrt(-2 * std::log(uniform(parameters.seed, index, 0))) *
                        std::cos(kTwoPi * uniform(parameters.seed, index, 1));
  const double factor = std::exp(sigma * normal - sigma * sigma / 2);
  const double jitter_ns = -std::log(uniform(parameters.seed, index, 2)) * jitter_mean_ns(parameters, work);
  return std::max<std::int64_t>(1, std::llround(undisturbed_ns(parameters, work) * factor + jitter_ns));
}

}  // namespace jissoku::backends::model
