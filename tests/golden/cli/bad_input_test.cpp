// Every bad command line ends with its exit code and one line that names the input.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace jissoku::tests {
namespace {

struct Case {
  std::vector<std::string> arguments;
  int exit_code;
  std::string named;  ///< must be in the line
};

/// GoogleTest's name.
void PrintTo(const Case& bad, std::ostream* out) {  // NOLINT(readability-identifier-naming)
  for (const std::string& argument : bad.arguments) {
    *out << argument << ' ';
  }
}

class BadInput : public testing::TestWithParam<Case> {};

TEST_P(BadInput, EndsWithItsExitCodeAndOneLine) {
  const Outcome outcome = run_program(JISSOKU_BINARY, GetParam().arguments);
  EXPECT_EQ(outcome.exit_code, GetParam().exit_code);
  EXPECT_EQ(outcome.standard_output, "");
  EXPECT_EQ(std::count(outcome.standard_error.begin(), outcome.standard_error.end(), '\n'), 1)
      << outcome.standard_error;
  EXPECT_EQ(outcome.standard_error.rfind("jissoku: ", 0), 0u) << outcome.standard_error;
  EXPECT_NE(outcome.standard_error.find(GetParam().named), std::string::npos) << outcome.standard_error;
}

INSTANTIATE_TEST_SUITE_P(CommandLine,
                         BadInput,
                         testing::Values(Case{{}, 2, "jissoku --help"},
                                         Case{{"matmlu"}, 2, "did you mean `matmul`"},
                                         Case{{"frobnicate"}, 2, "frobnicate"},
                                         Case{{"two\nlines"}, 2, "two\\nlines"},
                                         Case{{"help", "matmlu"}, 2, "did you mean `matmul`"},
                                         Case{{"matmul", "--devise", "cpu"}, 2, "did you mean `--device`"},
                                         Case{{"matmul", "--zzzzzzzzzz"}, 2, "--zzzzzzzzzz"},
                                         Case{{"matmul", "--n"}, 2, "--n LIST"},
                                         Case{{"matmul", "--quiet=1"}, 2, "--quiet"},
                                         Case{{"matmul", "4096"}, 2, "4096"},
                                         Case{{"devices", "--n", "4096"}, 2, "matmul"},
                                         Case{{"report"}, 2, "RUN"},
                                         Case{{"--n", "64"}, 2, "--n"},
                                         Case{{"matmul", "--lang", "xx"}, 2, "xx"},
                                         Case{{"matmul", "--json", "-", "--csv", "-"}, 2, "--csv"}));

INSTANTIATE_TEST_SUITE_P(
    Values,
    BadInput,
    testing::Values(Case{{"matmul", "--n", "0"}, 2, "--n"},
                    Case{{"matmul", "--n", "-1"}, 2, "-1"},
                    Case{{"matmul", "--n", "1e99"}, 2, "1e99"},
                    Case{{"matmul", "--n", "99999999999"}, 2, "99999999999"},
                    Case{{"matmul", "--n", "4096x"}, 2, "4096x"},
                    Case{{"matmul", "--shape", "3x3"}, 2, "3x3"},
                    Case{{"matmul", "--dtype", "f33"}, 2, "f33"},
                    Case{{"matmul", "--data", "noise"}, 2, "noise"},
                    Case{{"matmul", "--transpose", "xy"}, 2, "xy"},
                    Case{{"matmul", "--alpha", "0"}, 2, "--alpha"},
                    Case{{"matmul", "--beta", "nan"}, 2, "nan"},
                    Case{{"matmul", "--alpha", "1e38"}, 2, "1e38"},
                    Case{{"matmul", "--alpha", "1e-60"}, 2, "1e-60"},
                    Case{{"matmul", "--beta", "1e200"}, 2, "1e200"},
                    Case{{"matmul", "--filter", "["}, 2, "["},
                    Case{{"matmul", "--budget", "0"}, 2, "--budget"},
                    Case{{"matmul", "--budget", "-1"}, 2, "-1"},
                    Case{{"matmul", "--budget", "nan"}, 2, "nan"},
                    Case{{"matmul", "--threads", "0"}, 2, "--threads"},
                    Case{{"matmul", "--threads", "99999"}, 2, "99999"},
                    Case{{"matmul", "--seed", "text"}, 2, "text"},
                    // 2^24 squared FP32 elements, three times: more than any machine has.
                    Case{{"matmul", "--n", "16777216", "--device", "cpu"}, 2, "16"}));

INSTANTIATE_TEST_SUITE_P(
    DevicesAndFiles,
    BadInput,
    testing::Values(Case{{"matmul", "--device", "gpu"}, 2, "gpu"},
                    Case{{"matmul", "--device", "cuda:0"}, 3, "cuda"},
                    Case{{"matmul", "--device", "cpu:nosuch", "--n", "64"}, 3, "nosuch"},
                    Case{{"matmul", "--n", "64", "--out", "/proc/nowhere"}, 5, "/proc/nowhere"},
                    Case{{"matmul", "--n", "64", "--out", "/dev/null"}, 5, "/dev/null"},
                    Case{{"matmul", "--n", "64", "--json", "/no/such/folder/x.json"}, 5, "/no/such/folder"},
                    Case{{"matmul", "--n", "64", "--csv", "/tmp"}, 5, "/tmp"},
                    Case{{"report", "/no/such/run.json"}, 4, "/no/such/run.json"},
                    Case{{"matmul", "--resume", "/no/such/run.json"}, 4, "/no/such/run.json"},
                    Case{{"--resume", "/no/such/run.json"}, 4, "/no/such/run.json"},
                    Case{{"matmul", "--resume", "x", "--n", "64"}, 2, "--n"}));

TEST(DamagedDocument, IsUnreadable) {
  const TemporaryFolder folder;
  const std::vector<std::string> documents = {
      "", "{", "[]", "{\"a\": 1}", "not JSON", "{\"schema_major\": 99}"};
  for (const std::string& text : documents) {
    const std::string path = folder.put("run.json", text);
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"report", path},
                                                      {"matmul", "--resume", path},
                                                      {"--resume", folder.path()}}) {
      const Outcome outcome = run_program(JISSOKU_BINARY, arguments);
      EXPECT_EQ(outcome.exit_code, 4) << text;
      EXPECT_EQ(outcome.standard_output, "");
      EXPECT_EQ(std::count(outcome.standard_error.begin(), outcome.standard_error.end(), '\n'), 1)
          << outcome.standard_error;
      EXPECT_EQ(folder.read("run.json"), text) << "a document is not touched";
    }
  }
}

TEST(UnreachableDocument, IsUnreadable) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("loop", folder.file("loop"));
  const std::string long_name(5000, 'x');
  for (const std::string& path : {folder.file("loop"), folder.file("loop/run.json"), long_name}) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"report", path}, {"matmul", "--resume", path}, {"--resume", path}}) {
      const Outcome outcome = run_program(JISSOKU_BINARY, arguments);
      EXPECT_EQ(outcome.exit_code, 4) << outcome.standard_error;
    }
  }
}

}  // namespace
}  // namespace jissoku::tests
