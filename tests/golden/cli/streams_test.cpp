// How the program behaves in the surroundings it is found in: pipes, closed streams, bare
// environments, terminals, interrupts.
#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace jissoku::tests {
namespace {

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) {
    longest = std::max(longest, line.size());
  }
  return longest;
}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

Invocation small_matmul(std::vector<std::string> more = {}) {
  Invocation invocation;
  invocation.program = JISSOKU_BINARY;
  invocation.arguments = {"matmul", "--n", "64", "--device", "cpu", "--budget", "6"};
  invocation.arguments.insert(invocation.arguments.end(), more.begin(), more.end());
  return invocation;
}

TEST(Information, GoesToStandardOutputAndEndsWell) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"-h"},
                                                    {"help"},
                                                    {"help", "matmul"},
                                                    {"matmul", "--help"},
                                                    {"--version"},
                                                    {"--man"},
                                                    {"--completions", "bash"},
                                                    {"--completions=zsh"},
                                                    {"--completions=fish"}}) {
    const Outcome outcome = run_program(JISSOKU_BINARY, arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments.front();
    EXPECT_NE(outcome.standard_output, "");
    EXPECT_EQ(outcome.standard_error, "");
    EXPECT_TRUE(is_ascii(outcome.standard_output));
  }
}

TEST(StandardOutputStream, AReaderWhoLeavesEndsTheProgramWell) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--man"}, {"devices"}}) {
    Invocation invocation;
    invocation.program = JISSOKU_BINARY;
    invocation.arguments = arguments;
    invocation.standard_output = StandardOutput::reader_gone;
    const Outcome outcome = run_program(invocation);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.standard_error, "");
  }
}

TEST(StandardOutputStream, ClosedOrFullIsOneLineAndExitCode5) {
  for (const StandardOutput target : {StandardOutput::closed, StandardOutput::full_disk}) {
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"}, {"devices"}}) {
      Invocation invocation;
      invocation.program = JISSOKU_BINARY;
      invocation.arguments = arguments;
      invocation.standard_output = target;
      const Outcome outcome = run_program(invocation);
      EXPECT_EQ(outcome.exit_code, 5);
      EXPECT_EQ(std::count(outcome.standard_error.begin(), outcome.standard_error.end(), '\n'), 1)
          << outcome.standard_error;
    }
  }
}

TEST(StandardOutputStream, AFileIsNeverOpenedInPlaceOfAClosedOne) {
  const TemporaryFolder folder;
  Invocation invocation = small_matmul({"--json", folder.file("x.json")});
  invocation.standard_output = StandardOutput::closed;
  EXPECT_EQ(run_program(invocation).exit_code, 5);
  EXPECT_FALSE(std::filesystem::exists(folder.file("x.json"))) << "seen before anything is measured";
}

TEST(Environment, ABareOneIsEnough) {
  Invocation invocation;
  invocation.program = JISSOKU_BINARY;
  invocation.environment = {};
  invocation.arguments = {"devices"};
  const Outcome outcome = run_program(invocation);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.standard_error;
  EXPECT_TRUE(is_ascii(outcome.standard_output)) << "without a locale only ASCII is safe";
  EXPECT_EQ(outcome.standard_output.find('\x1b'), std::string::npos);
}

TEST(Environment, ANarrowTerminalIsRespected) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"}, {"devices"}}) {
    Invocation invocation;
    invocation.program = JISSOKU_BINARY;
    invocation.environment = {"COLUMNS=40"};
    invocation.arguments = arguments;
    const Outcome outcome = run_program(invocation);
    EXPECT_EQ(outcome.exit_code, 0);
    // Example lines are to be copied and stay whole.
    const std::size_t most = arguments.front() == "--help" ? 52 : 40;
    EXPECT_LE(longest_line(outcome.standard_output), most) << outcome.standard_output;
  }
}

TEST(Environment, ColourFollowsFlagAndVariables) {
  const auto coloured = [](std::vector<std::string> environment, std::vector<std::string> more) {
    Invocation invocation = small_matmul(std::move(more));
    invocation.environment = std::move(environment);
    const Outcome outcome = run_program(invocation);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.standard_error;
    return outcome.standard_output.find('\x1b') != std::string::npos;
  };
  EXPECT_FALSE(coloured({"TERM=xterm"}, {})) << "standard output is a pipe";
  EXPECT_FALSE(coloured({"CLICOLOR_FORCE=1", "NO_COLOR=1"}, {}));
  EXPECT_FALSE(coloured({"CLICOLOR_FORCE=1"}, {"--color=never"}));
}

