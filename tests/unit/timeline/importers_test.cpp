#include <tuple>

#include <gtest/gtest.h>

#include "jissoku/timeline/export.hpp"
#include "jissoku/timeline/importers/scanner.hpp"
#include "support/gzip.hpp"
#include "support/read_trace.hpp"
#include "support/trace_cases.hpp"
#include "support/trace_damage.hpp"

namespace jissoku::tests {
namespace {

using timeline::Category;
using timeline::Repair;
using timeline::Timeline;
using timeline::importers::parse_integer;
using timeline::importers::parse_thousandths;
using timeline::importers::unescape;

std::int64_t ns(std::string_view text) {
  std::int64_t value = -1;
  EXPECT_TRUE(parse_thousandths(text, value)) << text;
  return value;
}

TEST(Numbers, MicrosecondsBecomeExactNanoseconds) {
  EXPECT_EQ(ns("0"), 0);
  EXPECT_EQ(ns("1234"), 1234000);
  EXPECT_EQ(ns("1234.567"), 1234567);
  EXPECT_EQ(ns("1234.5"), 1234500);
  EXPECT_EQ(ns("-3.25"), -3250);
  EXPECT_EQ(ns("1.2e6"), 1200000000);
  EXPECT_EQ(ns("1E-3"), 1);
  EXPECT_EQ(ns("0.0004"), 0);
  EXPECT_EQ(ns("0.0005"), 1);
  EXPECT_EQ(ns("1623142623460111"), 1623142623460111000);
  EXPECT_EQ(ns("1683564900123456.789"), 1683564900123456789);  // 19 digits: beyond a double
  EXPECT_EQ(ns("99999999999999999999999"), timeline::importers::kMostNs);
  std::int64_t value = 0;
  for (const char* text : {"", "-", "abc", "1.2.3", "0x10", "1e"}) {
    EXPECT_FALSE(parse_thousandths(text, value)) << text;
  }
}

TEST(Numbers, IdsBeyondInt64StayDifferent) {
  std::int64_t one = 0;
  std::int64_t two = 0;
  EXPECT_TRUE(parse_integer("18446744073709551615", one));
  EXPECT_TRUE(parse_integer("18446744073709551614", two));
  EXPECT_NE(one, two);
}

TEST(Numbers, Escapes) {
  EXPECT_EQ(unescape("a\\\"b\\\\c\\n\\u00e9\\ud83d\\ude00"), "a\"b\\c\n\xC3\xA9\xF0\x9F\x98\x80");
  EXPECT_EQ(unescape("C:\\dir\\x\\"), "C:\\dir\\x\\");
}

TEST(Chrome, BareListsStringNumbersAndSortedKeys) {
  const Timeline trace = read_trace(
      "[{\"args\": {\"correlation\": 7, \"stream\": 3, \"device\": 1}, \"cat\": \"kernel\", \"dur\": "
      "\"2.5\", "
      "\"name\": \"k\", \"ph\": \"X\", \"pid\": 1, \"tid\": 3, \"ts\": \"10\"},\n"
      " {\"ph\": \"X\", \"cat\": \"Runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 5, \"tid\": "
      "\"25738\", "
      "\"ts\": 1e1, \"dur\": 1, \"args\": {\"correlation\": 7, \"external id\": 2}}");  // no closing bracket:
                                                                                        // allowed
  ASSERT_EQ(trace.events.size(), 2U);
  EXPECT_EQ(trace.repairs[Repair::truncated], 0);
  EXPECT_EQ(trace.events.start_ns[0], 10000);
  EXPECT_EQ(trace.events.duration_ns[0], 2500);
  EXPECT_EQ(trace.lanes[trace.events.lane[0]].device, 1);
  EXPECT_EQ(trace.device_detail(0)->correlation, 7);
  EXPECT_EQ(trace.lanes[trace.events.lane[1]].thread.number, 25738);
  EXPECT_EQ(trace.call_detail(1)->external_id, 2);
}

TEST(Chrome, BeginAndEndPairsAndDevicesByName) {
  const Timeline trace = read_trace(
      "{\"traceEvents\": ["
      "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 9, \"args\": {\"name\": \"/device:GPU:1\"}},"
      "{\"ph\": \"B\", \"name\": \"outer\", \"pid\": 1, \"tid\": 1, \"ts\": 0},"
      "{\"ph\": \"B\", \"name\": \"inner\", \"pid\": 1, \"tid\": 1, \"ts\": 2},"
      "{\"ph\": \"E\", \"pid\": 1, \"tid\": 1, \"ts\": 3}, {\"ph\": \"E\", \"pid\": 1, \"tid\": 1, \"ts\": "
      "9},"
      "{\"ph\": \"E\", \"pid\": 1, \"tid\": 1, \"ts\": 11},"
      "{\"ph\": \"X\", \"name\": \"MemcpyH2D Copy\", \"pid\": 9, \"tid\": 1, \"ts\": 4, \"dur\": 2},"
      "{\"ph\": \"X\", \"name\": \"gemm\", \"pid\": 9, \"tid\": 1, \"ts\": 6, \"dur\": 2}]}");
  EXPECT_EQ(trace.repairs[Repair::unmatched_ends], 1);
  const auto devices = timeline::analysis::device_activities(trace, std::nullopt);
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].device, 1);
  EXPECT_EQ(devices[0].busy_ns(), 4000);
  EXPECT_EQ(devices[0].exposed_copy_ns, 2000);
}

