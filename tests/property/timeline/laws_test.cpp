// Laws that hold for any trace: checked on random ones.
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "jissoku/timeline/analysis/operator_table.hpp"
#include "jissoku/timeline/diagnosis/gaps.hpp"
#include "jissoku/timeline/export.hpp"
#include "support/read_trace.hpp"
#include "support/trace_fixture.hpp"

namespace jissoku::tests {
namespace {

namespace analysis = timeline::analysis;
using analysis::Interval;

constexpr int kRounds = 60;

int below(std::mt19937& random, int limit) {
  return static_cast<int>(random() % static_cast<unsigned>(limit));
}

std::vector<Interval> random_intervals(std::mt19937& random) {
  std::vector<Interval> out(static_cast<std::size_t>(below(random, 12)));
  for (Interval& interval : out) {
    interval.begin_ns = below(random, 60);
    interval.end_ns = interval.begin_ns + below(random, 12) - 1;
  }
  return out;
}

/// The set as its points.
std::set<std::int64_t> points(const std::vector<Interval>& intervals) {
  std::set<std::int64_t> out;
  for (const Interval& interval : intervals) {
    for (std::int64_t at = interval.begin_ns; at < interval.end_ns; ++at) {
      out.insert(at);
    }
  }
  return out;
}

TEST(Intervals, AreSetsOfPoints) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const auto left = random_intervals(random);
    const auto right = random_intervals(random);
    const auto a = analysis::unite(left);
    const auto b = analysis::unite(right);
    EXPECT_EQ(points(a), points(left));
    EXPECT_EQ(length_ns(a), static_cast<std::int64_t>(points(left).size()));
    std::set<std::int64_t> both;
    std::set<std::int64_t> only;
    for (const std::int64_t at : points(left)) {
      (points(right).count(at) > 0 ? both : only).insert(at);
    }
    EXPECT_EQ(points(intersect(a, b)), both);
    EXPECT_EQ(points(subtract(a, b)), only);
    EXPECT_EQ(covered_ns(a, {10, 30}), length_ns(intersect(a, {{10, 30}})));
  }
}

/// Operators on three threads that overlap in every way, and work on two devices, some without a launch.
TraceFixture random_trace(std::mt19937& random) {
  TraceFixture trace;
  for (int index = 0; index < 60; ++index) {
    const int thread = 100 + below(random, 3);
    const double start = below(random, 2000);
    const char* names[] = {"aten::add", "aten::mm", "aten::to", "aten::item"};
    trace.op(names[below(random, 4)], start, below(random, 300), thread);
    const int stream = 7 + below(random, 2);
    const double work = start + below(random, 400);
    if (below(random, 5) == 0) {
      trace.work("kernel", "orphan", work, below(random, 60), -1, stream, below(random, 2));
    } else {
      trace.launch("kernel", start + 1, work, below(random, 60), stream, below(random, 2), thread);
    }
    if (below(random, 6) == 0) {
      trace.call_only(
          below(random, 2) == 0 ? "cudaStreamSynchronize" : "cudaMalloc", start, below(random, 200), thread);
    }
  }
  return trace;
}

TEST(OperatorTable, SelfTimesAddUpToTheUnionOfTheThreads) {
  std::mt19937 random(2);
  for (int round = 0; round < kRounds; ++round) {
    const auto trace = read_trace(random_trace(random).text());
    const analysis::HostThreads threads(trace);
    const analysis::Launches launches(trace);
    const auto devices = analysis::device_activities(trace, std::nullopt);
    const auto table = operator_table(threads, launches, devices, analysis::Grouping::operators, false);
    std::int64_t host = 0;
    for (const auto& thread : threads.threads()) {
      std::vector<Interval> all;
      for (const auto id : thread.events) {
        all.push_back({trace.events.start_ns[id], trace.events.end_ns(id)});
      }
      host += length_ns(analysis::unite(all));
    }
    std::int64_t device = 0;
    for (const auto& activity : devices) {
      for (const auto id : activity.work) {
        device += trace.events.duration_ns[id];
      }
    }
    std::int64_t self = 0;
    std::int64_t self_device = 0;
    for (const auto& row : table.rows) {
      self += row.self_cpu_ns;
      self_device += row.self_device_ns;
      EXPECT_LE(row.self_device_ns, row.device_total_ns);
      EXPECT_LE(row.device_total_ns, device);
    }
    EXPECT_EQ(self, host);
    EXPECT_EQ(table.self_cpu_ns, host);
    EXPECT_EQ(self_device, device);
  }
}

TEST(Gaps, PiecesAreDisjointAndAddUpToTheIdleTime) {
  std::mt19937 random(3);
  for (int round = 0; round < kRounds; ++round) {
    const auto trace = read_trace(random_trace(random).text());
    const analysis::HostThreads threads(trace);
    const analysis::Launches launches(trace);
    for (const auto& activity : analysis::device_activities(trace, std::nullopt)) {
      std::int64_t sum = 0;
      std::int64_t last = activity.window.begin_ns;
      for (const auto& piece : timeline::diagnosis::explain_gaps(threads, launches, activity)) {
        EXPECT_GE(piece.span.begin_ns, last);
        EXPECT_GE(piece.span.begin_ns, piece.gap.begin_ns);
        EXPECT_LE(piece.span.end_ns, piece.gap.end_ns);
        last = piece.span.end_ns;
        sum += piece.span.length_ns();
      }
      EXPECT_EQ(sum, length_ns(activity.idle));
      EXPECT_EQ(activity.compute_ns + activity.exposed_copy_ns + activity.exposed_communication_ns,
                activity.busy_ns());
      EXPECT_EQ(activity.busy_ns() + length_ns(activity.idle), activity.window_ns());
    }
  }
}

TEST(Export, ReadsBackAsTheSameTrace) {
  std::mt19937 random(4);
  for (int round = 0; round < kRounds; ++round) {
    const auto trace = read_trace(random_trace(random).text());
    std::string text;
    timeline::export_chrome(trace, [&text](std::string_view piece) {
      text += piece;
      return true;
    });
    const auto again = read_trace(text);
    EXPECT_EQ(again.repairs.counts, trace.repairs.counts);
    ASSERT_EQ(again.events.size(), trace.events.size());
    const auto before = diagnose(trace);
    const auto after = diagnose(again);
    EXPECT_EQ(verdict_of(before), verdict_of(after));
    ASSERT_EQ(before.devices.size(), after.devices.size());
    for (std::size_t index = 0; index < before.devices.size(); ++index) {
      EXPECT_EQ(before.devices[index].activity.busy, after.devices[index].activity.busy);
    }
  }
}

}  // namespace
}  // namespace jissoku::tests
