// Each cause alone, mixed, and at its threshold from both sides, on traces made for it.
#include <gtest/gtest.h>

#include "support/read_trace.hpp"
#include "support/trace_cases.hpp"

namespace jissoku::tests {
namespace {

using timeline::diagnosis::Cause;
using timeline::diagnosis::Diagnosis;
using timeline::diagnosis::Finding;

Diagnosis diagnosis_of(const TraceFixture& trace) {
  return diagnose(read_trace(trace.text()));
}

Diagnosis diagnosis_of(const Scenario& scenario) {
  TraceFixture trace;
  add_scenario(trace, scenario);
  return diagnosis_of(trace);
}

const Finding* find(const Diagnosis& diagnosis, Cause cause, std::size_t device = 0) {
  for (const Finding& finding : diagnosis.devices.at(device).findings) {
    if (finding.cause == cause) {
      return &finding;
    }
  }
  return nullptr;
}

struct Alone {
  const char* cause;
  Scenario (*make)();
};

class OneCause : public testing::TestWithParam<Alone> {};

TEST_P(OneCause, IsTheVerdictAndAllOfTheIdleTime) {
  const Diagnosis diagnosis = diagnosis_of(GetParam().make());
  EXPECT_EQ(verdict_of(diagnosis), GetParam().cause);
  ASSERT_EQ(diagnosis.devices.size(), 1U);
  ASSERT_EQ(diagnosis.devices[0].findings.size(), 1U);
  const Finding& finding = diagnosis.devices[0].findings[0];
  EXPECT_NEAR(finding.share, diagnosis.devices[0].activity.idle_share(), 0.002);
  EXPECT_EQ(finding.gaps, kSteps - 1);
  EXPECT_FALSE(finding.evidence.empty());
  EXPECT_EQ(finding.look_at.size(), 3U);
  EXPECT_GT(finding.gain_upper, 1.2);
}

INSTANTIATE_TEST_SUITE_P(Diagnosis,
                         OneCause,
                         testing::Values(Alone{"input_starvation", input_starvation},
                                         Alone{"sync_item", sync_item},
                                         Alone{"blocking_copy", blocking_copy},
                                         Alone{"allocator", allocator},
                                         Alone{"compilation", compilation},
                                         Alone{"host_work", host_work},
                                         Alone{"profiler_overhead", profiler_overhead}),
                         [](const auto& one) { return std::string(one.param.cause); });

TEST(Diagnosis, HealthyBelowTheIdleThresholdAndACauseAboveIt) {
  Scenario scenario = input_starvation();
  scenario.gap = 990;
  EXPECT_EQ(verdict_of(diagnosis_of(scenario)), "healthy");
  scenario.gap = 1040;
  EXPECT_EQ(verdict_of(diagnosis_of(scenario)), "input_starvation");
  EXPECT_EQ(verdict_of(diagnosis_of(healthy())), "healthy");
}

TEST(Diagnosis, ACauseIsAFindingFromItsOwnThresholdOn) {
  const auto with_loading = [](double loading) {
    Scenario scenario;
    scenario.reason = [loading](TraceFixture& trace, double from, double to) {
      trace.host(
          "user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", from, loading);
      trace.host("python_function", "train.py(12): write_log", from + loading, to - from - loading);
    };
    return diagnosis_of(scenario);
  };
  EXPECT_EQ(find(with_loading(480), Cause::input_starvation), nullptr);
  const Diagnosis above = with_loading(540);
  ASSERT_NE(find(above, Cause::input_starvation), nullptr);
  EXPECT_EQ(verdict_of(above), "host_work");  // the larger one comes first
}

TEST(Diagnosis, TwoCausesOfOneGapShareIt) {
  Scenario scenario;
  scenario.reason = [](TraceFixture& trace, double from, double to) {
    const double middle = from + 2500;
    trace.host("user_annotation",
               "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
               from,
               middle - from);
    trace.op("aten::empty", middle, to - middle);
    trace.call_only("cudaMalloc", middle + 1, to - middle - 2);
  };
  const Diagnosis diagnosis = diagnosis_of(scenario);
  ASSERT_NE(find(diagnosis, Cause::input_starvation), nullptr);
  ASSERT_NE(find(diagnosis, Cause::allocator), nullptr);
  EXPECT_NEAR(find(diagnosis, Cause::input_starvation)->share, 0.25, 0.01);
  EXPECT_NEAR(find(diagnosis, Cause::allocator)->share, 0.15, 0.01);
}

TEST(Diagnosis, AWaitIsChargedNoMoreThanItWaited) {
  Scenario scenario;
  scenario.gap = 6000;
  // It waits for 1 ms of work, then the host computes for 6 ms: 1 ms of lead was lost, not 6.
  scenario.wait = [](TraceFixture& trace, double, double to) {
    trace.op("aten::item", to - 1000, 1010);
    trace.call_only("cudaStreamSynchronize", to - 1000, 1005);
  };
  scenario.reason = [](TraceFixture& trace, double from, double to) {
    trace.host("python_function", "train.py(12): write_log", from + 20, to - from - 20);
  };
  const Diagnosis diagnosis = diagnosis_of(scenario);
  EXPECT_EQ(verdict_of(diagnosis), "host_work");
  ASSERT_NE(find(diagnosis, Cause::sync_item), nullptr);
  EXPECT_NEAR(find(diagnosis, Cause::sync_item)->share, 0.1, 0.01);
  EXPECT_EQ(find(diagnosis, Cause::host_work)->source, "train.py(12): write_log");
}

TEST(Diagnosis, ShortKernelsAreLaunchBoundAndLongOnesAreNot) {
  EXPECT_EQ(verdict_of(diagnosis_of(launch_bound(5))), "launch_bound");
  EXPECT_EQ(verdict_of(diagnosis_of(launch_bound(9.9))), "launch_bound");
  EXPECT_EQ(verdict_of(diagnosis_of(launch_bound(10.1))), "host_work");
}

TEST(Diagnosis, CommunicationAndTransfersAreCausesAlthoughTheGpuIsBusy) {
  EXPECT_EQ(verdict_of(diagnosis_of(communication(0.3))), "communication");
  EXPECT_EQ(verdict_of(diagnosis_of(communication(0.049))), "healthy");
  EXPECT_EQ(verdict_of(diagnosis_of(communication(0.051))), "communication");
  EXPECT_EQ(verdict_of(diagnosis_of(transfer_bound(0.8))), "transfer_bound");
  EXPECT_EQ(verdict_of(diagnosis_of(transfer_bound(0.049))), "healthy");
}

TEST(Diagnosis, EachGpuIsJudgedByItself) {
  TraceFixture trace;
  add_scenario(trace, input_starvation());
  Scenario other = healthy();
  other.device = 1;
  other.thread = 101;
  add_scenario(trace, other);
  const Diagnosis diagnosis = diagnosis_of(trace);
  ASSERT_EQ(diagnosis.devices.size(), 2U);
  EXPECT_NE(find(diagnosis, Cause::input_starvation, 0), nullptr);
  EXPECT_EQ(diagnosis.devices[1].verdict, timeline::diagnosis::Verdict::healthy);
}

TEST(Diagnosis, OneLaunchOfAGraphOwnsAllItsKernels) {
  TraceFixture trace;
  for (int step = 0; step < kSteps; ++step) {
    const double begin = 1000 + step * 1000.0;
    const int correlation = trace.call_only("cudaGraphLaunch", begin - 20, 10);
    for (int kernel = 0; kernel < 100; ++kernel) {
      trace.work("kernel", "fused_kernel", begin + kernel * 9.9, 9.5, correlation);
    }
  }
  const Diagnosis diagnosis = diagnosis_of(trace);
  EXPECT_EQ(diagnosis.devices[0].launches.linked, 100 * kSteps);
  EXPECT_EQ(diagnosis.devices[0].launches.calls, kSteps);
  EXPECT_EQ(verdict_of(diagnosis), "healthy");
}

TEST(Diagnosis, OverlapOnOneStreamCountsOnce) {
  TraceFixture trace;
  for (int index = 0; index < 100; ++index) {
    trace.launch("kernel_a", 900 + index * 100.0, 1000 + index * 100.0, 110);  // 10 us into the next one
  }
  const Diagnosis diagnosis = diagnosis_of(trace);
  EXPECT_EQ(diagnosis.devices[0].activity.busy_ns(), (99 * 100 + 110) * 1000);
  EXPECT_EQ(diagnosis.devices[0].activity.idle_share(), 0);
}

TEST(Diagnosis, AWaitWithoutRecordedWorkIsNotTrusted) {
  TraceFixture trace;
  add_scenario(trace, healthy());
  trace.call_only("cudaDeviceSynchronize", 402000, 200000);
  trace.launch("late_kernel", 602100, 602200, 100);
  EXPECT_EQ(verdict_of(diagnosis_of(trace)), "untrusted");
}

TEST(Diagnosis, MissingOperatorsAreNotTrusted) {
  TraceFixture trace;
  add_scenario(trace, healthy());
  for (int index = 0; index < 200; ++index) {
    trace.host("cpu_op",
               "aten::add",
               1000 + index * 10.0,
               5,
               100,
               fmt::format("\"External id\": {}", 1 + index * 50));
  }
  EXPECT_EQ(verdict_of(diagnosis_of(trace)), "untrusted");
}

TEST(Diagnosis, WithoutGpuWorkThereAreReasons) {
  TraceFixture trace;
  trace.op("aten::mm", 10, 20);
  const Diagnosis diagnosis = diagnosis_of(trace);
  EXPECT_EQ(verdict_of(diagnosis), "no_gpu_work");
  EXPECT_FALSE(diagnosis.no_work_reasons.empty());
}

TEST(Diagnosis, TheRankThatWaitsLeastIsTheStraggler) {
  const TemporaryFolder folder;
  TraceFixture slow = communication(0.02);
  slow.rank = 1;
  slow.world_size = 2;
  TraceFixture fast = communication(0.30);
  fast.world_size = 2;
  folder.put("rank0.json", fast.text());
  folder.put("rank1.json", slow.text());
  const auto all = timeline::importers::import_all({folder.path()});
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2U);
  std::vector<Diagnosis> diagnoses = {diagnose(all.value()[0]), diagnose(all.value()[1])};
  find_stragglers(*all, diagnoses);
  const Finding* finding = find(diagnoses[1], Cause::straggler);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->rank, 1);
  EXPECT_NEAR(finding->share, 0.28, 0.01);
}

TEST(Diagnosis, AdviceNamesFp32AndPageableMemory) {
  TraceFixture trace;
  for (int index = 0; index < 100; ++index) {
    const double at = 1000 + index * 1000.0;
    trace.op("aten::mm", at - 30, 25, TraceFixture::kMain, ", \"Input type\": [\"float\", \"float\"]");
    trace.launch("ampere_sgemm_128x64_nn", at - 20, at, 900);
    trace.copy("Memcpy HtoD (Pageable -> Device)", at + 895, at + 900, 90, 5'000'000);
  }
  const Diagnosis diagnosis = diagnosis_of(trace);
  std::vector<std::string> ids;
  for (const auto& note : diagnosis.devices[0].advice) {
    ids.emplace_back(id_of(note.advice));
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"precision_fp32", "pageable_memory"}));
}

}  // namespace
}  // namespace jissoku::tests