TEST(Export, KeepsWhatAdviceOnMemoryNeeds) {
  const Timeline trace = read_trace(
      R"([{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 1, "args": {"device": 0, "stream": 7}},
{"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": 2.5, "args": {"Device Type": 1, "Device Id": 0, "Bytes": 512, "Total Reserved": 2048}},
{"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": 3, "args": {"Device Type": 0, "Device Id": -1, "Bytes": -64}}])");
  ASSERT_EQ(trace.memory.size(), 2U);
  std::string text;
  timeline::export_chrome(trace, [&text](std::string_view piece) {
    text += piece;
    return true;
  });
  const Timeline again = read_trace(text);
  ASSERT_EQ(again.memory.size(), 2U);
  for (std::size_t index = 0; index < 2; ++index) {
    const auto& before = trace.memory[index];
    const auto& after = again.memory[index];
    EXPECT_EQ(std::tie(after.time_ns, after.bytes, after.total_reserved, after.device),
              std::tie(before.time_ns, before.bytes, before.total_reserved, before.device));
  }
}

TEST(Chrome, MetadataMayFollowTheEvents) {
  const Timeline trace = read_trace(
      "{\"traceEvents\": [], \"distributedInfo\": {\"rank\": 3, \"world_size\": 8}, \"deviceProperties\": "
      "[{\"id\": 0, \"name\": \"G\", \"numSms\": 80}]}");
  EXPECT_EQ(trace.rank, 3);
  EXPECT_EQ(trace.world_size, 8);
  ASSERT_NE(trace.device_info(0), nullptr);
  EXPECT_EQ(trace.device_info(0)->multiprocessors, 80);
}

std::string sound_text() {
  TraceFixture trace;
  add_scenario(trace, input_starvation());
  return trace.text();
}

class Damaged : public testing::TestWithParam<std::size_t> {};

TEST_P(Damaged, TheRestIsReadAndTheDamageCounted) {
  const Damage damage = all_damages()[GetParam()];
  SCOPED_TRACE(damage.name);
  const std::string sound = sound_text();
  const std::string broken = damage.apply(sound);
  ASSERT_NE(broken, sound) << "nothing was damaged";
  const auto before = static_cast<std::int64_t>(read_trace(sound).events.size());
  const Timeline after = read_trace(broken);
  std::int64_t kept = 0;
  for (const auto& lane : after.by_lane) {
    kept += static_cast<std::int64_t>(lane.size());
  }
  EXPECT_GE(kept, before - damage.most_lost);
  EXPECT_GE(after.repairs[damage.counted] + (damage.most_lost > 0 ? before - kept : 0), 1);
  EXPECT_EQ(after.repairs[Repair::truncated], 0);
}

INSTANTIATE_TEST_SUITE_P(Chrome, Damaged, testing::Range<std::size_t>(0, all_damages().size()));

TEST(Chrome, ATruncatedFileKeepsAllWholeEvents) {
  const std::string sound = sound_text();
  const auto all = static_cast<double>(read_trace(sound).events.size());
  for (const double part : {0.1, 0.5, 0.9, 0.999}) {
    const Timeline trace = read_trace(truncated(sound, part));
    EXPECT_NEAR(static_cast<double>(trace.events.size()), all * part, all * 0.02 + 2) << part;
    EXPECT_EQ(trace.repairs[Repair::truncated], 1) << part;
    EXPECT_EQ(verdict_of(diagnose(trace)), "untrusted");
  }
}

TEST(Chrome, ALostBeginningLosesNoMore) {
  const std::string sound = sound_text();
  const Timeline trace = read_trace(sound.substr(sound.find("\"ts\"") + 3));
  EXPECT_EQ(trace.events.size() + 1, read_trace(sound).events.size());
  EXPECT_GE(trace.repairs[Repair::lost_events], 1);
}

TEST(Chrome, UnsortedEventsGiveTheSameDiagnosis) {
  TraceFixture trace;
  add_scenario(trace, input_starvation());
  std::string text = trace.text();
  // The first event to the end of the list.
  const std::size_t begin = text.find("{\"ph\"");
  const std::size_t end = text.find("}}", begin) + 2;
  const std::string first = text.substr(begin, end - begin);
  text.erase(begin, end - begin + 2);
  text = replaced(text, "\n], \"traceName\"", ",\n" + first + "\n], \"traceName\"");
  EXPECT_EQ(diagnose(read_trace(text)).devices.at(0).activity.busy,
            diagnose(read_trace(trace.text())).devices.at(0).activity.busy);
}

TEST(Packed, GzipOfSeveralMembersTruncatedAndDamaged) {
  const std::string sound = sound_text();
  const std::size_t all = read_trace(sound).events.size();
  EXPECT_EQ(read_trace(gzipped(sound), "x.gz").events.size(), all);
  const std::size_t half = sound.size() / 2;
  const std::string members = gzipped(sound.substr(0, half)) + gzipped(sound.substr(half));
  EXPECT_EQ(read_trace(members).events.size(), all);  // by content, not by name
  const std::string packed = gzipped(sound);
  const Timeline cut = read_trace(packed.substr(0, packed.size() / 2));
  EXPECT_GT(cut.events.size(), all / 4);
  EXPECT_LT(cut.events.size(), all);
  EXPECT_GE(cut.repairs[Repair::truncated], 1);
  std::string broken = members;
  broken[gzipped(sound.substr(0, half)).size() / 2] ^= 0x55;
  const Timeline damaged = read_trace(broken);
  EXPECT_EQ(damaged.repairs[Repair::corrupt_stream], 1);
  EXPECT_GT(damaged.events.size(), all * 2 / 5);  // the second member is whole
  EXPECT_EQ(verdict_of(diagnose(damaged)), "untrusted");
}

}  // namespace
}  // namespace jissoku::tests
