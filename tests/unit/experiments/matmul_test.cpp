// The matmul experiment on fake devices and a fake clock: what it measures is known beforehand.
#include "jissoku/experiments/matmul/matmul.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "jissoku/document/derive.hpp"
#include "support/experiment_bench.hpp"

namespace jissoku::experiments::matmul {
namespace {

using document::Row;
using document::RowStatus;
using numerics::DataType;
using tests::ExperimentBench;
using tests::FakeCall;
using tests::FakeDeviceOptions;
using tests::FakeResult;
using tests::FakeVariant;

FakeDeviceOptions host(std::vector<FakeVariant> variants) {
  FakeDeviceOptions options;
  options.id = "cpu";
  options.variants = std::move(variants);
  options.fma_gflops = 0.1;
  options.triad_gbps = 0;  // it would be measured over real memory
  options.launch_ns = 0;
  return options;
}

FakeDeviceOptions accelerator(double gflops) {
  FakeDeviceOptions options;
  options.id = "opencl:0";
  options.is_host = false;
  options.triad_gbps = 0;
  options.launch_ns = 0;
  options.variants = {{"own", gflops}};
  options.fma_gflops = 2;
  options.seed = 7;
  return options;
}

Params small(std::vector<device::Selection> devices) {
  Params params;
  params.problems = {{{48, 40, 56}, DataType::f32}};
  params.devices = std::move(devices);
  return params;
}

double rate(const Row& row) {
  const auto estimate = document::flops_per_second(row);
  return estimate ? estimate->value : 0;
}

TEST(Matmul, FindsTheRatesTheDevicesHave) {
  ExperimentBench bench({host({{"fast", 0.08}, {"good", 0.06}, {"slow", 0.02}})});
  ASSERT_TRUE(run(bench.context(), small({{"cpu", ""}})).ok());
  const Row* fast = bench.row("cpu:fast");
  ASSERT_NE(fast, nullptr);
  EXPECT_EQ(fast->status, RowStatus::converged);
  EXPECT_NEAR(rate(*fast) / 0.08e9, 1, 0.02);
  EXPECT_NEAR(rate(*bench.row("cpu:good")) / 0.06e9, 1, 0.02);
  EXPECT_NEAR(document::share_of(*fast, "measured_fma")->value, 0.8, 0.02);
  EXPECT_NEAR(document::speed_up(*fast, *bench.row("cpu:good"))->value, 0.75, 0.02);
  EXPECT_EQ(bench.row("cpu:good")->baseline, fast->id);
  EXPECT_TRUE(fast->verification.passed && fast->verification.self_test);
  EXPECT_TRUE(fast->timed_verification.passed && fast->timed_verification.self_test);
  EXPECT_GT(bench.found().noise_floor, 0);
  EXPECT_LT(bench.found().noise_floor, 0.05);
  EXPECT_EQ(fast->again, "jissoku matmul --shape 48x40x56 --dtype f32 --device cpu:fast --seed 42");
}

TEST(Matmul, DropsTheHopelessAndSaysSo) {
  ExperimentBench bench({host({{"fast", 0.08}, {"slow", 0.02}})});
  ASSERT_TRUE(run(bench.context(), small({{"cpu", ""}})).ok());
  const Row* slow = bench.row("cpu:slow");
  ASSERT_NE(slow, nullptr);
  EXPECT_EQ(slow->status, RowStatus::skipped);
  EXPECT_EQ(slow->reason.id, "matmul.dropped");
  EXPECT_NEAR(std::get<double>(*slow->reason.find("ratio")), 4, 0.2);
  EXPECT_FALSE(document::time_ns(*slow));
}

TEST(Matmul, KeepsTheSlowThatWereAskedForByName) {
  ExperimentBench bench({host({{"fast", 0.08}, {"slow", 0.02}})});
  ASSERT_TRUE(run(bench.context(), small({{"cpu", "fast"}, {"cpu", "slow"}})).ok());
  EXPECT_NEAR(rate(*bench.row("cpu:slow")) / 0.02e9, 1, 0.02);
  EXPECT_EQ(bench.row("cpu"), nullptr) << "nothing was to be chosen";
}

TEST(Matmul, ChoosesTheBestAndScoresItOnOtherRounds) {
  ExperimentBench bench({host({{"fast", 0.08}, {"good", 0.06}})});
  ASSERT_TRUE(run(bench.context(), small({{"cpu", ""}})).ok());
  const Row* chosen = bench.row("cpu");
  ASSERT_NE(chosen, nullptr);
  EXPECT_TRUE(chosen->implementation.chosen);
  EXPECT_EQ(chosen->implementation.variant, "fast");
  EXPECT_EQ(document::scored_times_ns(*chosen).size(), chosen->samples.size() / 2);
  EXPECT_NE(chosen->id, bench.row("cpu:fast")->id);
  EXPECT_NEAR(rate(*chosen) / 0.08e9, 1, 0.02);
}

TEST(Matmul, AcceleratorIsReadOnItsOwnClock) {
  FakeDeviceOptions cpu = host({{"fast", 0.08}});
  ExperimentBench bench({cpu, accelerator(0.4)});
  ASSERT_TRUE(run(bench.context(), small({{"cpu", ""}, {"opencl:0", ""}})).ok());
  const Row* row = bench.row("opencl:0:own");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->timing, "device");
  EXPECT_NEAR(rate(*row) / 0.4e9, 1, 0.02);
  ASSERT_TRUE(document::share_of(*row, "measured_fma"));
  EXPECT_NEAR(document::share_of(*row, "measured_fma")->value, 0.2, 0.01)
      << "of its own peak, not the host's";
  const auto ratio = document::speed_up(*bench.row("cpu:fast"), *row);
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->value, 5, 0.1);
  ASSERT_NE(bench.finding("verdict_accelerator/"), nullptr);
  EXPECT_EQ(bench.finding("no_accelerator"), nullptr);
}

