// What the PyTorch profiler writes beside its events: devices, rank, the clock's base.
#pragma once

#include <string>
#include <string_view>

#include "jissoku/timeline/model.hpp"

namespace jissoku::timeline::importers {

bool is_wanted_metadata(std::string_view name);

/// `value`: the member's JSON. What is not as expected is left out.
void take_metadata(std::string_view name, const std::string& value, Timeline& timeline);

}  // namespace jissoku::timeline::importers
