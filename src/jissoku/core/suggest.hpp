// "Did you mean": the known word nearest to a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace jissoku::core {

/// The entry of `known` that is the fewest edits (insert, delete, replace, swap neighbours) from `text`, the
/// first of equals; "" where none is near, that is within a third of the longer word's letters and at
/// least 1. Dashes in front count as nothing: "--" in common makes no two flags alike.
std::string nearest(std::string_view text, std::span<const std::string> known);

}  // namespace jissoku::core
