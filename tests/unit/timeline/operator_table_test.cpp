// One trace computed by hand.
#include "jissoku/timeline/analysis/operator_table.hpp"

#include <gtest/gtest.h>

#include "support/read_trace.hpp"
#include "support/trace_fixture.hpp"

namespace jissoku::tests {
namespace {

namespace analysis = timeline::analysis;
using analysis::OperatorRow;

/// aten::linear [0, 100) calls aten::addmm [10, 80), which launches gemm (call [20, 24), 50 us) and calls
/// itself [30, 60) with another launch (call [40, 44), 30 us); then aten::relu [100, 120) launches relu (7
/// us). One kernel of 5 us has no launch.
TraceFixture by_hand() {
  TraceFixture trace;
  trace.host("user_annotation", "ProfilerStep#3", 0, 150);
  trace.op("aten::linear", 0, 100, TraceFixture::kMain, ", \"Input Dims\": [[32, 128]]");
  trace.op("aten::addmm", 10, 70);
  trace.launch("gemm", 20, 200, 50);
  trace.op("aten::addmm", 30, 30);
  trace.launch("gemm", 40, 250, 30);
  trace.op("aten::relu", 100, 20, TraceFixture::kMain, ", \"Input Dims\": [[32, 10]]");
  trace.launch("relu", 105, 300, 7);
  trace.work("kernel", "orphan", 310, 5, -1);
  return trace;
}

OperatorRow row_of(const analysis::OperatorTable& table, const std::string& name) {
  for (const OperatorRow& row : table.rows) {
    if (row.name == name) {
      return row;
    }
  }
  ADD_FAILURE() << "no row " << name;
  return {};
}

analysis::OperatorTable table_of(const timeline::Timeline& trace, bool by_shape = false) {
  const analysis::HostThreads threads(trace);
  const analysis::Launches launches(trace);
  return operator_table(threads,
                        launches,
                        timeline::analysis::device_activities(trace, std::nullopt),
                        analysis::Grouping::operators,
                        by_shape);
}

void expect(const OperatorRow& row,
            std::int64_t count,
            std::int64_t self_cpu_us,
            std::int64_t cpu_us,
            std::int64_t self_device_us,
            std::int64_t device_us) {
  SCOPED_TRACE(row.name);
  EXPECT_EQ(row.count, count);
  EXPECT_EQ(row.self_cpu_ns, self_cpu_us * 1000);
  EXPECT_EQ(row.cpu_total_ns, cpu_us * 1000);
  EXPECT_EQ(row.self_device_ns, self_device_us * 1000);
  EXPECT_EQ(row.device_total_ns, device_us * 1000);
}

TEST(OperatorTable, AsComputedByHand) {
  const auto table = table_of(read_trace(by_hand().text()));
  expect(row_of(table, "ProfilerStep*"), 1, 30, 150, 0, 87);
  expect(row_of(table, "aten::linear"), 1, 30, 100, 0, 80);
  expect(row_of(table, "aten::addmm"), 1, 62, 70, 80, 80);  // folded: one call, its time once
  expect(row_of(table, "aten::relu"), 1, 16, 20, 7, 7);
  expect(row_of(table, "cudaLaunchKernel"), 3, 12, 12, 0, 0);
  expect(row_of(table, ""), 0, 0, 0, 5, 5);
  EXPECT_EQ(table.self_cpu_ns, 150000);
  EXPECT_EQ(table.self_device_ns, 92000);
}

TEST(OperatorTable, SortsByTheKeysOfTorch) {
  auto rows = table_of(read_trace(by_hand().text())).rows;
  ASSERT_TRUE(sort_rows(rows, "cuda_time_total"));
  EXPECT_EQ(rows[0].name, "ProfilerStep*");
  ASSERT_TRUE(sort_rows(rows, "self_device_time_total"));
  EXPECT_EQ(rows[0].name, "aten::addmm");
  ASSERT_TRUE(sort_rows(rows, "count"));
  EXPECT_EQ(rows[0].name, "cudaLaunchKernel");
  const auto wrong = sort_rows(rows, "speed");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message.id, "timeline.no_such_sort");
}

TEST(OperatorTable, ShapesMakeRowsOfTheirOwn) {
  TraceFixture trace = by_hand();
  trace.op("aten::relu", 160, 10, TraceFixture::kMain, ", \"Input Dims\": [[64, 10]]");
  const auto read = read_trace(trace.text());
  EXPECT_EQ(row_of(table_of(read), "aten::relu").count, 2);
  const auto table = table_of(read, true);
  const auto rows = std::count_if(
      table.rows.begin(), table.rows.end(), [](const OperatorRow& row) { return row.name == "aten::relu"; });
  EXPECT_EQ(rows, 2);
  EXPECT_EQ(row_of(table, "aten::linear").shapes, "[[32, 128]]");
}

}  // namespace
}  // namespace jissoku::tests
