// The profile experiment on the reference device and on models, whose times are known.
#include "jissoku/experiments/profile/profile.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "jissoku/backends/model/backend.hpp"
#include "jissoku/backends/reference/backend.hpp"
#include "jissoku/document/derive.hpp"
#include "jissoku/experiments/datasheet.hpp"
#include "jissoku/experiments/profile/network.hpp"
#include "jissoku/timeline/analysis/operator_table.hpp"
#include "jissoku/timeline/diagnosis/diagnose.hpp"
#include "jissoku/timeline/importers/import.hpp"
#include "support/experiment_bench.hpp"

namespace jissoku::experiments::profile {
namespace {

using document::RowStatus;
using tests::ExperimentBench;

/// With the real reference and models; nothing of it depends on how quick this machine is.
struct Lab {
  ExperimentBench bench{{}};
  measure::SystemClock clock;

  Lab() {
    bench.registry().add(backends::reference::make_backend());
    bench.registry().add(backends::model::make_backend(
        embedded_datasheet_text(), [] { return backends::reference::make_backend().open("reference", {}); }));
  }
  core::Status run_on(const std::string& device, Params params = {}) {
    params.devices = {{device, ""}};
    params.budget_ns = 200'000'000;
    Context context = bench.context();
    context.clock = &clock;
    return run(context, params);
  }
  timeline::Timeline trace() const {
    const auto& attachments = bench.found().attachments;
    EXPECT_EQ(attachments.size(), 1U);
    auto trace = timeline::importers::import_text("profile", attachments.at(0).content);
    EXPECT_TRUE(trace.ok());
    return trace ? std::move(*trace) : timeline::Timeline();
  }
};

std::int64_t count_of(const timeline::Timeline& trace, std::string_view name) {
  std::int64_t count = 0;
  for (timeline::EventId id = 0; id < trace.events.size(); ++id) {
    count += trace.name(id) == name ? 1 : 0;
  }
  return count;
}

TEST(Profile, RecordsEachPartOfEachStepOnce) {
  Lab lab;
  Params params;
  params.steps = 3;
  ASSERT_TRUE(lab.run_on("reference", params).ok());
  const auto& rows = lab.bench.found().rows;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].id, "profile/reference/f32/32x10x128/normal/hot/2t/workload=linear");
  EXPECT_EQ(rows[1].baseline, rows[0].id);
  for (const document::Row& row : rows) {
    EXPECT_TRUE(row.verification.passed);
    EXPECT_TRUE(row.verification.self_test);
    EXPECT_TRUE(row.timed_verification.passed);
    EXPECT_EQ(row.verification.elements, 320);
    EXPECT_EQ(row.flops, 2.0 * 32 * 10 * 128);
    EXPECT_FALSE(row.samples.empty());
  }
  const timeline::Timeline trace = lab.trace();
  for (const char* name : {"jissoku::linear",
                           "jissoku::gemm",
                           "jissoku::bias",
                           "gemm",
                           "bias_activation",
                           "jissoku::copy_input",
                           "jissokuStreamSynchronize",
                           "model_inference"}) {
    EXPECT_EQ(count_of(trace, name), 3) << name;
  }
  EXPECT_EQ(count_of(trace, "jissokuLaunchKernel"), 6);
  EXPECT_EQ(count_of(trace, "jissokuMemcpyAsync"), 6);
  EXPECT_EQ(count_of(trace, "ProfilerStep#2"), 1);
}

TEST(Profile, AnMlpIsThreeLayers) {
  Lab lab;
  Params params;
  params.workload = {Network::mlp, 5, 7, 11, 3};
  params.steps = 2;
  ASSERT_TRUE(lab.run_on("reference", params).ok());
  ASSERT_EQ(lab.bench.found().rows.size(), 2U);
  const document::Row& row = lab.bench.found().rows[0];
  EXPECT_TRUE(row.verification.passed);
  EXPECT_EQ(row.verification.elements, 5 * (11 + 11 + 3));
  EXPECT_EQ(row.flops, 2.0 * 5 * (7 * 11 + 11 * 11 + 11 * 3));
  const timeline::Timeline trace = lab.trace();
  EXPECT_EQ(count_of(trace, "jissoku::linear"), 6);
  EXPECT_EQ(count_of(trace, "jissoku::bias_relu"), 4);
  EXPECT_EQ(count_of(trace, "jissoku::bias"), 2);
}

TEST(Profile, OnAModelItIsTheModelsTime) {
  Lab lab;
  Params params;
  params.steps = 4;
  ASSERT_TRUE(lab.run_on("model:cpu", params).ok());
  const auto diagnosis = timeline::diagnosis::diagnose(lab.trace(), {});
  ASSERT_TRUE(diagnosis.ok());
  ASSERT_EQ(diagnosis->devices.size(), 1U);
  const auto& activity = diagnosis->devices[0].activity;
  EXPECT_EQ(activity.work.size(), 16U);
  // The step of the document is the step of the trace: both on the virtual clock.
  const auto step = document::time_ns(lab.bench.found().rows[0]);
  ASSERT_TRUE(step.has_value());
  EXPECT_NEAR(static_cast<double>(activity.window_ns()), 4 * step->value, step->value);
  EXPECT_EQ(diagnosis->devices[0].verdict == timeline::diagnosis::Verdict::untrusted, false);
}

TEST(Profile, KeepsHowItsTableIsShown) {
  Lab lab;
  Params params;
  params.steps = 1;
  params.presentation = {{"sort", std::string("count")}, {"limit", std::int64_t{5}}};
  ASSERT_TRUE(lab.run_on("model:cpu", params).ok());
  const auto& kept = lab.bench.found().attachments.at(0).parameters;
  ASSERT_GE(kept.size(), 2U);
  EXPECT_EQ(kept[0], (core::Argument{"sort", std::string("count")}));
}

