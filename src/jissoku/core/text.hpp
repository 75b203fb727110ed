// UTF-8 text in terminal cells: columns align by what is seen, not by bytes.
#pragma once

#include <string>
#include <string_view>

namespace jissoku::core {

/// Cells that a terminal needs: East Asian wide characters and emoji 2, combining marks and control
/// characters 0, a byte that is no valid UTF-8 1, all others 1. Locale-independent.
int display_width(std::string_view text);

/// None if `count` is negative.
std::string blanks(int count);

/// Blanks are added in front (pad_left) or behind up to `width` cells; longer text stays as it is.
std::string pad_left(std::string_view text, int width);
std::string pad_right(std::string_view text, int width);

/// At most `width` cells, cut between characters; where something is cut, the end is `ellipsis` (left
/// out if there is no room for it).
std::string truncate(std::string_view text, int width, std::string_view ellipsis = "...");

}  // namespace jissoku::core
