// The team of threads, affinity, and the environment that libraries see.
#include <atomic>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jissoku/backends/cpu/affinity.hpp"
#include "jissoku/backends/cpu/environment.hpp"
#include "jissoku/backends/cpu/thread_team.hpp"

namespace jissoku::backends::cpu {
namespace {

TEST(ThreadTeam, RunsEachJobOnceOnEachMember) {
  for (const int threads : {1, 2, 5}) {
    auto team = ThreadTeam::create(threads, {});
    ASSERT_TRUE(team);
    ASSERT_EQ((*team)->size(), threads);
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(threads));
    for (int round = 0; round < 200; ++round) {
      (*team)->run([&](int member) { ++runs[static_cast<std::size_t>(member)]; });
      for (const std::atomic<int>& count : runs) {
        ASSERT_EQ(count, round + 1);  // all are done when run() returns
      }
    }
  }
}

TEST(ThreadTeam, RangesCoverEverythingOnce) {
  auto team = ThreadTeam::create(3, {});
  ASSERT_TRUE(team);
  for (const std::int64_t count : {0, 1, 2, 3, 7, 100}) {
    for (const std::int64_t grain : {1, 4, 64}) {
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
      (*team)->run_ranges(count, grain, [&](int, std::int64_t first, std::int64_t last) {
        EXPECT_EQ(first % grain, 0);
        for (std::int64_t i = first; i < last; ++i) {
          ++seen[static_cast<std::size_t>(i)];
        }
      });
      for (const std::atomic<int>& times : seen) {
        EXPECT_EQ(times, 1);
      }
    }
  }
}

TEST(ThreadTeam, WorkersKeepToTheirCpus) {
  const std::vector<int> allowed = thread_cpus();
  ASSERT_FALSE(allowed.empty());
  const std::vector<int> cpus = {allowed.front(), allowed.back()};
  auto team = ThreadTeam::create(2, cpus);
  ASSERT_TRUE(team);
  std::vector<int> seen;
  (*team)->run([&](int member) {
    if (member == 1) {
      seen = thread_cpus();
    }
  });
  EXPECT_EQ(seen, std::vector<int>{allowed.back()});
  EXPECT_EQ(thread_cpus(), allowed);  // the caller's is not touched
}

// CPUs 0 and 4, 1 and 5 ... share a core.
std::string core_of_four(int cpu) {
  return std::to_string(cpu % 4);
}

TEST(Affinity, SpreadsOverCoresFirst) {
  using Cpus = std::vector<int>;
  const Cpus all = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(spread_over_cores(all, 3, core_of_four), (Cpus{0, 1, 2}));
  EXPECT_EQ(spread_over_cores(all, 6, core_of_four), (Cpus{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(spread_over_cores({4, 0, 1}, 2, core_of_four), (Cpus{4, 1}));
  EXPECT_EQ(spread_over_cores({2, 6}, 2, core_of_four), (Cpus{2, 6}));
  EXPECT_EQ(spread_over_cores({2, 6}, 3, core_of_four), Cpus{});  // more threads than CPUs: not pinned
}

TEST(Affinity, JoinsCpus) {
  EXPECT_EQ(join_cpus({}), "");
  EXPECT_EQ(join_cpus({3}), "3");
  EXPECT_EQ(join_cpus({0, 64, 1}), "0,64,1");
}

TEST(CallerPin, PinsUntilReleased) {
  const std::vector<int> allowed = thread_cpus();
  {
    CallerPin pin({allowed.back()});
    EXPECT_EQ(thread_cpus(), allowed);
    pin.pin();
    pin.pin();
    EXPECT_EQ(thread_cpus(), std::vector<int>{allowed.back()});
    pin.release();
    EXPECT_EQ(thread_cpus(), allowed);
    pin.pin();
  }
  EXPECT_EQ(thread_cpus(), allowed);  // the destructor releases too
}

TEST(CallerPin, WithoutCpusDoesNothing) {
  const std::vector<int> allowed = thread_cpus();
  CallerPin pin({});
  pin.pin();
  EXPECT_EQ(thread_cpus(), allowed);
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "(unset)";
}

TEST(ScopedEnvironment, PutsEverythingBack) {
  setenv("JISSOKU_TEST_SET", "before", 1);
  unsetenv("JISSOKU_TEST_UNSET");
  {
    const ScopedEnvironment scope({{"JISSOKU_TEST_SET", std::nullopt}, {"JISSOKU_TEST_UNSET", "during"}});
    EXPECT_EQ(environment("JISSOKU_TEST_SET"), "(unset)");
    EXPECT_EQ(environment("JISSOKU_TEST_UNSET"), "during");
  }
  EXPECT_EQ(environment("JISSOKU_TEST_SET"), "before");
  EXPECT_EQ(environment("JISSOKU_TEST_UNSET"), "(unset)");
  unsetenv("JISSOKU_TEST_SET");
}

TEST(ThreadSettings, FollowTheThreadsAskedFor) {
  const ScopedEnvironment users({{"OMP_NUM_THREADS", "7"},
                                 {"OMP_PLACES", "{0}"},
                                 {"GOMP_CPU_AFFINITY", "0"},
                                 {"BLIS_JC_NT", "4"},
                                 {"OMP_DYNAMIC", "false"}});
  const auto settings = thread_settings(2, {0, 1});
  EXPECT_THAT(overridden_by(settings),
              testing::Eq("OMP_NUM_THREADS, OMP_PLACES, GOMP_CPU_AFFINITY, BLIS_JC_NT"));
  const ScopedEnvironment ours(settings);
  EXPECT_EQ(environment("OMP_NUM_THREADS"), "2");
  EXPECT_EQ(environment("OPENBLAS_NUM_THREADS"), "2");
  EXPECT_EQ(environment("BLIS_NUM_THREADS"), "2");
  EXPECT_EQ(environment("MKL_NUM_THREADS"), "2");
  EXPECT_EQ(environment("GOMP_CPU_AFFINITY"), "0,1");
  EXPECT_EQ(environment("OMP_PLACES"), "(unset)");
  EXPECT_EQ(environment("BLIS_JC_NT"), "(unset)");
}

TEST(ThreadSettings, WithoutCpusNothingIsBound) {
  const ScopedEnvironment ours(thread_settings(4, {}));
  EXPECT_EQ(environment("OMP_PROC_BIND"), "false");
  EXPECT_EQ(environment("GOMP_CPU_AFFINITY"), "(unset)");
}

}  // namespace
}  // namespace jissoku::backends::cpu
