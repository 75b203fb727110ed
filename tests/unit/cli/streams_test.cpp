#include "jissoku/cli/streams.hpp"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace jissoku::cli {
namespace {

class Files : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.file(name); }
  static std::string content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

  tests::TemporaryFolder folder_;
};

TEST_F(Files, ACheckLeavesThingsAsTheyAre) {
  put(path("there"), "old");
  EXPECT_TRUE(check_writable(path("there")).ok());
  EXPECT_EQ(content(path("there")), "old");
  EXPECT_TRUE(check_writable(path("new")).ok());
  EXPECT_FALSE(std::filesystem::exists(path("new")));
}

TEST_F(Files, ACheckSeesFoldersAndMissingFolders) {
  const auto folder = check_writable(folder_.path());
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().exit_code, core::ExitCode::unwritable);
  EXPECT_FALSE(check_writable(path("no/such/file")).ok());
}

TEST_F(Files, WritingReplacesWholeAndLeavesNothingElse) {
  put(path("file"), "a much longer old content");
  ASSERT_TRUE(write_file(path("file"), "new").ok());
  EXPECT_EQ(content(path("file")), "new");
  const auto entries = std::distance(std::filesystem::directory_iterator(folder_.path()), {});
  EXPECT_EQ(entries, 1);
}

TEST_F(Files, WritingGoesThroughASymbolicLink) {
  put(path("file"), "old");
  std::filesystem::create_symlink(path("file"), path("link"));
  ASSERT_TRUE(write_file(path("link"), "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(content(path("file")), "new");
}

TEST_F(Files, AFullDeviceIsAnError) {
  const auto status = write_file("/dev/full", "text");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().exit_code, core::ExitCode::unwritable);
}

TEST_F(Files, AnErrorNamesTheFileThatWasAskedFor) {
  // A name that is free but too long once it is a temporary file's.
  const std::string name = path(std::string(252, 'x'));
  const auto status = write_file(name, "text");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(std::get<std::string>(status.error().message.args.front().value), name);
}

TEST_F(Files, ANewFileHasTheUsualPermissions) {
  const mode_t before = umask(022);
  ASSERT_TRUE(write_file(path("file"), "x").ok());
  umask(before);
  struct stat status {};
  ASSERT_EQ(stat(path("file").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u);
}

TEST(OutputStream, AReaderWhoLeavesIsNoError) {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Output out(ends[1]);
  EXPECT_TRUE(out.write("first\n").ok());
  close(ends[0]);
  EXPECT_TRUE(out.write("second\n").ok());
  EXPECT_TRUE(out.write("third\n").ok());
  close(ends[1]);
}

TEST(OutputStream, FullAndClosedAreErrors) {
  const int full = open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  EXPECT_TRUE(Output(full).check().ok());
  EXPECT_FALSE(Output(full).write("x").ok());
  close(full);
  EXPECT_FALSE(Output(full).check().ok());
  const int read_only = open("/dev/null", O_RDONLY);
  EXPECT_FALSE(Output(read_only).check().ok());
  EXPECT_FALSE(Output(read_only).write("x").ok());
  close(read_only);
}

TEST(OneLine, ShowsControlCharacters) {
  EXPECT_EQ(one_line("a\nb\x1b[0m\x7f"), "a\\nb\\x1b[0m\\x7f");
  EXPECT_EQ(one_line("caf\xc3\xa9"), "caf\xc3\xa9");
}

}  // namespace
}  // namespace jissoku::cli
