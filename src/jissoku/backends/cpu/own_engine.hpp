// Our own engine: blocked and packed in the manner of Goto and van de Geijn ("Anatomy of High-Performance
// Matrix Multiplication", 2008), with generated kernels; docs/gemm.md explains it. Always there, on any CPU.
#pragma once

#include <memory>

#include "jissoku/backends/cpu/engine.hpp"
#include "jissoku/backends/cpu/gemm/plan.hpp"
#include "jissoku/backends/cpu/kernels.hpp"
#include "jissoku/backends/cpu/thread_team.hpp"

namespace jissoku::backends::cpu {

struct OwnEngineOptions {
  gemm::Caches caches;
  bool generate =
      true;  ///< kernels at run time, where that can be done; else those compiled with the program
};

/// Team and kernels are not owned. f32 and f64, all transposes, any leading dimensions. The same operands
/// give the same bits for a given shape, number of threads and caches.
std::unique_ptr<Engine> make_own_engine(ThreadTeam& team,
                                        const Kernels& kernels,
                                        const OwnEngineOptions& options);

}  // namespace jissoku::backends::cpu
