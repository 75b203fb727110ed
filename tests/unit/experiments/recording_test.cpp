// From what a device's recorder tells to a timeline, with every time given by hand.
#include "jissoku/experiments/profile/recording.hpp"

#include <gtest/gtest.h>

#include "jissoku/timeline/analysis/copies.hpp"
#include "jissoku/timeline/analysis/launches.hpp"
#include "jissoku/timeline/diagnosis/diagnose.hpp"
#include "jissoku/timeline/export.hpp"
#include "jissoku/timeline/importers/import.hpp"
#include "support/fake_clock.hpp"

namespace jissoku::experiments::profile {
namespace {

using device::Activity;
using tests::FakeClock;

const Range kLinear{"linear", false, "[[32, 128], [10, 128]]", "[\"float\", \"float\"]"};
const Range kPart{"part", true, "", ""};
const CopyFacts kCopyIn{"HtoD (Pinned -> Device)", 4096};

/// A launch at 100..110, its work at 1000..1040 on the device's clock, a wait at 120..`wait_end_ns`.
void record_one(Recording& recording, std::int64_t wait_end_ns) {
  recording.host_call(Activity::launch, "gemm", 1, 100, 110);
  recording.host_call(Activity::synchronise, "synchronise", 2, 120, wait_end_ns);
  recording.device_work(Activity::launch, "gemm", 1, 1000, 1040);
}

TEST(ClockFit, IsBoundedByLaunchAndWait) {
  FakeClock clock;
  Recording recording(clock);
  record_one(recording, 200);
  // Not before 100: offset >= -900. Not after 200: offset <= -840.
  const ClockFit fit = fit_clocks(recording, std::nullopt);
  EXPECT_EQ(fit.offset_ns, -870);
  EXPECT_EQ(fit.uncertainty_ns, 30);
  EXPECT_EQ(fit.contradiction_ns, 0);
}

TEST(ClockFit, TheTightestBoundOfAllWorkHolds) {
  FakeClock clock;
  Recording recording(clock);
  record_one(recording, 200);
  recording.host_call(Activity::launch, "gemm", 3, 300, 310);
  recording.host_call(Activity::synchronise, "synchronise", 4, 320, 390);
  recording.device_work(Activity::launch, "gemm", 3, 1180, 1240);  // -880 <= offset <= -850
  const ClockFit fit = fit_clocks(recording, std::nullopt);
  EXPECT_EQ(fit.offset_ns, -865);
  EXPECT_EQ(fit.uncertainty_ns, 15);
}

TEST(ClockFit, WhatTheDeviceMeasuredIsTakenWhereItIsPossible) {
  FakeClock clock;
  Recording recording(clock);
  record_one(recording, 200);  // from -900 to -840
  EXPECT_EQ(fit_clocks(recording, -860).offset_ns, -860);
  EXPECT_EQ(fit_clocks(recording, -860).uncertainty_ns, 40);
  EXPECT_EQ(fit_clocks(recording, -840).offset_ns, -840);
  EXPECT_EQ(fit_clocks(recording, 0).offset_ns, -870);
  EXPECT_EQ(fit_clocks(recording, 0).uncertainty_ns, 30);
}

TEST(ClockFit, SaysWhereNoOffsetFits) {
  FakeClock clock;
  Recording recording(clock);
  record_one(recording, 130);  // 40 ns of work between 100 and 130
  EXPECT_EQ(fit_clocks(recording, 0).contradiction_ns, 10);
}

TEST(ClockFit, OfNothingIsNothing) {
  FakeClock clock;
  const Recording recording(clock);
  EXPECT_EQ(fit_clocks(recording, 0).offset_ns, 0);
  EXPECT_EQ(fit_clocks(recording, 0).uncertainty_ns, 0);
}

timeline::Timeline sample() {
  FakeClock clock;
  Recording recording(clock);
  const std::int64_t now = clock.now_ns();
  recording.enter(kPart);
  recording.enter(kLinear);
  recording.expect(kCopyIn);
  recording.host_call(Activity::copy, "copy", 1, now + 10, now + 20);
  recording.host_call(Activity::launch, "gemm", 2, now + 30, now + 40);
  recording.device_work(Activity::copy, "copy", 1, now + 15, now + 25);
  recording.device_work(Activity::launch, "gemm", 2, now + 45, now + 95);
  clock.advance(100);
  recording.leave();
  recording.leave();
  device::Info info;
  info.id = "opencl:0";
  info.name = "A device";
  info.compute_units = 7;
  return to_timeline(recording, {}, info);
}

TEST(Recording, BecomesATimelineWithRangesCallsAndWork) {
  const timeline::Timeline trace = sample();
  ASSERT_EQ(trace.events.size(), 6U);
  const auto find = [&trace](std::string_view name) {
    for (timeline::EventId id = 0; id < trace.events.size(); ++id) {
      if (trace.name(id) == name) {
        return id;
      }
    }
    return timeline::kNoEvent;
  };
  const timeline::EventId gemm = find("gemm");
  ASSERT_NE(gemm, timeline::kNoEvent);
  EXPECT_EQ(trace.events.start_ns[gemm], 45);
  EXPECT_EQ(trace.events.duration_ns[gemm], 50);
  EXPECT_EQ(trace.events.category[gemm], timeline::Category::kernel);
  const timeline::EventId copy = find("Memcpy HtoD (Pinned -> Device)");
  ASSERT_NE(copy, timeline::kNoEvent);
  EXPECT_EQ(trace.device_detail(copy)->bytes, 4096);
  EXPECT_EQ(trace.device_detail(copy)->from, timeline::Memory::pinned);
  const timeline::EventId linear = find("linear");
  EXPECT_EQ(trace.events.duration_ns[linear], 100);
  EXPECT_EQ(trace.strings[trace.op_detail(linear)->input_shapes], kLinear.shapes);
  EXPECT_EQ(trace.device_info(0)->name, "A device");
  EXPECT_EQ(trace.device_info(0)->multiprocessors, 7);
}

TEST(Recording, IsReadBackAsItWasWritten) {
  const timeline::Timeline trace = sample();
  std::string text;
  timeline::export_chrome(trace, [&text](std::string_view piece) {
    text += piece;
    return true;
  });
  const auto again = timeline::importers::import_text("a profile", text);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->format, timeline::Format::jissoku);
  EXPECT_TRUE(again->has_shapes);
  const auto diagnosis = timeline::diagnosis::diagnose(*again, {});
  ASSERT_TRUE(diagnosis.ok());
  ASSERT_EQ(diagnosis->devices.size(), 1U);
  EXPECT_EQ(diagnosis->devices[0].activity.window_ns(), 80);
  EXPECT_EQ(diagnosis->devices[0].activity.busy_ns(), 60);
  EXPECT_EQ(diagnosis->devices[0].launches.calls, 2);
}

/// A wait of 5 ms at whose end the device did 20 us of work.
timeline::Timeline late_start() {
  FakeClock clock;
  Recording recording(clock);
  recording.host_call(Activity::launch, "gemm", 1, 0, 10'000);
  recording.device_work(Activity::launch, "gemm", 1, 10'000, 30'000);
  recording.host_call(Activity::launch, "gemm", 2, 40'000, 50'000);
  recording.host_call(Activity::synchronise, "synchronise", 3, 60'000, 5'000'000);
  recording.device_work(Activity::launch, "gemm", 2, 4'970'000, 4'990'000);
  return to_timeline(recording, {}, {});
}

TEST(Recording, AWaitForADeviceThatStartsLateIsNoLostRecord) {
  timeline::Timeline trace = late_start();
  const auto ours = timeline::diagnosis::diagnose(trace, {});
  ASSERT_TRUE(ours.ok());
  EXPECT_NE(ours->devices.at(0).verdict, timeline::diagnosis::Verdict::untrusted);
  trace.format = timeline::Format::kineto;  // another tool may have lost what it waited for
  const auto theirs = timeline::diagnosis::diagnose(trace, {});
  ASSERT_TRUE(theirs.ok());
  EXPECT_EQ(theirs->devices.at(0).verdict, timeline::diagnosis::Verdict::untrusted);
}

TEST(Recording, ARangeThatIsStillOpenIsLeftOut) {
  FakeClock clock;
  Recording recording(clock);
  recording.enter(kPart);
  EXPECT_EQ(to_timeline(recording, {}, {}).events.size(), 0U);
  recording.clear();
  EXPECT_EQ(recording.events(), 0U);
}

}  // namespace
}  // namespace jissoku::experiments::profile
