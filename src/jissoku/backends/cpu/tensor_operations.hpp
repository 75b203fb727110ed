// What a network does beside products, done by our own team of threads. Results do not depend on how many
// there are: sums of FP32 are held in FP64 (of FP64 in long double), added in a fixed order, and rounded
// once.
#pragma once

#include "jissoku/backends/cpu/thread_team.hpp"
#include "jissoku/device/operation.hpp"

namespace jissoku::backends::cpu {

/// Whether run_tensor_operation() does it.
bool is_tensor_operation(const device::Operation& operation);

/// Preconditions: is_tensor_operation(), validate() is ok, all tensors are f32 or all f64.
void run_tensor_operation(ThreadTeam& team, const device::Operation& operation);

}  // namespace jissoku::backends::cpu