TEST(Progress, OnlyOnATerminalThatOverwrites) {
  if (!has_pseudo_terminals()) {
    GTEST_SKIP() << "no pseudo-terminals here (/dev/ptmx)";
  }
  const auto standard_error = [](std::vector<std::string> environment, std::vector<std::string> more) {
    Invocation invocation = small_matmul(std::move(more));
    invocation.environment = std::move(environment);
    invocation.terminal_on_stderr = true;
    return run_program(invocation).standard_error;
  };
  EXPECT_NE(standard_error({"TERM=xterm"}, {}).find("\r\x1b[K"), std::string::npos);
  EXPECT_EQ(standard_error({"TERM=dumb"}, {}).find('\x1b'), std::string::npos);
  EXPECT_EQ(standard_error({"TERM=xterm"}, {"--quiet"}), "");
  EXPECT_EQ(run_program(small_matmul()).standard_error.find('\r'), std::string::npos);
}

TEST(Formats, JsonAloneIsOnStandardOutput) {
  const Outcome outcome = run_program(small_matmul({"--json", "-"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.standard_error;
  const auto document = nlohmann::json::parse(outcome.standard_output);
  EXPECT_EQ(document.at("header").at("arguments").at(0), "matmul");
  EXPECT_FALSE(document.at("rows").empty());
}

TEST(Formats, FilesStandBesideTheText) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program(small_matmul({"--out",
                                                    folder.file("new/out"),
                                                    "--json",
                                                    folder.file("a.json"),
                                                    "--csv",
                                                    folder.file("a.csv"),
                                                    "--markdown",
                                                    folder.file("a.md")}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.standard_error;
  EXPECT_NE(outcome.standard_output, "");
  EXPECT_EQ(folder.read("a.json"), folder.read("new/out/run.json"));
  EXPECT_NE(folder.read("a.csv"), "");
  EXPECT_NE(folder.read("a.md"), "");
  EXPECT_FALSE(std::filesystem::exists(folder.file("new/out/run.json.journal")));

  const Outcome again = run_program(JISSOKU_BINARY, {"report", folder.file("new/out"), "--json", "-"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(again.standard_output, folder.read("a.json"));
}

TEST(Interrupt, SavesWhatWasMeasuredAndResumeContinues) {
  if (!has_pseudo_terminals()) {
    GTEST_SKIP() << "no pseudo-terminals here (/dev/ptmx)";
  }
  const TemporaryFolder folder;
  Invocation invocation;
  invocation.program = JISSOKU_BINARY;
  invocation.arguments = {
      "matmul", "--n", "64,96,128", "--device", "cpu", "--budget", "30", "--out", folder.path()};
  invocation.environment = {"TERM=xterm"};
  invocation.terminal_on_stderr = true;
  bool sent = false;
  // The progress line of the second size says that the first has its rows.
  invocation.on_stderr = [&](const std::string& text, pid_t process) {
    if (!sent && text.find("96") != std::string::npos) {
      kill(process, SIGINT);
      sent = true;
    }
  };
  const Outcome outcome = run_program(invocation);
  ASSERT_TRUE(sent) << outcome.standard_error;
  EXPECT_EQ(outcome.exit_code, 130) << outcome.standard_error;
  const auto document = nlohmann::json::parse(folder.read("run.json"));
  EXPECT_FALSE(document.at("complete").get<bool>());
  EXPECT_FALSE(document.at("rows").empty());

  const Outcome resumed = run_program(JISSOKU_BINARY, {"--resume", folder.path()});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.standard_error;
  const auto whole = nlohmann::json::parse(folder.read("run.json"));
  EXPECT_TRUE(whole.at("complete").get<bool>());
  EXPECT_GT(whole.at("rows").size(), document.at("rows").size());
  EXPECT_EQ(whole.at("rows").at(0), document.at("rows").at(0)) << "what was measured is kept";
}

TEST(Filter, ThatMatchesNothingIsAUsageError) {
  const Outcome outcome = run_program(small_matmul({"--filter", "no such case"}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.standard_error.find("no such case"), std::string::npos);
}

TEST(Budget, AnswersWithoutANumberAreErrors) {
  const Outcome outcome = run_program(JISSOKU_BINARY, {"matmul", "--n", "64", "--budget", "0.001"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.standard_error.find("--budget"), std::string::npos) << outcome.standard_error;
  EXPECT_NE(outcome.standard_output.find("Left out"), std::string::npos) << outcome.standard_output;
}

}  // namespace
}  // namespace jissoku::tests