TEST(Matmul, AnAcceleratorIsTimedWithItsCopiesToo) {
  FakeDeviceOptions device = accelerator(0.4);
  device.memory_gbps = 0.05;
  ExperimentBench bench({host({{"fast", 0.08}}), device});
  ASSERT_TRUE(run(bench.context(), small({{"cpu", ""}, {"opencl:0", ""}})).ok());
  const Row* resident = bench.row("opencl:0:own");
  const auto& rows = bench.found().rows;
  const auto copied = std::find_if(rows.begin(), rows.end(), [](const Row& row) {
    return document::parameter(row, "copies").has_value();
  });
  ASSERT_NE(copied, rows.end());
  EXPECT_EQ(copied->device, "opencl:0");
  EXPECT_EQ(copied->id, document::row_id(*copied));
  EXPECT_TRUE(copied->verification.passed);
  EXPECT_TRUE(copied->timed_verification.passed);
  const double bytes = 4.0 * (48 * 56 + 56 * 40 + 48 * 40);
  const double expected_ns = document::time_ns(*resident)->value + bytes / 0.05;
  EXPECT_NEAR(document::time_ns(*copied)->value / expected_ns, 1, 0.02);
  EXPECT_EQ(std::count_if(rows.begin(),
                          rows.end(),
                          [](const Row& row) {
                            return row.device.rfind("cpu", 0) == 0 && document::parameter(row, "copies");
                          }),
            0)
      << "nothing is copied to the CPU";
}

TEST(Matmul, TheHostByAQueueIsNoCpuEngineButIsReadAgainstItsPeak) {
  FakeDeviceOptions pocl = accelerator(0.09);
  pocl.is_host = true;
  pocl.queued = true;
  pocl.fma_gflops = 0;
  ExperimentBench bench({host({{"fast", 0.08}}), pocl});
  ASSERT_TRUE(run(bench.context(), small({{"cpu", ""}, {"opencl:0", ""}})).ok());
  const Row* row = bench.row("opencl:0:own");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->baseline, bench.row("cpu:fast")->id) << "though it is faster";
  ASSERT_TRUE(document::share_of(*row, "measured_fma"));
  EXPECT_NEAR(document::share_of(*row, "measured_fma")->value, 0.9, 0.03);
  EXPECT_NE(bench.finding("same_cpu/opencl:0"), nullptr);
  EXPECT_NE(bench.finding("no_accelerator"), nullptr);
}

