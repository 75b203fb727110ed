// A timeline as Chrome trace JSON that Perfetto and the PyTorch profiler's readers open: cleaned of what
// was damaged, in order of time.
#pragma once

#include <functional>
#include <string_view>

#include "jissoku/timeline/model.hpp"

namespace jissoku::timeline {

/// Calls `write` with pieces of the document; it returns false to stop.
void export_chrome(const Timeline& timeline, const std::function<bool(std::string_view)>& write);

}  // namespace jissoku::timeline
