#include "jissoku/core/descriptor.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <utility>

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace jissoku::core {
namespace {

bool is_open(int descriptor) {
  return ::fcntl(descriptor, F_GETFD) != -1;
}

TEST(Descriptor, ClosesWhatItOwnsOnceAndOnlyThat) {
  Descriptor first(::open("/dev/null", O_RDONLY));
  const int number = first.get();
  Descriptor second(std::move(first));
  EXPECT_TRUE(is_open(number));
  EXPECT_EQ(second.get(), number);
  second = Descriptor(::open("/dev/zero", O_RDONLY));
  EXPECT_FALSE(is_open(number));
  EXPECT_EQ(second.close(), 0);
  EXPECT_FALSE(second.is_open());
  EXPECT_EQ(second.close(), 0);
}

TEST(Descriptor, ClosingTellsWhatWentWrong) {
  Descriptor one(::open("/dev/null", O_RDONLY));
  Descriptor other(one.get());
  EXPECT_EQ(one.close(), 0);
  EXPECT_EQ(other.close(), EBADF);
}

TEST(Descriptor, WritingTellsWhatWentWrong) {
  const Descriptor full(::open("/dev/full", O_WRONLY));
  EXPECT_EQ(write_all(full.get(), "text"), ENOSPC);
  EXPECT_EQ(write_all(full.get(), ""), 0);
}

TEST(Descriptor, LinksAreFollowedToTheFile) {
  const tests::TemporaryFolder folder;
  const std::string target = std::filesystem::canonical(folder.path()).string() + "/target";
  folder.put("target", "");
  std::filesystem::create_symlink("target", folder.file("one"));
  std::filesystem::create_symlink("one", folder.file("two"));
  EXPECT_EQ(behind_links(folder.file("two")), target);
  EXPECT_EQ(behind_links(folder.file("absent")), folder.file("absent"));
}

}  // namespace
}  // namespace jissoku::core
