// --describe says what is measured and how to read it, on every command, and measures nothing.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "jissoku/document/serialise.hpp"
#include "support/program.hpp"
#include "support/sample_documents.hpp"

namespace jissoku::tests {
namespace {

TEST(Describe, EveryMeasuringCommandSaysWhatItWouldDo) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"run", "--describe"},
                                                    {"devices", "--describe"},
                                                    {"profile", "mlp", "--describe"},
                                                    {"matmul", "--describe", "--shape", "3x5x7"}}) {
    const Outcome outcome = run_program(JISSOKU_BINARY, arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments.front();
    EXPECT_GT(outcome.standard_output.size(), 100u) << arguments.front();
    EXPECT_EQ(outcome.standard_error, "");
  }
  const Outcome outcome = run_program(JISSOKU_BINARY, {"matmul", "--describe", "--shape", "3x5x7"});
  EXPECT_NE(outcome.standard_output.find("3 x 5 x 7"), std::string::npos);
  EXPECT_NE(outcome.standard_output.find("of peak"), std::string::npos) << "the columns are explained";
}

TEST(Formats, TheCpuMultipliesEachOfThemProved) {
  for (const std::string type : {"tf32", "f16", "bf16", "e4m3", "e5m2", "e3m2", "e2m3", "e2m1", "i8"}) {
    const Outcome outcome = run_program(JISSOKU_BINARY,
                                        {"matmul",
                                         "--shape",
                                         "9x13x21",
                                         "--dtype",
                                         type,
                                         "--device",
                                         "cpu:jissoku",
                                         "--budget",
                                         "1",
                                         "--json",
                                         "-",
                                         "--quiet"});
    ASSERT_EQ(outcome.exit_code, 0) << type << outcome.standard_error;
    const auto document = document::parse_document(outcome.standard_output, type);
    ASSERT_TRUE(document.ok());
    ASSERT_FALSE(document->rows.empty());
    EXPECT_TRUE(document->rows.front().verification.passed) << type;
    EXPECT_TRUE(document->rows.front().timed_verification.passed) << type;
  }
}

TEST(Describe, ASavedRunIsDescribedRowByRow) {
  const auto path = std::filesystem::path(testing::TempDir()) / "describe.json";
  const document::Document document = run_document();
  std::ofstream(path) << document::to_json(document);
  const Outcome outcome = run_program(JISSOKU_BINARY, {"report", path.string(), "--describe"});
  std::filesystem::remove(path);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.standard_error;
  std::string unwrapped = outcome.standard_output;
  std::replace(unwrapped.begin(), unwrapped.end(), '\n', ' ');
  for (const document::Row& row : document.rows) {
    EXPECT_NE(unwrapped.find(row.id), std::string::npos) << row.id;
  }
}

}  // namespace
}  // namespace jissoku::tests
