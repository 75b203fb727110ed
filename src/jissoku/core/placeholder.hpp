// The syntax of catalogue texts: literal pieces and placeholders. Internal to core.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jissoku::core {

/// How a placeholder's value is printed; see Catalogue::render.
enum class Unit { none, plain, time, rate, bytes, gbps, percent, ratio, plural };

/// Literal text, or a placeholder where `name` is not empty.
struct Piece {
  std::string literal;
  std::string name;
  Unit unit = Unit::none;
  std::string one, many;  ///< of {name:plural:one|many}
};

struct ParsedText {
  std::vector<Piece> pieces;
  std::string fault;  ///< the part that is no valid placeholder; empty = none
};

/// Never fails: a faulty part is kept as a literal and named in `fault` (the first one).
/// "{{" and "}}" are a literal brace; a single "}" outside a placeholder stands for itself.
ParsedText parse_text(std::string_view text);

}  // namespace jissoku::core
