#include "jissoku/core/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace jissoku::core {
namespace {

struct Range {
  std::uint32_t first, last;
};

/// East_Asian_Width W and F of Unicode 14; small gaps in blocks of ideographs and emoji are taken as wide.
constexpr std::array<Range, 63> kWide = {{
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},   {0x23F0, 0x23F0},
    {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x267F, 0x267F},
    {0x2693, 0x2693},   {0x26A1, 0x26A1},   {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},
    {0x26CE, 0x26CE},   {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},
    {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27B0, 0x27B0},   {0x27BF, 0x27BF},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},
    {0x2E80, 0x303E},   {0x3041, 0x3247},   {0x3250, 0x4DBF},   {0x4E00, 0xA4CF},   {0xA960, 0xA97C},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},
    {0xFFE0, 0xFFE6},   {0x16FE0, 0x1B2FB}, {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E},
    {0x1F191, 0x1F19A}, {0x1F200, 0x1F320}, {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393},
    {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3F0}, {0x1F3F8, 0x1F43E}, {0x1F442, 0x1F53D}, {0x1F54B, 0x1F567},
    {0x1F5FB, 0x1F6D7}, {0x1F90C, 0x1FAFF}, {0x20000, 0x3FFFD},
}};

/// Marks that combine with the character before, joiners and variation selectors: those of Latin, Greek,
/// Cyrillic, Hebrew, Arabic, Devanagari, Thai and Japanese text, and of emoji.
constexpr std::array<Range, 31> kCombining = {{
    {0x0300, 0x036F},   {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x05BF, 0x05BF}, {0x05C1, 0x05C2},
    {0x05C4, 0x05C5},   {0x05C7, 0x05C7}, {0x0610, 0x061A}, {0x064B, 0x065F}, {0x0670, 0x0670},
    {0x06D6, 0x06DC},   {0x06DF, 0x06E4}, {0x06E7, 0x06E8}, {0x06EA, 0x06ED}, {0x0900, 0x0902},
    {0x093A, 0x093A},   {0x093C, 0x093C}, {0x0941, 0x0948}, {0x094D, 0x094D}, {0x0E31, 0x0E31},
    {0x0E34, 0x0E3A},   {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F},
    {0x20D0, 0x20F0},   {0x302A, 0x302D}, {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
    {0xE0100, 0xE01EF},
}};

template <std::size_t kCount>
bool contains(const std::array<Range, kCount>& ranges, std::uint32_t code_point) {
  const auto found =
      std::lower_bound(ranges.begin(), ranges.end(), code_point, [](const Range& range, std::uint32_t value) {
        return range.last < value;
      });
  return found != ranges.end() && found->first <= code_point;
}

struct Character {
  std::size_t bytes = 1;
  int cells = 1;
};

int cells_of(std::uint32_t code_point) {
  const bool control = code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
  if (control || contains(kCombining, code_point)) {
    return 0;
  }
  return contains(kWide, code_point) ? 2 : 1;
}

/// The character `text` starts with. Precondition: not empty.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};  // by bytes; less is overlong
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) {
    return {1, cells_of(lead)};
  }
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC0 || lead >= 0xF8 || text.size() < bytes) {
    return {};
  }
  std::uint32_t code_point = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) {
      return {};
    }
    code_point = (code_point << 6U) | (byte(i) & 0x3FU);
  }
  const bool surrogate = code_point >= 0xD800 && code_point < 0xE000;
  if (code_point < kLeast[bytes] || code_point > 0x10FFFF || surrogate) {
    return {};
  }
  return {bytes, cells_of(code_point)};
}

/// The longest start of `text` that fits `width` cells, marks of its last character included.
std::string_view prefix(std::string_view text, int width) {
  std::size_t position = 0;
  int cells = 0;
  while (position < text.size()) {
    const Character next = first_character(text.substr(position));
    if (cells + next.cells > width) {
      break;
    }
    cells += next.cells;
    position += next.bytes;
  }
  return text.substr(0, position);
}

}  // namespace

int display_width(std::string_view text) {
  int cells = 0;
  while (!text.empty()) {
    const Character next = first_character(text);
    cells += next.cells;
    text.remove_prefix(next.bytes);
  }
  return cells;
}

std::string blanks(int count) {
  return std::string(static_cast<std::size_t>(std::max(0, count)), ' ');
}

std::string pad_left(std::string_view text, int width) {
  return blanks(width - display_width(text)) + std::string(text);
}

std::string pad_right(std::string_view text, int width) {
  return std::string(text) + blanks(width - display_width(text));
}

std::string truncate(std::string_view text, int width, std::string_view ellipsis) {
  if (display_width(text) <= width) {
    return std::string(text);
  }
  const int room = width - display_width(ellipsis);
  if (room < 0) {
    return std::string(prefix(text, width));
  }
  return std::string(prefix(text, room)) + std::string(ellipsis);
}

}  // namespace jissoku::core
