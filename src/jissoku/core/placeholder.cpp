#include "jissoku/core/placeholder.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace jissoku::core {
namespace {

constexpr std::array<std::pair<std::string_view, Unit>, 7> kUnits = {{
    {"plain", Unit::plain},
    {"time", Unit::time},
    {"rate", Unit::rate},
    {"bytes", Unit::bytes},
    {"gbps", Unit::gbps},
    {"percent", Unit::percent},
    {"ratio", Unit::ratio},
}};

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// `inside` is what stands between the braces.
std::optional<Piece> parse_placeholder(std::string_view inside) {
  Piece piece;
  const std::size_t colon = inside.find(':');
  piece.name = inside.substr(0, colon);
  if (!is_name(piece.name)) {
    return std::nullopt;
  }
  if (colon == std::string_view::npos) {
    return piece;
  }
  const std::string_view unit = inside.substr(colon + 1);
  constexpr std::string_view kPlural = "plural:";
  if (unit.starts_with(kPlural)) {
    const std::string_view forms = unit.substr(kPlural.size());
    const std::size_t bar = forms.find('|');
    if (bar == std::string_view::npos) {
      return std::nullopt;
    }
    piece.unit = Unit::plural;
    piece.one = forms.substr(0, bar);
    piece.many = forms.substr(bar + 1);
    return piece;
  }
  for (const auto& [name, value] : kUnits) {
    if (name == unit) {
      piece.unit = value;
      return piece;
    }
  }
  return std::nullopt;
}

}  // namespace

ParsedText parse_text(std::string_view text) {
  ParsedText out;
  std::string literal;
  const auto flush = [&] {
    if (!literal.empty()) {
      out.pieces.emplace_back().literal = std::exchange(literal, "");
    }
  };
  std::size_t position = 0;
  while (position < text.size()) {
    const char c = text[position];
    const bool doubled = (c == '{' || c == '}') && text.substr(position + 1).starts_with(c);
    if (c != '{' || doubled) {
      literal += c;
      position += doubled ? 2 : 1;
      continue;
    }
    const std::size_t end = std::min(text.find('}', position), text.size());
    const bool closed = end < text.size();
    auto piece = closed ? parse_placeholder(text.substr(position + 1, end - position - 1)) : std::nullopt;
    const std::string_view whole = text.substr(position, end - position + 1);
    position = end + 1;
    if (piece) {
      flush();
      out.pieces.push_back(std::move(*piece));
      continue;
    }
    literal += whole;
    if (out.fault.empty()) {
      out.fault = whole;
    }
  }
  flush();
  return out;
}

}  // namespace jissoku::core
