// The Chrome trace format in all its dialects: the PyTorch profiler's (Kineto, 2021 to today), autograd's
// bare list, rocprof v1, generic Chrome and Perfetto JSON.
#pragma once

#include "jissoku/core/result.hpp"
#include "jissoku/timeline/importers/window.hpp"
#include "jissoku/timeline/model.hpp"

namespace jissoku::timeline::importers {

/// Reads a document from `window` into `timeline`. Damaged parts are left out and counted in its repairs.
/// False: there is no list of events in it.
bool read_chrome(Window& window, Timeline& timeline);

}  // namespace jissoku::timeline::importers
