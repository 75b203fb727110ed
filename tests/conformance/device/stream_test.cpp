// Streams, events, the recorder, and what a device says of itself.
#include <map>
#include <optional>
#include <set>

#include "harness.hpp"

namespace jissoku::tests {
namespace {

using device::Activity;

class Streams : public DeviceTest {
 protected:
  static device::Fill fill_of(device::Buffer& buffer) {
    device::Fill fill;
    fill.out.buffer = &buffer;
    fill.out.rows = 1;
    fill.out.columns = static_cast<std::int64_t>(buffer.size_bytes() / sizeof(float));
    fill.out.leading_dimension = fill.out.columns;
    return fill;
  }
};

TEST_P(Streams, DeviceIsTheOneThatWasListed) {
  const device::Info& info = device().info();
  EXPECT_EQ(info.id, GetParam().device);
  EXPECT_EQ(info.id.substr(0, info.id.find(':')), info.backend);
  EXPECT_FALSE(info.name.empty());
}

TEST_P(Streams, EventsAreInTheOrderOfTheWork) {
  auto buffer = allocate(1 << 18);
  std::vector<std::unique_ptr<device::Event>> events;
  for (int i = 0; i < 4; ++i) {
    auto event = device().create_event();
    ASSERT_TRUE(succeeded(event));
    ASSERT_TRUE(succeeded(device().launch(stream(), fill_of(*buffer))));
    ASSERT_TRUE(succeeded(device().record(stream(), **event)));
    events.push_back(std::move(*event));
  }
  ASSERT_TRUE(succeeded(device().synchronise(stream())));
  double sum = 0;
  for (std::size_t i = 1; i < events.size(); ++i) {
    const auto elapsed = device().elapsed_ns(*events[i - 1], *events[i]);
    ASSERT_TRUE(succeeded(elapsed));
    EXPECT_GT(*elapsed, 0);  // filling 256 KiB takes time on any clock
    EXPECT_LT(*elapsed, 60e9);
    sum += *elapsed;
  }
  const auto whole = device().elapsed_ns(*events.front(), *events.back());
  ASSERT_TRUE(succeeded(whole));
  EXPECT_NEAR(*whole, sum, 1 + 1e-6 * sum);
  const auto backwards = device().elapsed_ns(*events.back(), *events.front());
  EXPECT_TRUE(!backwards || *backwards <= 0);
}

TEST_P(Streams, AnEventCanBeRecordedAgain) {
  auto buffer = allocate(1 << 16);
  auto first = std::move(device().create_event()).value();
  auto second = std::move(device().create_event()).value();
  ASSERT_TRUE(succeeded(device().record(stream(), *second)));
  ASSERT_TRUE(succeeded(device().record(stream(), *first)));
  ASSERT_TRUE(succeeded(device().launch(stream(), fill_of(*buffer))));
  ASSERT_TRUE(succeeded(device().record(stream(), *second)));
  ASSERT_TRUE(succeeded(device().synchronise(stream())));
  const auto elapsed = device().elapsed_ns(*first, *second);
  ASSERT_TRUE(succeeded(elapsed));
  EXPECT_GT(*elapsed, 0);
}

TEST_P(Streams, TimeOfAnEventThatWasNotRecordedIsAnError) {
  auto recorded = std::move(device().create_event()).value();
  auto other = std::move(device().create_event()).value();
  ASSERT_TRUE(succeeded(device().record(stream(), *recorded)));
  ASSERT_TRUE(succeeded(device().synchronise(stream())));
  EXPECT_FALSE(device().elapsed_ns(*recorded, *other).ok());
  EXPECT_FALSE(device().elapsed_ns(*other, *recorded).ok());
}

TEST_P(Streams, AStreamWaitsForAnother) {
  auto second = std::move(device().create_stream()).value();
  auto event = std::move(device().create_event()).value();
  auto source = allocate(1 << 20);
  auto target = allocate(1 << 20);
  ASSERT_TRUE(succeeded(device().launch(stream(), fill_of(*source))));
  ASSERT_TRUE(succeeded(device().record(stream(), *event)));
  ASSERT_TRUE(succeeded(device().wait(*second, *event)));
  ASSERT_TRUE(succeeded(device().copy(*second, {target.get(), 0, source.get(), 0, source->size_bytes()})));
  ASSERT_TRUE(succeeded(device().synchronise(*second)));
  std::vector<float> expected(source->size_bytes() / sizeof(float));
  numerics::fill_values(numerics::Data::normal, 0, 0, 1, expected);
  EXPECT_EQ(download<float>(*target), expected);
}

class Notes final : public device::Recorder {
 public:
  struct Note {
    Activity activity;
    std::string name;
    std::int64_t correlation, start_ns, end_ns;
  };
  void host_call(Activity activity,
                 const std::string& name,
                 std::int64_t correlation,
                 std::int64_t start_ns,
                 std::int64_t end_ns) override {
    host.push_back({activity, name, correlation, start_ns, end_ns});
  }
  void device_work(Activity activity,
                   const std::string& name,
                   std::int64_t correlation,
                   std::int64_t start_ns,
                   std::int64_t end_ns) override {
    work.push_back({activity, name, correlation, start_ns, end_ns});
  }
  std::vector<Note> host, work;
};

TEST_P(Streams, RecorderHearsOfEveryLaunchCopyAndSynchronisation) {
  auto buffer = allocate(4096);
  auto other = allocate(4096);
  Notes notes;
  device().set_recorder(&notes);
  EXPECT_TRUE(succeeded(device().launch(stream(), fill_of(*buffer))));
  EXPECT_TRUE(succeeded(device().copy(stream(), {other.get(), 0, buffer.get(), 0, 4096})));
  EXPECT_TRUE(succeeded(device().synchronise(stream())));
  device().set_recorder(nullptr);
  EXPECT_TRUE(succeeded(device().launch(stream(), fill_of(*buffer))));
  EXPECT_TRUE(succeeded(device().synchronise(stream())));

  ASSERT_EQ(notes.host.size(), 3U);
  EXPECT_EQ(notes.host[0].activity, Activity::launch);
  EXPECT_EQ(notes.host[0].name.substr(0, 4), "fill");
  EXPECT_EQ(notes.host[1].activity, Activity::copy);
  EXPECT_EQ(notes.host[2].activity, Activity::synchronise);
  std::int64_t last_start_ns = 0;
  std::map<std::int64_t, Activity> calls;
  for (const Notes::Note& note : notes.host) {
    EXPECT_LE(note.start_ns, note.end_ns);
    EXPECT_LE(last_start_ns, note.start_ns);
    last_start_ns = note.start_ns;
    EXPECT_TRUE(calls.emplace(note.correlation, note.activity).second) << "a correlation id twice";
  }
  std::multiset<Activity> worked;
  for (const Notes::Note& note : notes.work) {
    EXPECT_LE(note.start_ns, note.end_ns);
    ASSERT_EQ(calls.count(note.correlation), 1U) << "work that nobody called for";
    EXPECT_EQ(calls.at(note.correlation), note.activity);
    worked.insert(note.activity);
  }
  EXPECT_EQ(worked.count(Activity::launch), 1U);
  EXPECT_EQ(worked.count(Activity::copy), 1U);
}

/// Work of one stream is told once, in the stream's order, and lies between the first call and the end of the
/// synchronisation when it is brought to the host's clock.
TEST_P(Streams, RecordedWorkIsInOrderAndOnAClockThatCanBeCompared) {
  constexpr std::size_t kLaunches = 5;
  auto buffer = allocate(1 << 16);
  auto other = allocate(1 << 16);
  Notes notes;
  device().set_recorder(&notes);
  const std::optional<std::int64_t> shift_ns = device().host_minus_device_ns();
  for (std::size_t i = 0; i < kLaunches; ++i) {
    ASSERT_TRUE(succeeded(device().launch(stream(), fill_of(*buffer))));
    ASSERT_TRUE(succeeded(device().copy(stream(), {other.get(), 0, buffer.get(), 0, 1 << 16})));
  }
  ASSERT_TRUE(succeeded(device().synchronise(stream())));
  device().set_recorder(nullptr);

  ASSERT_EQ(notes.host.size(), 2 * kLaunches + 1);
  ASSERT_EQ(notes.work.size(), 2 * kLaunches);
  for (std::size_t i = 0; i < notes.work.size(); ++i) {
    EXPECT_EQ(notes.work[i].correlation, notes.host[i].correlation);
    EXPECT_EQ(notes.work[i].name, notes.host[i].name);
    EXPECT_LE(notes.work[i].start_ns, notes.work[i].end_ns);
    if (i > 0) {
      EXPECT_LE(notes.work[i - 1].end_ns, notes.work[i].start_ns);
    }
  }
  ASSERT_TRUE(shift_ns.has_value());
  constexpr std::int64_t kUncertainNs = 20'000'000;  // a busy machine may pause between two clock readings
  EXPECT_GE(notes.work.front().start_ns + *shift_ns, notes.host.front().start_ns - kUncertainNs);
  EXPECT_LE(notes.work.back().end_ns + *shift_ns, notes.host.back().end_ns + kUncertainNs);
}

TEST_P(Streams, ARefusedLaunchIsNotRecorded) {
  auto buffer = allocate(64);
  device::Fill fill = fill_of(*buffer);
  fill.out.offset_elements = 1;
  Notes notes;
  device().set_recorder(&notes);
  EXPECT_FALSE(device().launch(stream(), fill).ok());
  device().set_recorder(nullptr);
  EXPECT_TRUE(notes.work.empty());
}

INSTANTIATE_TEST_SUITE_P(Device, Streams, testing::ValuesIn(all_devices()), target_name);

}  // namespace
}  // namespace jissoku::tests
