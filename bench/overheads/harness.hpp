// What the harness and the device interface add to what they measure.
#pragma once

#include <string>
#include <vector>

#include "bench/overheads/report.hpp"

namespace jissoku::bench {

/// The sampler's time per sample, and what lies inside the timed span per sample and per launch.
std::vector<Overhead> harness_overheads();

/// A 1x1x1 product through the device interface against a direct call of the same library's function,
/// for each library that offers the CBLAS interface. What cannot be measured is a line in `missing`.
std::vector<Overhead> interface_overheads(std::vector<std::string>& missing);

}  // namespace jissoku::bench
