// Operations other than products, done by our own team of threads.
#pragma once

#include "jissoku/backends/cpu/kernels.hpp"
#include "jissoku/backends/cpu/thread_team.hpp"
#include "jissoku/device/operation.hpp"

namespace jissoku::backends::cpu {

/// The steps are dealt out whole, so that the excess is below one step whatever the threads.
/// Precondition: the type is f32 or f64.
void run_fma_peak(ThreadTeam& team, const Kernels& kernels, const device::FmaPeak& operation);
/// What run_fma_peak() really does for an operation, in FLOPs.
double fma_peak_flops(const Kernels& kernels, const device::FmaPeak& operation);

// Preconditions: validate() is ok, types are f32 or f64.
void run_triad(ThreadTeam& team, const device::MemoryTriad& operation);
void run_cast(ThreadTeam& team, const device::Cast& operation);
void run_scale(ThreadTeam& team, const device::Scale& operation);

}  // namespace jissoku::backends::cpu
