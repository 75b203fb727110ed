// Whatever a document holds comes back from its text, through the whole document and through a journal.
#include <string>

#include <gtest/gtest.h>

#include "jissoku/document/parts.hpp"
#include "jissoku/document/serialise.hpp"
#include "support/documents.hpp"

namespace jissoku::tests {
namespace {

using document::Document;

constexpr std::uint32_t kDocuments = 400;

TEST(RoundTrip, ADocumentComesBackFromItsText) {
  for (std::uint32_t seed = 0; seed < kDocuments; ++seed) {
    const auto written = RandomDocuments(seed).make<Document>();
    const std::string text = document::to_json(written);
    const auto read = document::parse_document(text, "run.json");
    ASSERT_TRUE(read.ok()) << "seed " << seed << ": " << read.error().message.id;
    EXPECT_TRUE(comes_back(written, *read)) << "seed " << seed << "\n" << text;
    EXPECT_EQ(document::to_json(*read), text) << "seed " << seed;
  }
}

TEST(RoundTrip, AJournalIsTheDocumentOfItsParts) {
  for (std::uint32_t seed = 0; seed < kDocuments; ++seed) {
    const auto made = RandomDocuments(seed).make<Document>();
    Document written;
    std::string text;
    for (document::Part& part : document::parts_of(made)) {
      text += document::to_line(part);
      document::add_part(written, std::move(part));
    }
    const auto read = document::parse_journal(text, "run.json.journal");
    ASSERT_TRUE(read.ok()) << "seed " << seed << ": " << read.error().message.id;
    EXPECT_TRUE(comes_back(written, *read)) << "seed " << seed << "\n" << text;
  }
}

// The comparison the tests above rest on must be able to say no.
TEST(RoundTrip, AChangedFieldDoesNotComeBack) {
  const auto row = RandomDocuments(1).make<document::Row>();
  auto changed = row;
  changed.again += "x";
  EXPECT_FALSE(comes_back(row, changed));
  changed = row;
  changed.parameters.push_back({"x", 2.0});
  EXPECT_FALSE(comes_back(row, changed));
  auto other_type = changed;
  other_type.parameters.back().value = std::int64_t{2};
  EXPECT_FALSE(comes_back(changed, other_type));
}

}  // namespace
}  // namespace jissoku::tests
