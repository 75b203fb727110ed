#include "jissoku/core/text.hpp"

#include <gtest/gtest.h>

#include "jissoku/core/hash.hpp"

namespace jissoku::core {
namespace {

constexpr const char* kJissoku = "\xE5\xAE\x9F\xE6\xB8\xAC";   // two ideographs
constexpr const char* kPlusMinus = "\xC2\xB1";                 // U+00B1
constexpr const char* kCombinedE = "e\xCC\x81";                // e, U+0301
constexpr const char* kVoicedGa = "\xE3\x81\x8B\xE3\x82\x99";  // U+304B, U+3099
constexpr const char* kHalfWidthKatakana = "\xEF\xBD\xB1";     // U+FF71
constexpr const char* kFullWidthA = "\xEF\xBC\xA1";            // U+FF21
constexpr const char* kRocket = "\xF0\x9F\x9A\x80";            // U+1F680

TEST(DisplayWidth, CountsCells) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("plain"), 5);
  EXPECT_EQ(display_width(kPlusMinus), 1);
  EXPECT_EQ(display_width(kJissoku), 4);
  EXPECT_EQ(display_width(kCombinedE), 1);
  EXPECT_EQ(display_width(kVoicedGa), 2);
  EXPECT_EQ(display_width(kHalfWidthKatakana), 1);
  EXPECT_EQ(display_width(kFullWidthA), 2);
  EXPECT_EQ(display_width(kRocket), 2);
  EXPECT_EQ(display_width("a\tb\n"), 2);
}

TEST(DisplayWidth, CountsInvalidBytesAsOneEach) {
  EXPECT_EQ(display_width("\xFF"), 1);
  EXPECT_EQ(display_width("\x80"), 1);              // a continuation without a start
  EXPECT_EQ(display_width("\xE5\xAE"), 2);          // cut short
  EXPECT_EQ(display_width("\xC0\xAF"), 2);          // overlong
  EXPECT_EQ(display_width("\xED\xA0\x80"), 3);      // a surrogate
  EXPECT_EQ(display_width("\xF4\x90\x80\x80"), 4);  // beyond U+10FFFF
  EXPECT_EQ(display_width("a\xE5z"), 3);
}

TEST(Text, BlanksAreNoneForNegativeCounts) {
  EXPECT_EQ(blanks(3), "   ");
  EXPECT_EQ(blanks(-1), "");
}

TEST(Pad, FillsUpToAWidthInCells) {
  EXPECT_EQ(pad_left("7", 3), "  7");
  EXPECT_EQ(pad_right("7", 3), "7  ");
  EXPECT_EQ(pad_right(kJissoku, 6), std::string(kJissoku) + "  ");
  EXPECT_EQ(pad_left(kJissoku, 3), kJissoku);
  EXPECT_EQ(pad_right("long", -1), "long");
}

TEST(Truncate, CutsBetweenCharacters) {
  EXPECT_EQ(truncate("abcdef", 6), "abcdef");
  EXPECT_EQ(truncate("abcdefg", 6), "abc...");
  EXPECT_EQ(truncate("abcdefg", 2), "ab");
  EXPECT_EQ(truncate("abcdefg", 0), "");
  EXPECT_EQ(truncate("abcdefg", 4, "~"), "abc~");
  EXPECT_EQ(truncate(kJissoku, 3, ""), "\xE5\xAE\x9F");
  EXPECT_EQ(truncate(std::string(kCombinedE) + "xyz", 2, "~"), std::string(kCombinedE) + "~");
}

// Vectors of the algorithm's authors (RFC 9923).
TEST(Fnv1a, GivesThePublishedValues) {
  EXPECT_EQ(fnv1a(""), 0xCBF29CE484222325U);
  EXPECT_EQ(fnv1a("a"), 0xAF63DC4C8601EC8CU);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171F73967E8U);
}

}  // namespace
}  // namespace jissoku::core