TEST(Profile, AVariantThatIsNotThereIsAnError) {
  Lab lab;
  Params params;
  params.devices = {{"reference", "nonsense"}};
  const core::Status status = run(lab.bench.context(), params);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().exit_code, core::ExitCode::unavailable);
  EXPECT_TRUE(lab.bench.found().rows.empty());
}

TEST(Profile, AFailingDeviceIsARowWithTheReason) {
  tests::FakeDeviceOptions options;
  options.id = "fake";
  options.variants = {{}};
  options.variants.front().result = tests::FakeResult::one_element_off;
  ExperimentBench bench({options});
  Params params;
  params.devices = {{"fake", ""}};
  ASSERT_TRUE(run(bench.context(), params).ok());
  ASSERT_EQ(bench.found().rows.size(), 2U);
  EXPECT_EQ(bench.found().rows[0].status, RowStatus::wrong);
  EXPECT_FALSE(bench.found().rows[0].reason.empty());
  EXPECT_TRUE(bench.found().attachments.empty());
}

TEST(Profile, TooLargeIsSaidBeforeAnythingIsAllocated) {
  Lab lab;
  Params params;
  params.workload.in = params.workload.out = 1 << 24;
  const core::Status status = lab.run_on("reference", params);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().exit_code, core::ExitCode::usage);
  EXPECT_TRUE(lab.bench.found().rows.empty());
}

TEST(Profile, FilterAndResumeLeaveRowsAlone) {
  Lab lab;
  Params params;
  params.steps = 1;
  params.selected = [](const std::string&) { return false; };
  ASSERT_TRUE(lab.run_on("model:cpu", params).ok());
  EXPECT_TRUE(lab.bench.found().rows.empty());
  params.selected = {};
  ASSERT_TRUE(lab.run_on("model:cpu", params).ok());
  const std::string started = lab.bench.found().attachments.at(0).content;
  ASSERT_TRUE(lab.run_on("model:cpu", params).ok());
  EXPECT_EQ(lab.bench.found().rows.size(), 2U);
  EXPECT_EQ(lab.bench.found().attachments.at(0).content, started);
}

/// Reference arithmetic whose bias or product is off in one element.
class Tampering final : public device::Device {
 public:
  enum class Where { product, bias };
  Tampering(std::unique_ptr<device::Device> inner, Where where) : inner_(std::move(inner)), where_(where) {}

  const device::Info& info() const override { return inner_->info(); }
  device::Support supports(const device::Operation& operation) const override {
    return inner_->supports(operation);
  }
  std::vector<device::Variant> variants(const device::Operation& operation) const override {
    return inner_->variants(operation);
  }
  core::Result<std::unique_ptr<device::Buffer>> allocate(std::size_t bytes,
                                                         device::MemoryKind kind) override {
    return inner_->allocate(bytes, kind);
  }
  core::Result<std::unique_ptr<device::Stream>> create_stream() override { return inner_->create_stream(); }
  core::Result<std::unique_ptr<device::Event>> create_event() override { return inner_->create_event(); }
  core::Status launch(device::Stream& stream, const device::Operation& operation) override {
    auto done = inner_->launch(stream, operation);
    if (const auto* gemm = std::get_if<device::Gemm>(&operation);
        gemm != nullptr && where_ == Where::product) {
      tamper(gemm->c);
    }
    if (const auto* bias = std::get_if<device::BiasActivation>(&operation);
        bias != nullptr && where_ == Where::bias) {
      tamper(bias->out);
    }
    return done;
  }
  core::Status copy(device::Stream& stream, const device::CopyRange& range) override {
    return inner_->copy(stream, range);
  }
  core::Status record(device::Stream& stream, device::Event& event) override {
    return inner_->record(stream, event);
  }
  core::Status wait(device::Stream& stream, device::Event& event) override {
    return inner_->wait(stream, event);
  }
  core::Status synchronise(device::Stream& stream) override { return inner_->synchronise(stream); }
  core::Result<double> elapsed_ns(const device::Event& start, const device::Event& stop) override {
    return inner_->elapsed_ns(start, stop);
  }
  std::int64_t memory_in_use_bytes() const override { return inner_->memory_in_use_bytes(); }
  device::Telemetry telemetry() override { return inner_->telemetry(); }
  void set_recorder(device::Recorder* recorder) override { inner_->set_recorder(recorder); }

 private:
  static void tamper(const device::TensorView& view) {
    auto* values = reinterpret_cast<float*>(view.buffer->host_data());
    values[view.rows * view.columns - 1] += 0.01F;
  }
  std::unique_ptr<device::Device> inner_;
  Where where_;
};

TEST(ProfiledNetwork, AWrongElementIsFoundWhereverItArises) {
  for (const auto where : {Tampering::Where::product, Tampering::Where::bias}) {
    Session session;
    auto inner = backends::reference::make_backend().open("reference", {});
    ASSERT_TRUE(inner.ok());
    session.device = std::make_unique<Tampering>(std::move(*inner), where);
    auto stream = session.device->create_stream();
    ASSERT_TRUE(stream.ok());
    session.stream = std::move(*stream);
    const auto built = Built::make(session, {}, "", 1);
    ASSERT_TRUE(built.ok());
    const auto proof = built->verify(1);
    ASSERT_TRUE(proof.ok());
    EXPECT_FALSE(proof->passed);
    EXPECT_FALSE(proof->finding.empty());
  }
}

}  // namespace
}  // namespace jissoku::experiments::profile
