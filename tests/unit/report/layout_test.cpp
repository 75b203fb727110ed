#include "jissoku/report/layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jissoku::report {
namespace {

using ::testing::ElementsAre;

TEST(Printable, KeepsUtf8WhereItCanBeShown) {
  EXPECT_EQ(printable("\u00b10.8 % \u2192 \u65e5", true), "\u00b10.8 % \u2192 \u65e5");
}

TEST(Printable, FallsBackToAscii) {
  EXPECT_EQ(printable("\u00b10.8 % \u2265 \u2192 Intel\u00ae \u65e5", false), "+-0.8 % >= -> Intel(R) ?");
}

TEST(Printable, DisarmsControlCharacters) {
  EXPECT_EQ(printable("a\x1b[31mb\n\tc\x7f", true), "a [31mb  c ");
  EXPECT_EQ(printable("a\u009bb", true), "a b");  // the C1 form of ESC [
}

TEST(Printable, ShowsThatABrokenCharacterIsThere) {
  for (const bool utf8 : {true, false}) {
    EXPECT_EQ(printable("a\xe6", utf8), "a?");
    EXPECT_EQ(printable("\xe6\x97!", utf8), "?!");
    EXPECT_EQ(printable("\x80", utf8), "?");
    EXPECT_EQ(printable("\xff", utf8), "?");
  }
}

TEST(Wrap, BreaksAtBlanks) {
  EXPECT_THAT(wrap("one two three four", 9), ElementsAre("one two", "three", "four"));
  EXPECT_THAT(wrap("exactly nine", 12), ElementsAre("exactly nine"));
  EXPECT_THAT(wrap("  many   blanks  ", 20), ElementsAre("many blanks"));
}

TEST(Wrap, GivesOneLineForNothing) {
  EXPECT_THAT(wrap("", 10), ElementsAre(""));
}

TEST(Wrap, CountsCellsNotBytes) {
  EXPECT_THAT(wrap("\u65e5\u672c \u8a9e", 5), ElementsAre("\u65e5\u672c", "\u8a9e"));
  EXPECT_THAT(wrap("\u00b1\u00b1 \u00b1\u00b1", 5), ElementsAre("\u00b1\u00b1 \u00b1\u00b1"));
}

TEST(Wrap, BreaksLongWordsWithinTheWidth) {
  EXPECT_THAT(wrap("abcdefgh", 3), ElementsAre("abc", "def", "gh"));
  EXPECT_THAT(wrap("x \u65e5\u672c\u8a9e", 5), ElementsAre("x", "\u65e5\u672c", "\u8a9e"));
}

TEST(Wrap, BreaksPathsAfterSlashes) {
  EXPECT_THAT(wrap("/usr/lib/libdnnl.so", 12), ElementsAre("/usr/lib/", "libdnnl.so"));
}

TEST(Padded, FillsToCells) {
  EXPECT_EQ(padded("\u00b12", 4, Align::right), "  \u00b12");
  EXPECT_EQ(padded("\u65e5", 4, Align::left), "\u65e5  ");
  EXPECT_EQ(padded("longer", 3, Align::left), "longer");
}

TEST(Painted, ColoursOnlyWhatMatters) {
  EXPECT_EQ(painted("x", Tone::failure, true), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(painted("x", Tone::caution, true), "\x1b[33mx\x1b[0m");
  EXPECT_EQ(painted("x", Tone::best, true), "\x1b[1mx\x1b[0m");
  EXPECT_EQ(painted("x", Tone::plain, true), "x");
  EXPECT_EQ(painted("x", Tone::failure, false), "x");
}

TEST(Squeezed, LeavesSingleBlanks) {
  EXPECT_EQ(squeezed("  a   b "), "a b");
}

TEST(Hanging, IndentsContinuationLines) {
  EXPECT_EQ(hanging("  Peak  ", "one two three", 8, Tone::plain, {16, true, false}),
            "  Peak  one two\n        three\n");
}

}  // namespace
}  // namespace jissoku::report
