// What a network does beside products: elementwise operations, done by our own team of threads. An element
// is computed from the same numbers in the same order whatever the threads.
#pragma once

#include "jissoku/backends/cpu/thread_team.hpp"
#include "jissoku/device/operation.hpp"

namespace jissoku::backends::cpu {

/// Whether run_tensor_operation() does it.
bool is_tensor_operation(const device::Operation& operation);

/// Preconditions: is_tensor_operation(), validate() is ok, all tensors are f32 or all f64.
void run_tensor_operation(ThreadTeam& team, const device::Operation& operation);

}  // namespace jissoku::backends::cpu