TEST(Matmul, WithBetaTheRoundTripBringsCAlong) {
  ExperimentBench bench({accelerator(0.4)});
  Params params = small({{"opencl:0", "own"}});
  params.beta = 0.5;
  ASSERT_TRUE(run(bench.context(), params).ok());
  ASSERT_EQ(bench.found().rows.size(), 2u);
  for (const Row& row : bench.found().rows) {
    EXPECT_TRUE(row.verification.passed) << row.id;
    EXPECT_TRUE(document::time_ns(row)) << row.id;
  }
}

TEST(Matmul, WhatTheDataDoIsSaid) {
  ExperimentBench bench({host({{"fast", 0.08}})});
  Params params = small({{"cpu", ""}});
  params.problems.push_back(params.problems[0]);
  params.problems[1].data = numerics::Data::zeros;
  ASSERT_TRUE(run(bench.context(), params).ok());
  const document::Finding* finding = bench.finding("data_dependence/");
  ASSERT_NE(finding, nullptr);
  EXPECT_LT(std::get<double>(*finding->message.find("low")), 1);
  EXPECT_GT(std::get<double>(*finding->message.find("high")), 1);
}

TEST(Matmul, AReasonSpeaksOfTheRoundsOfThisRunAlone) {
  FakeDeviceOptions cpu = host({{"fast", 0.08}, {"good", 0.06}});
  cpu.noise = 0.2;
  ExperimentBench bench({cpu});
  ASSERT_TRUE(run(bench.context(), small({{"cpu", ""}})).ok());
  for (const char* device : {"cpu:fast", "cpu"}) {
    const Row* row = bench.row(device);
    ASSERT_NE(row, nullptr);
    ASSERT_EQ(row->status, RowStatus::noisy) << device;
    Row alone = *row;
    alone.run_to_run = 0;
    EXPECT_DOUBLE_EQ(std::get<double>(*row->reason.find("half_width")),
                     document::time_ns(alone)->relative_half_width());
    EXPECT_GT(document::time_ns(*row)->relative_half_width(),
              document::time_ns(alone)->relative_half_width());
    EXPECT_EQ(std::get<std::int64_t>(*row->reason.find("rounds")),
              std::ssize(document::scored_times_ns(*row)));
  }
}

TEST(Matmul, AShareAboveThePeakIsNoVerdict) {
  FakeDeviceOptions cpu = host({{"fast", 0.08}});
  cpu.fma_gflops = 0.05;
  ExperimentBench bench({cpu});
  ASSERT_TRUE(run(bench.context(), small({{"cpu", ""}})).ok());
  ASSERT_NE(bench.finding("verdict_host/"), nullptr);
  EXPECT_EQ(bench.finding("verdict_host/")->message.id, "matmul.verdict_host_no_peak");
}

TEST(Matmul, DatasheetStandsBesideAKnownCard) {
  FakeDeviceOptions card = accelerator(0.4);
  card.datasheet = "t4";
  ExperimentBench bench({host({{"fast", 0.08}}), card});
  ASSERT_TRUE(run(bench.context(), small({{"opencl:0", ""}})).ok());
  const auto share = document::share_of(*bench.row("opencl:0"), "datasheet");
  ASSERT_TRUE(share);
  EXPECT_NEAR(share->value / (0.4e9 / 8.1e12), 1, 0.02);
}

class WrongResult : public testing::TestWithParam<FakeResult> {};
TEST_P(WrongResult, HasNoRateAndIsAFailure) {
  FakeVariant broken{"broken", 0.09};
  broken.result = GetParam();
  for (const DataType type : {DataType::f32, DataType::f64}) {
    ExperimentBench bench({host({broken, {"good", 0.06}})});
    Params params = small({{"cpu", ""}});
    params.problems = {{{48, 40, 56}, type}};
    ASSERT_TRUE(run(bench.context(), params).ok());
    const Row* row = bench.row("cpu:broken");
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->status, RowStatus::wrong);
    EXPECT_FALSE(row->reason.empty());
    EXPECT_FALSE(document::time_ns(*row));
    EXPECT_EQ(bench.row("cpu")->implementation.variant, "good");
    const document::Finding* finding = bench.finding("wrong/");
    ASSERT_NE(finding, nullptr);
    EXPECT_EQ(finding->severity, "failure");
  }
}
INSTANTIATE_TEST_SUITE_P(EachKind,
                         WrongResult,
                         testing::Values(FakeResult::zeroed,
                                         FakeResult::one_element_off,
                                         FakeResult::untouched,
                                         FakeResult::not_a_number));

