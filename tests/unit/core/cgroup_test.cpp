#include "jissoku/core/cgroup.hpp"

#include <gtest/gtest.h>

#include "support/fake_root.hpp"

namespace jissoku::core {
namespace {

constexpr std::int64_t kGib = std::int64_t{1} << 30;

class Cgroup : public testing::Test {
 protected:
  /// One line of /proc/self/mountinfo.
  static std::string mount(const std::string& root,
                           const std::string& point,
                           const std::string& type,
                           const std::string& options) {
    return "31 23 0:28 " + root + " " + point + " rw,relatime shared:5 - " + type + " cgroup " + options +
           "\n";
  }
  void unified(const std::string& group, const std::string& mount_root = "/") {
    root_.write("/proc/self/cgroup", "0::" + group + "\n");
    root_.write(
        "/proc/self/mountinfo",
        "23 1 0:1 / / rw - ext4 /dev/vda rw\n" + mount(mount_root, "/sys/fs/cgroup", "cgroup2", "rw"));
  }
  CgroupLimits limits() const { return read_cgroup_limits(SystemFiles(root_.path())); }

  tests::FakeRoot root_;
};

TEST_F(Cgroup, NothingReadableIsNoLimit) {
  EXPECT_EQ(limits().cpus, 0);
  EXPECT_FALSE(limits().memory_limit_bytes.has_value());
  EXPECT_FALSE(limits().memory_room_bytes.has_value());
}

TEST_F(Cgroup, Version2ReadsQuotaAndMemory) {
  unified("/a");
  root_.write("/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  root_.write("/sys/fs/cgroup/a/memory.max", "4294967296\n");
  root_.write("/sys/fs/cgroup/a/memory.current", "2147483648\n");
  root_.write("/sys/fs/cgroup/a/memory.stat", "anon 1073741824\ninactive_file 1073741824\n");
  EXPECT_EQ(limits().cpus, 1.5);
  EXPECT_EQ(limits().memory_limit_bytes, 4 * kGib);
  EXPECT_EQ(limits().memory_room_bytes, 3 * kGib);  // the page cache can go
}

TEST_F(Cgroup, Version2MaxIsNoLimit) {
  unified("/a");
  root_.write("/sys/fs/cgroup/a/cpu.max", "max 100000\n");
  root_.write("/sys/fs/cgroup/a/memory.max", "max\n");
  root_.write("/sys/fs/cgroup/a/memory.high", "max\n");
  root_.write("/sys/fs/cgroup/a/memory.current", "5\n");
  EXPECT_EQ(limits().cpus, 0);
  EXPECT_FALSE(limits().memory_limit_bytes.has_value());
}

TEST_F(Cgroup, TheTightestOfAllLevelsHolds) {
  unified("/a/b/c");
  root_.write("/sys/fs/cgroup/a/b/c/cpu.max", "400000 100000\n");
  root_.write("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  root_.write("/sys/fs/cgroup/a/cpu.max", "100000 50000\n");
  root_.write("/sys/fs/cgroup/a/b/c/memory.max", std::to_string(8 * kGib));
  root_.write("/sys/fs/cgroup/a/b/c/memory.current", std::to_string(1 * kGib));
  root_.write("/sys/fs/cgroup/a/memory.max", std::to_string(16 * kGib));
  root_.write("/sys/fs/cgroup/a/memory.current", std::to_string(15 * kGib));
  EXPECT_EQ(limits().cpus, 2);
  EXPECT_EQ(limits().memory_limit_bytes, 8 * kGib);
  EXPECT_EQ(limits().memory_room_bytes, 1 * kGib);  // the parent is nearly full
}

TEST_F(Cgroup, MemoryHighCountsAsALimit) {
  unified("/a");
  root_.write("/sys/fs/cgroup/a/memory.max", "max\n");
  root_.write("/sys/fs/cgroup/a/memory.high", std::to_string(2 * kGib));
  root_.write("/sys/fs/cgroup/a/memory.current", std::to_string(3 * kGib));
  EXPECT_EQ(limits().memory_limit_bytes, 2 * kGib);
  EXPECT_EQ(limits().memory_room_bytes, 0);  // never negative
}

TEST_F(Cgroup, InAContainerTheMountsRootIsCutOff) {
  unified("/docker/abc/job", "/docker/abc");
  root_.write("/sys/fs/cgroup/job/cpu.max", "200000 100000\n");
  EXPECT_EQ(limits().cpus, 2);
}

TEST_F(Cgroup, AGroupThatIsNotVisibleIsReadAtTheMountsTop) {
  for (const char* group : {"/../outside", "/elsewhere", "/docker/abcdef"}) {
    unified(group, "/docker/abc");
    root_.write("/sys/fs/cgroup/cpu.max", "300000 100000\n");
    EXPECT_EQ(limits().cpus, 3) << group;
  }
}

TEST_F(Cgroup, Version1ReadsEachControllersHierarchy) {
  root_.write("/proc/self/cgroup", "9:name=systemd:/x\n4:memory:/m/n\n1:cpu,cpuacct:/c\n0::/\n");
  root_.write("/proc/self/mountinfo",
              mount("/", "/sys/fs/cgroup/cpu,cpuacct", "cgroup", "rw,cpu,cpuacct") +
                  mount("/", "/sys/fs/cgroup/memory", "cgroup", "rw,memory") +
                  mount("/", "/sys/fs/cgroup/systemd", "cgroup", "rw,name=systemd") +
                  mount("/", "/sys/fs/cgroup/unified", "cgroup2", "rw"));
  root_.write("/sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us", "250000\n");
  root_.write("/sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_period_us", "100000\n");
  root_.write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  root_.write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  root_.write("/sys/fs/cgroup/memory/m/n/memory.limit_in_bytes", "9223372036854771712\n");
  root_.write("/sys/fs/cgroup/memory/m/memory.limit_in_bytes", std::to_string(4 * kGib));
  root_.write("/sys/fs/cgroup/memory/m/memory.usage_in_bytes", std::to_string(2 * kGib));
  root_.write("/sys/fs/cgroup/memory/m/memory.stat",
              "inactive_file 7\ntotal_inactive_file " + std::to_string(1 * kGib) + "\n");
  EXPECT_EQ(limits().cpus, 2.5);
  EXPECT_EQ(limits().memory_limit_bytes, 4 * kGib);
  EXPECT_EQ(limits().memory_room_bytes, 3 * kGib);
}

TEST_F(Cgroup, MountPointsMayHoldBlanks) {
  root_.write("/proc/self/cgroup", "0::/\n");
  root_.write("/proc/self/mountinfo", mount("/", "/mnt/c\\040g", "cgroup2", "rw"));
  root_.write("/mnt/c g/cpu.max", "100000 100000\n");
  EXPECT_EQ(limits().cpus, 1);
}

TEST_F(Cgroup, DamagedFilesAreNoLimit) {
  root_.write("/proc/self/cgroup", "nonsense\n0:\n:::\n");
  root_.write("/proc/self/mountinfo",
              "1 2\n- - -\n31 23 0:28 / /g rw -\n" + mount("/", "/g", "cgroup2", "rw"));
  root_.write("/g/cpu.max", "0 0\n");
  root_.write("/g/memory.max", "plenty\n");
  EXPECT_EQ(limits().cpus, 0);
  EXPECT_FALSE(limits().memory_limit_bytes.has_value());
}

}  // namespace
}  // namespace jissoku::core
