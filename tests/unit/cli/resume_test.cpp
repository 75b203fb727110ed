#include "jissoku/cli/resume.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "jissoku/cli/registration.hpp"
#include "jissoku/cli/version.hpp"
#include "jissoku/document/serialise.hpp"
#include "support/temporary_folder.hpp"

namespace jissoku::cli {
namespace {

class Resume : public testing::Test {
 protected:
  Resume() {
    document_.header.tool_version = version();
    document_.header.machine.cpu_model = "Some CPU";
    document_.header.arguments = {"matmul", "--n", "64", "--seed", "7"};
    machine_.cpu_model = "Some CPU";
  }

  core::Result<Resumed> load(std::vector<std::string> more = {}) {
    folder_.put("run.json", document::to_json(document_));
    more.insert(more.begin(), {"--resume", folder_.path()});
    return load_resumed(*parse(more, commands()), commands(), machine_);
  }
  void expect_error(const core::Result<Resumed>& result, core::ExitCode code, const std::string& id) {
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().exit_code, code);
    EXPECT_EQ(result.error().message.id, id);
  }

  tests::TemporaryFolder folder_;
  document::Document document_;
  core::Machine machine_;
};

TEST_F(Resume, TakesTheRecordedArgumentsAndThePresentOutputs) {
  const auto resumed = load({"--json", "-", "--quiet"});
  ASSERT_TRUE(resumed.ok());
  EXPECT_EQ(resumed->parsed.command->name, "matmul");
  EXPECT_EQ(resumed->parsed.get("n"), "64");
  EXPECT_EQ(resumed->parsed.get("seed"), "7");
  EXPECT_EQ(resumed->parsed.get("json"), "-");
  EXPECT_FALSE(resumed->parsed.has("resume"));
  EXPECT_EQ(resumed->path, folder_.file("run.json"));
}

TEST_F(Resume, RefusesWhatWouldContradictTheRun) {
  expect_error(load({"matmul", "--n", "128"}), core::ExitCode::usage, "cli.resume_with_flag");
  expect_error(load({"run", "--out", "elsewhere"}), core::ExitCode::usage, "cli.resume_with_flag");
  expect_error(load({"run"}), core::ExitCode::usage, "cli.resume_other_command");
  EXPECT_TRUE(load({"matmul"}).ok());
}

TEST_F(Resume, RefusesAnotherMachineVersionOrCommand) {
  machine_.cpu_model = "Other CPU";
  expect_error(load(), core::ExitCode::unreadable, "cli.resume_machine");
  machine_.cpu_model = "Some CPU";
  document_.header.arguments = {"transmute"};
  expect_error(load(), core::ExitCode::unreadable, "cli.resume_arguments");
  document_.header.tool_version = "0.0.0";
  expect_error(load(), core::ExitCode::unreadable, "cli.resume_version");
}

TEST(DocumentPath, KnowsFoldersAndJournals) {
  EXPECT_EQ(document_path("x/run.json.journal"), "x/run.json");
  EXPECT_EQ(document_path("x/run.json"), "x/run.json");
  EXPECT_EQ(document_path(testing::TempDir()),
            (std::filesystem::path(testing::TempDir()) / "run.json").string());
}

}  // namespace
}  // namespace jissoku::cli
