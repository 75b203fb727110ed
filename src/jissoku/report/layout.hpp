// Text in display cells: wrapping, padding, colour, and what replaces characters that a terminal cannot
// show.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jissoku/report/page.hpp"

namespace jissoku::report {

struct Style {
  int width = 100;  ///< display cells
  bool utf8 = true;
  bool color = false;
};

/// The text as this terminal can show it: without UTF-8 "+-" for a plus-minus sign, ">=" and the like,
/// "?" for the rest. Control characters become blanks, so that a document cannot steer the terminal.
std::string printable(std::string_view text, bool utf8);

/// Lines of at most `width` cells, broken at blanks; a longer word (a path) is broken where it must.
/// At least one line. Precondition: width >= 1.
std::vector<std::string> wrap(std::string_view text, int width);

/// `text` filled with blanks to `width` cells; longer text is left as it is.
std::string padded(std::string_view text, int width, Align align);

/// The text between escape sequences for its tone, or as it is where there is no colour.
std::string painted(std::string text, Tone tone, bool color);

/// Runs of blanks made one, none at either end.
std::string squeezed(std::string_view text);

std::string without_trailing_blanks(std::string line);

/// Wraps `text` after `first`, continuation lines indented by `indent` cells, each line painted and
/// ended.
std::string hanging(
    const std::string& first, std::string_view text, int indent, Tone tone, const Style& style);

}  // namespace jissoku::report
