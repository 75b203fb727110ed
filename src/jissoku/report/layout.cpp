#include "jissoku/report/layout.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "jissoku/core/text.hpp"

namespace jissoku::report {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kAscii{{
    {"\u00b1", "+-"},
    {"\u00d7", "x"},
    {"\u2264", "<="},
    {"\u2265", ">="},
    {"\u2248", "~"},
    {"\u2192", "->"},
    {"\u2026", "..."},
    {"\u2013", "-"},
    {"\u2014", "-"},
    {"\u2212", "-"},
    {"\u00b5", "u"},
    {"\u03bc", "u"},
    {"\u00ae", "(R)"},
    {"\u2122", "(TM)"},
    {"\u2018", "'"},
    {"\u2019", "'"},
    {"\u201c", "\""},
    {"\u201d", "\""},
}};

bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// Bytes of the character that starts at `position`.
std::size_t character_bytes(std::string_view text, std::size_t position) {
  std::size_t end = position + 1;
  while (end < text.size() && continues_character(text[end])) {
    ++end;
  }
  return end - position;
}

/// Whether the character has as many bytes as its first one announces.
bool is_whole(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  const std::size_t announced = first < 0x80U   ? 1
                                : first < 0xC2U ? 0
                                : first < 0xE0U ? 2
                                : first < 0xF0U ? 3
                                : first < 0xF5U ? 4
                                                : 0;
  return character.size() == announced;
}

/// C0, DEL, and the C1 controls, which UTF-8 writes as c2 80 .. c2 9f.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (first < 0x20U || first == 0x7FU) {
    return true;
  }
  return character.size() == 2 && first == 0xC2U && static_cast<unsigned char>(character[1]) < 0xA0U;
}

std::string_view replacement(std::string_view character) {
  for (const auto& [from, to] : kAscii) {
    if (character == from) {
      return to;
    }
  }
  return "?";
}

/// As many whole characters of `text` as fit `width` cells, at least one.
std::string_view head(std::string_view text, int width) {
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t next = end + character_bytes(text, end);
    if (end > 0 && core::display_width(text.substr(0, next)) > width) {
      break;
    }
    end = next;
  }
  return text.substr(0, end);
}

/// The first part of a word that is too long for a line: up to the last slash that fits, else what fits.
std::string_view breakable_head(std::string_view word, int width) {
  const std::string_view part = head(word, width);
  const std::size_t slash = part.find_last_of('/');
  return slash == std::string_view::npos || slash == 0 ? part : part.substr(0, slash + 1);
}

class Wrapper {
 public:
  explicit Wrapper(int width) : width_(width) {}

  void add(std::string_view word) {
    const int cells = core::display_width(word);
    if (!line_.empty() && core::display_width(line_) + 1 + cells <= width_) {
      line_ += ' ';
    } else {
      flush();
      while (core::display_width(word) > width_) {
        const std::string_view part = breakable_head(word, width_);
        lines_.emplace_back(part);
        word.remove_prefix(part.size());
      }
    }
    line_ += word;
  }

  std::vector<std::string> finish() {
    flush();
    if (lines_.empty()) {
      lines_.emplace_back();
    }
    return std::move(lines_);
  }

 private:
  void flush() {
    if (!line_.empty()) {
      lines_.push_back(std::exchange(line_, {}));
    }
  }

  int width_;
  std::string line_;
  std::vector<std::string> lines_;
};

}  // namespace

std::string printable(std::string_view text, bool utf8) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t position = 0; position < text.size();) {
    const std::string_view character = text.substr(position, character_bytes(text, position));
    position += character.size();
    if (!is_whole(character)) {
      out += '?';
    } else if (is_control(character)) {
      out += ' ';
    } else if (utf8 || character.size() == 1) {
      out += character;
    } else {
      out += replacement(character);
    }
  }
  return out;
}

std::vector<std::string> wrap(std::string_view text, int width) {
  Wrapper wrapper(width);
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t space = std::min(text.find(' ', position), text.size());
    if (space > position) {
      wrapper.add(text.substr(position, space - position));
    }
    position = space + 1;
  }
  return wrapper.finish();
}

std::string padded(std::string_view text, int width, Align align) {
  return align == Align::left ? core::pad_right(text, width) : core::pad_left(text, width);
}

std::string painted(std::string text, Tone tone, bool color) {
  if (!color || tone == Tone::plain || text.empty()) {
    return text;
  }
  const std::string_view start = tone == Tone::best      ? "\x1b[1m"
                                 : tone == Tone::caution ? "\x1b[33m"
                                                         : "\x1b[31m";
  return std::string(start) + text + "\x1b[0m";
}

std::string squeezed(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    if (byte != ' ' || (!out.empty() && out.back() != ' ')) {
      out += byte;
    }
  }
  if (!out.empty() && out.back() == ' ') {
    out.pop_back();
  }
  return out;
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string hanging(
    const std::string& first, std::string_view text, int indent, Tone tone, const Style& style) {
  std::string out;
  std::string lead = first;
  for (const std::string& line : wrap(text, std::max(1, style.width - indent))) {
    out += line.empty() ? without_trailing_blanks(lead) : lead + painted(line, tone, style.color);
    out += "\n";
    lead = core::blanks(indent);
  }
  return out;
}

}  // namespace jissoku::report
