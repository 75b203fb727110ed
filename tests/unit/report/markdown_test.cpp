#include "jissoku/report/markdown.hpp"

#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/message_catalogue.hpp"

namespace jissoku::report {
namespace {

using namespace jissoku::tests;
using ::testing::HasSubstr;
using ::testing::Not;

/// Pipes that separate cells: those without a backslash.
long separators(const std::string& line) {
  long count = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    count += line[at] == '|' && (at == 0 || line[at - 1] != '\\') ? 1 : 0;
  }
  return count;
}

TEST(Markdown, TablesAreRectangular) {
  const core::Catalogue catalogue = sample_catalogue();
  for (const SampleDocument& sample : sample_documents()) {
    std::istringstream lines(render_markdown(sample.document, catalogue));
    long expected = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind('|', 0) != 0) {
        expected = 0;
        continue;
      }
      expected = expected == 0 ? separators(line) : expected;
      EXPECT_EQ(separators(line), expected) << sample.name << ": " << line;
    }
  }
}

TEST(Markdown, ShowsTextAsItIs) {
  const std::string text = render_markdown(hostile_document(), sample_catalogue());
  EXPECT_THAT(text, HasSubstr("cpu:odd\\|one"));
  EXPECT_THAT(text, HasSubstr("a \\| b, \\`c\\` and \\*d\\* \\<e\\>  \\[31mred"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(Markdown, GivesCommandsAsCode) {
  EXPECT_THAT(render_markdown(matmul_document(), sample_catalogue()),
              HasSubstr("- **Again**: `jissoku matmul --n 4096`\n"));
}

TEST(Markdown, FencesBackticks) {
  Document document = matmul_document();
  document.header.command = "jissoku run --filter 'a`b'";
  EXPECT_THAT(render_markdown(document, sample_catalogue()), HasSubstr("`` jissoku run --filter 'a`b' ``"));
}

TEST(Markdown, HasRoomForRemarksInATableOfNames) {
  Document document = matmul_document();
  for (Row& row : document.rows) {
    row.status = RowStatus::unsupported;
  }
  EXPECT_THAT(
      render_markdown(document, sample_catalogue()),
      HasSubstr("| device | |\n| --- | --- |\n| cpu:openblas | not usable: no reason was recorded |\n"));
}

}  // namespace
}  // namespace jissoku::report
