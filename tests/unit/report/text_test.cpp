// What holds for the text of every document, at every width.
#include "jissoku/report/text.hpp"

#include <cctype>
#include <regex>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jissoku/core/text.hpp"
#include "jissoku/report/csv.hpp"
#include "jissoku/report/markdown.hpp"
#include "support/documents.hpp"
#include "support/message_catalogue.hpp"

namespace jissoku::report {
namespace {

using namespace jissoku::tests;
using ::testing::HasSubstr;
using ::testing::Not;

std::string without_colour(const std::string& text) {
  static const std::regex kEscape("\x1b\\[[0-9;]*m");
  return std::regex_replace(text, kEscape, "");
}

void expect_within(const std::string& text, int width, const std::string& what) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    ASSERT_LE(core::display_width(line), width) << what << " at " << width << ": " << line;
    ASSERT_FALSE(!line.empty() && line.back() == ' ') << what << " at " << width << ": " << line;
  }
}

TEST(Text, IsNeverWiderThanTheTerminal) {
  const core::Catalogue catalogue = sample_catalogue();
  for (const SampleDocument& sample : sample_documents()) {
    for (int width = 20; width <= 200; ++width) {
      for (const bool utf8 : {true, false}) {
        expect_within(render_text(sample.document, catalogue, {width, utf8, false, "out/run.json"}),
                      width,
                      sample.name);
      }
    }
  }
}

TEST(Text, ColourChangesNothingButColour) {
  const core::Catalogue catalogue = sample_catalogue();
  for (const SampleDocument& sample : sample_documents()) {
    for (const int width : {40, 80, 100}) {
      EXPECT_EQ(without_colour(render_text(sample.document, catalogue, {width, true, true, ""})),
                render_text(sample.document, catalogue, {width, true, false, ""}))
          << sample.name;
    }
  }
}

TEST(Text, IsAsciiWhereUtf8CannotBeShown) {
  const core::Catalogue catalogue = sample_catalogue();
  for (const SampleDocument& sample : sample_documents()) {
    const std::string text = render_text(sample.document, catalogue, {100, false, false, ""});
    for (const char character : text) {
      ASSERT_TRUE(character == '\n' || (character >= ' ' && character <= '~')) << sample.name;
    }
  }
}

/// "nan" and "inf" as numbers, not within words.
bool shows_no_number(const std::string& text) {
  static const std::regex kNoNumber("(^|[^a-z0-9])(nan|inf|infinity)($|[^a-z0-9])", std::regex::icase);
  return std::regex_search(text, kNoNumber);
}

TEST(Reports, NeverShowNanOrInfinity) {
  const core::Catalogue catalogue = sample_catalogue();
  for (const SampleDocument& sample : sample_documents()) {
    EXPECT_FALSE(shows_no_number(render_text(sample.document, catalogue, {100, true, false, ""})))
        << sample.name;
    EXPECT_FALSE(shows_no_number(render_markdown(sample.document, catalogue))) << sample.name;
    EXPECT_FALSE(shows_no_number(render_csv(sample.document))) << sample.name;
  }
}

TEST(Reports, SurviveAnyDocument) {
  const core::Catalogue catalogue = sample_catalogue();
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    RandomDocuments random(seed);
    auto document = random.make<Document>();
    for (Row& row : document.rows) {
      row.experiment = seed % 2 == 0 ? "matmul" : "devices";
    }
    for (const int width : {40, 100}) {
      expect_within(render_text(document, catalogue, {width, seed % 3 == 0, false, "x"}), width, "random");
    }
    EXPECT_FALSE(render_markdown(document, catalogue).empty());
    EXPECT_FALSE(render_csv(document).empty());
  }
}

TEST(Text, ShowsNoNumberOfAWrongResult) {
  Document document = matmul_document();
  document.rows.resize(1);
  document.rows[0].status = RowStatus::wrong;
  document.rows[0].reason = core::message("sample.wrong");
  document.findings.clear();
  const std::string text = render_text(document, sample_catalogue(), {});
  EXPECT_THAT(text, HasSubstr("WRONG RESULT"));
  EXPECT_THAT(text, HasSubstr("element (12, 40)"));
  EXPECT_THAT(text, Not(HasSubstr(" ms")));
  EXPECT_THAT(text, Not(HasSubstr("GFLOPS")));
}