TEST(Matmul, WithoutExactScalarsBothProofsAreBounds) {
  ExperimentBench bench({host({{"good", 0.06}})});
  Params params = small({{"cpu", ""}});
  params.alpha = 0.5;
  ASSERT_TRUE(run(bench.context(), params).ok());
  EXPECT_TRUE(document::time_ns(*bench.row("cpu:good")));
  EXPECT_EQ(bench.row("cpu:good")->verification.method, bench.row("cpu:good")->timed_verification.method);
}

class FailingCall : public testing::TestWithParam<FakeCall> {};
TEST_P(FailingCall, IsARowOrAnErrorAndLeaksNothing) {
  for (const bool is_host : {true, false}) {
    for (int from = 0; from < 12; ++from) {
      FakeDeviceOptions options = is_host ? host({{"fast", 0.08}, {"good", 0.06}}) : accelerator(0.4);
      options.failures = {{GetParam(), from, 1}};
      ExperimentBench bench({options});
      const core::Status status = run(bench.context(), small({{options.id, ""}}));
      if (!status) {
        EXPECT_EQ(status.error().message.id, "test.fake_failure");
        continue;
      }
      for (const Row& row : bench.found().rows) {
        if (row.status == RowStatus::error) {
          EXPECT_EQ(row.reason.id, "test.fake_failure") << row.id;
          EXPECT_FALSE(document::time_ns(row));
        }
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(EachCall, FailingCall, testing::ValuesIn(tests::kFakeCalls));

TEST(Matmul, EveryLaunchFailingIsAnErrorRowNotASilentOne) {
  FakeDeviceOptions options = host({{"fast", 0.08}});
  options.failures = {{FakeCall::launch, 0, 1'000'000'000}};
  ExperimentBench bench({options});
  ASSERT_TRUE(run(bench.context(), small({{"cpu", ""}})).ok());
  ASSERT_NE(bench.row("cpu:fast"), nullptr);
  EXPECT_EQ(bench.row("cpu:fast")->status, RowStatus::error);
}

TEST(Matmul, WhatADeviceLacksIsARowWithTheReason) {
  ExperimentBench bench({host({{"fast", 0.08}})});
  Params params = small({{"cpu", ""}});
  params.problems[0].type = DataType::bf16;
  ASSERT_TRUE(run(bench.context(), params).ok());
  ASSERT_NE(bench.row("cpu:fast"), nullptr);
  EXPECT_EQ(bench.row("cpu:fast")->status, RowStatus::unsupported);
  EXPECT_FALSE(bench.row("cpu:fast")->reason.empty());
}

TEST(Matmul, AVariantAskedForByNameMustBeThere) {
  FakeVariant missing{"gone", 10};
  missing.missing = true;
  ExperimentBench bench({host({{"fast", 0.08}, missing})});
  const core::Status status = run(bench.context(), small({{"cpu", "gone"}}));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().exit_code, core::ExitCode::unavailable);
  EXPECT_EQ(status.error().message.id, "matmul.variant_unavailable");
}

TEST(Matmul, LargerThanMemoryIsRefusedBeforeAnythingIsAllocated) {
  ExperimentBench bench({host({{"fast", 0.08}})});
  bench.machine().memory_available_bytes = 3 * 64 * 64 * 4 - 1;
  Params params = small({{"cpu", ""}});
  params.problems[0].shape = {64, 64, 64};
  const core::Status status = run(bench.context(), params);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().exit_code, core::ExitCode::usage);
  EXPECT_EQ(status.error().message.id, "matmul.too_large");
  EXPECT_EQ(std::get<double>(*status.error().message.find("needed")), 3 * 64 * 64 * 4);
  EXPECT_EQ(bench.calls().calls[FakeCall::allocate], 0);
}

TEST(Matmul, WhatDoesNotFitTheBudgetIsPlannedOutWithAReason) {
  ExperimentBench bench({host({{"fast", 0.08}})});
  Params params = small({{"cpu", ""}});
  params.problems.push_back({{600, 600, 600}, DataType::f32});
  params.budget_ns = 1'000'000'000;
  FakeDeviceOptions slow = host({{"slow", 0.001}});
  slow.fma_gflops = 0.002;
  ExperimentBench slow_bench({slow});
  ASSERT_TRUE(run(slow_bench.context(), params).ok());
  ASSERT_EQ(slow_bench.found().plan.size(), 2u);
  EXPECT_FALSE(slow_bench.found().plan[1].run);
  EXPECT_FALSE(slow_bench.found().plan[1].reason.empty());
}

TEST(Matmul, FilterMeasuresOnlyWhatItSelects) {
  ExperimentBench bench({host({{"fast", 0.08}, {"good", 0.06}})});
  Params params = small({{"cpu", ""}});
  params.selected = [](const std::string& id) { return id.find("good") != std::string::npos; };
  ASSERT_TRUE(run(bench.context(), params).ok());
  ASSERT_EQ(bench.found().rows.size(), 1u);
  EXPECT_EQ(bench.found().rows[0].device, "cpu:good");
  EXPECT_EQ(bench.calls().gemms["fast"], 0) << "it does not compete for anything";
}

TEST(Matmul, ResumeMeasuresOnlyWhatIsMissing) {
  ExperimentBench bench({host({{"fast", 0.08}})});
  Params params = small({{"cpu", ""}});
  ASSERT_TRUE(run(bench.context(), params).ok());
  const std::size_t rows = bench.found().rows.size();
  const int launches = bench.calls().gemms["fast"];
  ASSERT_TRUE(run(bench.context(), params).ok());
  EXPECT_EQ(bench.calls().gemms["fast"], launches);
  params.problems.push_back({{32, 32, 32}, DataType::f32});
  ASSERT_TRUE(run(bench.context(), params).ok());
  EXPECT_EQ(bench.found().rows.size(), 2 * rows);
}

TEST(Matmul, StoppingAtAnyMomentKeepsWhatIsWhole) {
  for (int at = 1; at < 60; at += 3) {
    ExperimentBench bench({host({{"fast", 0.08}, {"good", 0.06}})});
    int events = 0;
    bench.on_progress = [&](const ProgressEvent&) {
      if (++events == at) {
        bench.stop().request();
      }
    };
    Params params = small({{"cpu", ""}});
    params.problems.push_back({{32, 32, 32}, DataType::f32});
    ASSERT_TRUE(run(bench.context(), params).ok());
    for (const Row& row : bench.found().rows) {
      EXPECT_TRUE(document::time_ns(row)) << row.id << ": a row of an interrupted case is whole or absent";
    }
  }
}

TEST(Matmul, StoppingBeforeTheCeilingsMeasuresNoneAndPlansNothing) {
  ExperimentBench bench({host({{"fast", 0.08}})});
  bench.on_progress = [&](const ProgressEvent&) { bench.stop().request(); };
  ASSERT_TRUE(run(bench.context(), small({{"cpu", ""}})).ok());
  EXPECT_TRUE(bench.found().plan.empty());
  EXPECT_TRUE(bench.found().rows.empty());
}

TEST(Matmul, ProgressNeverGoesBackAndNamesTheProduct) {
  ExperimentBench bench({host({{"fast", 0.08}})});
  double last = 0;
  bool named = false;
  bench.on_progress = [&](const ProgressEvent& event) {
    EXPECT_GE(event.done_share, last);
    EXPECT_LE(event.done_share, 1);
    last = event.done_share;
    named = named || event.what.id == "matmul.progress";
  };
  ASSERT_TRUE(run(bench.context(), small({{"cpu", ""}})).ok());
  EXPECT_TRUE(named);
}

TEST(Matmul, ScalarsTransposesAndDataReachTheProductAndTheRow) {
  for (const numerics::Data data : {numerics::Data::ints, numerics::Data::zeros, numerics::Data::uniform}) {
    ExperimentBench bench({host({{"fast", 0.08}})});
    Params params = small({{"cpu", "fast"}});
    params.alpha = 2;
    params.beta = -1;
    params.transpose_a = true;
    params.problems[0].data = data;
    ASSERT_TRUE(run(bench.context(), params).ok());
    const Row* row = bench.row("cpu:fast");
    EXPECT_TRUE(document::time_ns(*row)) << row->reason.id << " " << numerics::to_string(data);
    EXPECT_NE(row->again.find("--transpose tn --alpha 2 --beta -1 --data "), std::string::npos) << row->again;
  }
}

}  // namespace
}  // namespace jissoku::experiments::matmul
