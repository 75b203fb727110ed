// The devices experiment: what can compute here, through which driver and library, and what is
// missing and why. Opens every device that is listed and asks it for its ways to multiply matrices.
#pragma once

#include "jissoku/experiments/context.hpp"

namespace jissoku::experiments::devices {

struct Params {
  int threads = 0;  ///< 0 = all usable
};

/// One row of experiment "devices" per device and GEMM variant: `converged` if it can be used (the
/// engine was tried on a small product), `unsupported` with the reason if not.
core::Status run(const Context& context, const Params& params);

}  // namespace jissoku::experiments::devices
