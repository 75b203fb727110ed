#include "jissoku/report/describe.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jissoku/core/text.hpp"
#include "support/message_catalogue.hpp"

namespace jissoku::report {
namespace {

using namespace jissoku::tests;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Describe, SaysWhatARowMeasures) {
  const core::Catalogue catalogue = sample_catalogue();
  const Row row = cpu_row({100, 200, 300, "bf16", "f32", "f32"}, "onednn", "oneDNN 2.6.3", 1e6);
  const std::string text = describe(row, catalogue, 1000);
  EXPECT_THAT(text,
              HasSubstr("cpu:onednn takes for one product of a 100 x 300 and a 300 x 200 matrix of BF16"));
  EXPECT_THAT(text, Not(HasSubstr("chosen")));
  EXPECT_THAT(describe(chosen_row(row), catalogue, 1000), HasSubstr("every other round"));
}

TEST(Describe, KnowsEveryExperiment) {
  const core::Catalogue catalogue = sample_catalogue();
  EXPECT_THAT(describe(device_rows()[0], catalogue, 1000), HasSubstr("small product"));
  Row row;
  row.experiment = "roofline";
  EXPECT_THAT(describe(row, catalogue, 1000), HasSubstr("roofline, which this version does not know"));
}

TEST(Describe, StaysWithinTheWidth) {
  const core::Catalogue catalogue = sample_catalogue();
  for (int width = 40; width <= 120; ++width) {
    std::istringstream lines(describe_columns(catalogue, width) +
                             describe(matmul_document().rows[3], catalogue, width));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(core::display_width(line), width) << line;
    }
  }
}

TEST(DescribeColumns, ExplainsEveryColumn) {
  const std::string text = describe_columns(sample_catalogue(), 100);
  for (const char* title :
       {"device", "engine", "kernel", "time", "rate", "of peak", "of memory", "of datasheet", "proof"}) {
    EXPECT_THAT("\n" + text, HasSubstr("\n" + std::string(title) + "  ")) << title;
  }
}

}  // namespace
}  // namespace jissoku::report