TEST(Text, PutsVerdictsFirst) {
  const std::string text = render_text(matmul_document(), sample_catalogue(), {});
  EXPECT_LT(text.find("Your CPU delivers"), text.find("OPENBLAS_CORETYPE=SkylakeX makes"));
}

TEST(Text, SaysThatPeakClockOrTimingIsWrong) {
  const TextOptions wide{200, true, false, ""};
  EXPECT_THAT(render_text(impossible_document(), sample_catalogue(), wide),
              HasSubstr("peak, clock or timing"));
  EXPECT_THAT(render_text(matmul_document(), sample_catalogue(), wide), Not(HasSubstr("clock or timing")));
}

TEST(Text, SaysThatAModelIsNone) {
  const std::string text = render_text(modelled_document(), sample_catalogue(), {});
  EXPECT_LT(text.find("cpu:blis"), text.find("MODEL: matrix product"));
  EXPECT_LT(text.find("MODEL: matrix product"), text.find("model:t4"));
}

TEST(Text, TellsHowToContinue) {
  const std::string text =
      render_text(incomplete_document(), sample_catalogue(), {100, true, false, "out/run.json"});
  EXPECT_EQ(text.rfind("This run was cut short", 0), 0U);
  EXPECT_THAT(text, HasSubstr("jissoku --resume out/run.json\n"));
  EXPECT_THAT(text, HasSubstr("matmul/f32/65536x65536x65536: needs 34.4 GB"));
}

TEST(Text, SaysANoteOnce) {
  const std::string text = render_text(run_document(), sample_catalogue(), {200, true, false, ""});
  const std::string note = "cpu:openblas: uses the kernel Haswell";
  EXPECT_NE(text.find(note), std::string::npos);
  EXPECT_EQ(text.find(note), text.rfind(note));
}

TEST(Text, SaysWhyAnEngineIsMissingOnce) {
  Document document = devices_document();
  document.header.devices[0].notes = {core::message("sample.missing")};  // as its row says too
  const std::string text = render_text(document, sample_catalogue(), {});
  EXPECT_NE(text.find("libmkl_rt.so"), std::string::npos);
  EXPECT_EQ(text.find("libmkl_rt.so"), text.rfind("libmkl_rt.so"));
}

TEST(Text, DoesNotDescribeTheMachineWhereAPlanLeftAllOut) {
  Document document = incomplete_document();
  document.rows.clear();
  const std::string text = render_text(document, sample_catalogue(), {});
  EXPECT_THAT(text, HasSubstr("Left out  matmul/f32/65536"));
  EXPECT_THAT(text, Not(HasSubstr("Caches")));
}

TEST(Text, SaysWhatItCannotShow) {
  EXPECT_THAT(render_text(hostile_document(), sample_catalogue(), {200, true, false, ""}),
              HasSubstr("1 row of experiments that this version does not know"));
}

TEST(Text, ReadsMemoryBoundProductsAgainstMemory) {
  const std::string text = render_text(thin_document(), sample_catalogue(), {});
  EXPECT_THAT(text, HasSubstr("C = 0.5 A x B^T + C, 1 x 4096 x 4096, BF16 in, FP32 accumulate, FP32 out"));
  EXPECT_THAT(text, HasSubstr("of memory"));
  EXPECT_THAT(text, HasSubstr("17.9 GB/s measured (triad, 805 MB) allow 8.95 GFLOPS"));
  EXPECT_THAT(render_text(matmul_document(), sample_catalogue(), {}), Not(HasSubstr("of memory")));
}

TEST(Text, MarksWhatTheVendorPromises) {
  const std::string text = render_text(accelerator_document(), sample_catalogue(), {});
  EXPECT_THAT(text, HasSubstr("of datasheet"));
  EXPECT_THAT(text, HasSubstr("67.0 TFLOPS promised, not measured"));
  EXPECT_THAT(text, HasSubstr("2.71 ms on the device's clock, 2.82 ms on the host's"));
}

}  // namespace
}  // namespace jissoku::report
