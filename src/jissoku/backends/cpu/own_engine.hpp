// Our own engine: blocked and packed in the manner of Goto and van de Geijn ("Anatomy of
// High-Performance Matrix Multiplication", 2008), one slab of c per thread. Always there, on any CPU.
#pragma once

#include <memory>

#include "jissoku/backends/cpu/engine.hpp"
#include "jissoku/backends/cpu/kernels.hpp"
#include "jissoku/backends/cpu/thread_team.hpp"

namespace jissoku::backends::cpu {

/// Neither is owned. f32 and f64, all transposes, any leading dimensions.
std::unique_ptr<Engine> make_own_engine(ThreadTeam& team, const Kernels& kernels);

}  // namespace jissoku::backends::cpu
