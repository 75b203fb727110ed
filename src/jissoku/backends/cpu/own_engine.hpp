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

/// Team and kernels are not owned. All transposes, any leading dimensions, and c in
///  - f64: operands in f64;
///  - f32: operands in any format of 32 bits and less, decoded to FP32 as they are packed, with or without
///    block scales. Sums in FP32; emulated unless both are FP32;
///  - i32: operands in i8, sums exact (a depth that could overflow is refused), alpha 1, beta 0 or 1
///    (which adds to c modulo 2^32).
/// Beyond operands and c it uses at most 1.5 of a core's second-level cache for each thread, and where
/// threads share the depth a copy of their part of c. The same operands give the same bits for a given shape,
/// number of threads and caches.
std::unique_ptr<Engine> make_own_engine(ThreadTeam& team,
                                        const Kernels& kernels,
                                        const OwnEngineOptions& options);

}  // namespace jissoku::backends::cpu
