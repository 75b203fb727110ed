// When a subject is warm.
#pragma once

#include <span>

namespace jissoku::measure {

/// `times_ns`: time per launch of the batches so far, in order. True when the last three lie within
/// 2 % of each other, or none of them is at least 1 % faster than the fastest before them: on a noisy
/// machine the first may never happen.
bool reached_plateau(std::span<const double> times_ns);

}  // namespace jissoku::measure
