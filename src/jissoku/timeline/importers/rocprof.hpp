// rocprofv3's JSON (rocprofiler-sdk-tool).
#pragma once

#include <string_view>

#include "jissoku/timeline/importers/window.hpp"
#include "jissoku/timeline/model.hpp"

namespace jissoku::timeline::importers {

bool is_rocprof(std::string_view head);
/// False: no buffer records in it.
bool read_rocprof(Window& window, Timeline& timeline);

}  // namespace jissoku::timeline::importers
