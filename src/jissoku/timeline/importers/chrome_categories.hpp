// What the exporters' categories mean.
#pragma once

#include <string_view>

#include "jissoku/timeline/importers/chrome_event.hpp"
#include "jissoku/timeline/model.hpp"

namespace jissoku::timeline::importers {

struct CategoryRule {
  Category category = Category::other_host;
  ArgsWanted args = ArgsWanted::unknown;
  bool kept = true;    ///< false: counted only
  bool known = false;  ///< false: no category of the PyTorch profiler
};

CategoryRule rule_of(std::string_view category);

}  // namespace jissoku::timeline::importers
