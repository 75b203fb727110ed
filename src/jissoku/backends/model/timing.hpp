// How long modelled work takes: pure functions of the parameters, the work and its number. All times
// of a model come from `duration_ns`; the formulas are in docs/model.md.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "jissoku/backends/model/parameters.hpp"
#include "jissoku/device/operation.hpp"

namespace jissoku::backends::model {

/// A kernel: arithmetic and traffic, of which the slower one counts.
struct Kernel {
  double flops = 0;  ///< 0: no arithmetic that counts
  double flops_per_second = 1;
  double memory_bytes = 0;  ///< to and from the device's memory
  double link_bytes = 0;    ///< to and from host memory that the kernel addresses
};

enum class Route {
  within_device,  ///< read and written at memory bandwidth
  pinned,         ///< over the link, page-locked or mapped on the host's side
  pageable,       ///< over the link, or from host to host
};
struct Copy {
  Route route = Route::within_device;
  double bytes = 0;
};

using Work = std::variant<Kernel, Copy>;

/// Share of a product's rate that its shape leaves: padding to whole tiles, and a last wave that is not
/// full. All counts positive; in (0, 1].
double shape_efficiency(
    const Parameters& parameters, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch);

/// Bytes of the views are told apart by `on_host`, in the order of views_of(operation); views beyond its
/// size are on the device. Precondition: the device supports the operation.
Kernel kernel_of(const Parameters& parameters,
                 const device::Operation& operation,
                 const std::vector<bool>& on_host = {});

/// Mean device time.
double expected_ns(const Parameters& parameters, const Work& work);

/// Device time of the `index`-th work since the device was opened: expected_ns() with noise and jitter,
/// rounded, at least 1. Equal arguments give equal times.
std::int64_t duration_ns(const Parameters& parameters, const Work& work, std::uint64_t index);

}  // namespace jissoku::backends::model
