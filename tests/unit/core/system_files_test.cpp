#include "jissoku/core/system_files.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "support/fake_root.hpp"

namespace jissoku::core {
namespace {

using Cpus = std::vector<int>;

TEST(CpuList, ReadsTheKernelsForm) {
  EXPECT_EQ(parse_cpu_list("0"), (Cpus{0}));
  EXPECT_EQ(parse_cpu_list("0-2,8"), (Cpus{0, 1, 2, 8}));
  EXPECT_EQ(parse_cpu_list("0-1,4-5"), (Cpus{0, 1, 4, 5}));
  EXPECT_EQ(parse_cpu_list(""), Cpus{});
}

TEST(CpuList, LeavesOutWhatIsDamaged) {
  EXPECT_EQ(parse_cpu_list("x,3,5-,-4,2-1,9"), (Cpus{3, 9}));
  EXPECT_EQ(parse_cpu_list("0-99999999999999999999"), Cpus{});
}

TEST(LeadingInteger, StopsAtTheFirstOtherCharacter) {
  EXPECT_EQ(leading_integer("24683584 kB"), 24683584);
  EXPECT_EQ(leading_integer("-1"), -1);
  EXPECT_EQ(leading_integer("max"), std::nullopt);
  EXPECT_EQ(leading_integer(""), std::nullopt);
  EXPECT_EQ(leading_integer("99999999999999999999"), std::numeric_limits<std::int64_t>::max());
}

TEST(SystemFiles, ReadsBelowTheRoot) {
  const tests::FakeRoot root;
  root.write("/proc/a", "one two \n\n");
  root.write("/proc/empty", "");
  const SystemFiles files(root.path());
  EXPECT_EQ(files.read("/proc/a"), "one two");
  EXPECT_EQ(files.read("/proc/empty"), "");
  EXPECT_EQ(files.read("/proc/missing"), std::nullopt);
  EXPECT_EQ(files.read("/proc"), std::nullopt);  // a folder
}

TEST(SystemFiles, ReadsFilesOfAnyLength) {
  const tests::FakeRoot root;
  const std::string text(10000, 'x');
  root.write("/long", text + "\n");
  EXPECT_EQ(SystemFiles(root.path()).read("/long"), text);
}

TEST(SystemFiles, FindsFieldsByTheirWholeKey) {
  const tests::FakeRoot root;
  root.write("/proc/cpuinfo",
             "cpu family\t: 6\nmodel name\t: Some CPU: fast\nmodel\t\t: 167\nmodel\t\t: 9\n");
  root.write("/stat", "total_inactive_file 9\ninactive_file 123\n");
  const SystemFiles files(root.path());
  EXPECT_EQ(files.field("/proc/cpuinfo", "model"), "167");
  EXPECT_EQ(files.field("/proc/cpuinfo", "model name"), "Some CPU: fast");
  EXPECT_EQ(files.field("/proc/cpuinfo", "stepping"), std::nullopt);
  EXPECT_EQ(files.field("/stat", "inactive_file"), "123");
}

}  // namespace
}  // namespace jissoku::core
