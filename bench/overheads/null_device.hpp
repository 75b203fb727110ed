// A device whose every operation is done at once: what is left of a measurement is the harness.
#pragma once

#include "jissoku/experiments/session.hpp"

namespace jissoku::bench {

/// A host device that accepts launches, and nothing else.
experiments::Session null_session();

}  // namespace jissoku::bench
