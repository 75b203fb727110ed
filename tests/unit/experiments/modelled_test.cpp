// matmul on modelled devices: the truth is known in closed form (docs/model.md, model:cpu).
#include <algorithm>

#include <gtest/gtest.h>

#include "jissoku/backends/model/backend.hpp"
#include "jissoku/backends/reference/backend.hpp"
#include "jissoku/document/derive.hpp"
#include "jissoku/experiments/datasheet.hpp"
#include "jissoku/experiments/matmul/matmul.hpp"
#include "support/experiment_bench.hpp"

namespace jissoku::experiments::matmul {
namespace {

using document::Row;
using tests::ExperimentBench;
using tests::FakeDeviceOptions;

FakeDeviceOptions fake_cpu() {
  FakeDeviceOptions options;
  options.id = "cpu";
  options.variants = {{"fast", 0.08}};
  options.fma_gflops = 0.1;
  options.triad_gbps = 0;
  options.launch_ns = 0;
  return options;
}

void add_models(ExperimentBench& bench) {
  bench.registry().add(backends::model::make_backend(embedded_datasheet_text(), [] {
    const auto reference = backends::reference::make_backend();
    return reference.open(reference.list().devices.front().id, {});
  }));
}

Params square(std::int64_t n, numerics::DataType type, std::vector<std::string> devices) {
  Params params;
  params.problems = {{{n, n, n}, type}};
  for (std::string& id : devices) {
    params.devices.push_back({std::move(id), ""});
  }
  return params;
}

const Row* row_of(const ExperimentBench& bench, const std::string& device, bool with_copies) {
  const auto& rows = bench.found().rows;
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
    return row.device == device && document::parameter(row, "copies").has_value() == with_copies;
  });
  return found == rows.end() ? nullptr : &*found;
}

TEST(ModelledMatmul, FindsTheTimesOfTheModel) {
  ExperimentBench bench({fake_cpu()});
  add_models(bench);
  ASSERT_TRUE(run(bench.context(), square(64, numerics::DataType::f32, {"model:cpu"})).ok());
  const Row* resident = row_of(bench, "model:cpu", false);
  ASSERT_NE(resident, nullptr);
  // 10 us for the launch, then the slower of 2 * 64^3 FLOP at 100 GFLOPS and 3 * 64^2 * 4 bytes at 20 GB/s.
  constexpr double kFlopNs = 2.0 * 64 * 64 * 64 / 100, kByteNs = 3.0 * 64 * 64 * 4 / 20;
  EXPECT_NEAR(document::time_ns(*resident)->value, 10'000 + std::max(kFlopNs, kByteNs), 20);
  EXPECT_EQ(resident->run_to_run, 0);
  const Row* copied = row_of(bench, "model:cpu", true);
  ASSERT_NE(copied, nullptr);
  // Three copies more, each 10 us and 64^2 * 4 bytes at 10 GB/s.
  EXPECT_NEAR(document::time_ns(*copied)->value - document::time_ns(*resident)->value,
              3 * (10'000 + 64.0 * 64 * 4 / 10),
              30);
  EXPECT_TRUE(copied->verification.passed);
}

TEST(ModelledMatmul, FormsNoRatioToAMeasuredRow) {
  ExperimentBench bench({fake_cpu()});
  add_models(bench);
  const auto params = square(48, numerics::DataType::f32, {"cpu", "model:cpu", "model:t4"});
  ASSERT_TRUE(run(bench.context(), params).ok());
  const Row* first = row_of(bench, "model:cpu", false);
  ASSERT_NE(first, nullptr);
  for (const Row& row : bench.found().rows) {
    const bool modelled = row.device.rfind("model:", 0) == 0;
    EXPECT_EQ(row.baseline == first->id, modelled) << row.id;
  }
  EXPECT_EQ(bench.finding("verdict_accelerator/"), nullptr);
  ASSERT_NE(bench.finding("verdict_host/f32"), nullptr);
  EXPECT_NE(bench.finding("no_accelerator"), nullptr) << "a model is none";
}

TEST(ModelledMatmul, NarrowFormatsAreProvedAsTheValuesTheyHold) {
  ExperimentBench bench({fake_cpu()});
  add_models(bench);
  for (const auto type : {numerics::DataType::f16, numerics::DataType::tf32, numerics::DataType::bf16}) {
    ASSERT_TRUE(run(bench.context(), square(48, type, {"model:h100"})).ok());
  }
  ASSERT_EQ(bench.found().rows.size(), 6U);
  for (const Row& row : bench.found().rows) {
    EXPECT_EQ(row.verification.method, "exact") << row.id;
    EXPECT_TRUE(row.verification.passed) << row.id;
    EXPECT_TRUE(row.timed_verification.passed) << row.id;
    EXPECT_EQ(row.timed_verification.method, "bounded") << row.id;
    EXPECT_TRUE(document::time_ns(row)) << row.id;
  }
}

TEST(ModelledMatmul, WhatTheHardwareLacksIsARowWithTheReason) {
  ExperimentBench bench({fake_cpu()});
  add_models(bench);
  ASSERT_TRUE(run(bench.context(), square(48, numerics::DataType::bf16, {"model:t4"})).ok());
  ASSERT_EQ(bench.found().rows.size(), 1U);
  EXPECT_EQ(bench.found().rows[0].status, document::RowStatus::unsupported);
}

}  // namespace
}  // namespace jissoku::experiments::matmul
