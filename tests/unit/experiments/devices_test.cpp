#include "jissoku/experiments/devices/devices.hpp"

#include <gtest/gtest.h>

#include "support/experiment_bench.hpp"

namespace jissoku::experiments::devices {
namespace {

using document::RowStatus;
using tests::ExperimentBench;
using tests::FakeDeviceOptions;
using tests::FakeResult;
using tests::FakeVariant;

TEST(Devices, TriesEveryVariantAndNamesWhatIsMissing) {
  FakeVariant missing{"gone", 1};
  missing.missing = true;
  FakeVariant broken{"broken", 1};
  broken.result = FakeResult::one_element_off;
  FakeDeviceOptions cpu;
  cpu.id = "cpu";
  cpu.variants = {{"good", 10}, broken, missing};
  ExperimentBench bench({cpu});
  ASSERT_TRUE(run(bench.context(), {}).ok());
  ASSERT_EQ(bench.found().rows.size(), 3u);
  EXPECT_EQ(bench.row("cpu:good")->status, RowStatus::converged);
  EXPECT_TRUE(bench.row("cpu:good")->verification.passed);
  EXPECT_EQ(bench.row("cpu:broken")->status, RowStatus::wrong);
  EXPECT_EQ(bench.row("cpu:gone")->status, RowStatus::unsupported);
  EXPECT_EQ(bench.row("cpu:gone")->reason.id, "test.fake_missing");
}

TEST(Devices, OnTheHostByAQueueTheFirstVariantProvesTheWay) {
  FakeDeviceOptions pocl;
  pocl.id = "opencl:0";
  pocl.queued = true;
  pocl.variants = {{"own", 10}, {"library", 1}};
  ExperimentBench bench({pocl});
  ASSERT_TRUE(run(bench.context(), {}).ok());
  EXPECT_EQ(bench.row("opencl:0:own")->status, RowStatus::converged);
  EXPECT_EQ(bench.row("opencl:0:library")->status, RowStatus::skipped);
  EXPECT_EQ(bench.row("opencl:0:library")->reason.id, "devices.not_tried");
  EXPECT_EQ(bench.calls().gemms["library"], 0);
}

TEST(Devices, ADeviceThatFailsToOpenIsARow) {
  FakeDeviceOptions cpu;
  cpu.id = "cpu";
  cpu.failures = {{tests::FakeCall::open, 0, 1}};
  ExperimentBench bench({cpu});
  ASSERT_TRUE(run(bench.context(), {}).ok());
  ASSERT_EQ(bench.found().rows.size(), 1u);
  EXPECT_EQ(bench.found().rows[0].status, RowStatus::unsupported);
  EXPECT_EQ(bench.found().rows[0].reason.id, "test.fake_failure");
}

}  // namespace
}  // namespace jissoku::experiments::devices
