// Nsight's SQLite and rocprofv3's JSON, from files made here.
#include <filesystem>
#include <fstream>
#include <sqlite3.h>
#include <sys/stat.h>
#include <zstd.h>

#include <gtest/gtest.h>

#include "support/gzip.hpp"
#include "support/read_trace.hpp"
#include "support/trace_cases.hpp"

namespace jissoku::tests {
namespace {

using timeline::Category;
using timeline::Repair;

void make_database(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  char* error = nullptr;
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &error), SQLITE_OK) << error;
  sqlite3_close(database);
}

std::string error_of(const std::string& path) {
  const auto all = timeline::importers::import_all({path});
  if (all) {
    return "read";
  }
  EXPECT_EQ(all.error().exit_code, core::ExitCode::unreadable);
  return all.error().message.id;
}

TEST(Nsight, ReadsWhatIsThereAndNeedsNoMore) {
  const TemporaryFolder folder;
  const std::string path = folder.file("export.sqlite");
  make_database(
      path,
      "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
      "INSERT INTO StringIds VALUES (1, 'gemm<float>'), (2, 'cudaLaunchKernel_v7000');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, "
      "correlationId INT, demangledName INT, globalPid INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 5000, 1, 7, 42, 1, 281475043819520);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, correlationId INT, globalTid INT, "
      "nameId INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (500, 600, 42, 281475043819523, 2);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, streamId INT, "
      "correlationId INT, bytes INT, copyKind INT, srcKind INT, dstKind INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (6000, 9000, 1, 7, 43, 4096, 1, 0, 2);");
  const auto all = timeline::importers::import_all({path});
  ASSERT_TRUE(all);
  const auto& trace = all->front();
  EXPECT_EQ(trace.format, timeline::Format::nsight);
  const auto devices = timeline::analysis::device_activities(trace, std::nullopt);
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].window_ns(), 8000);
  EXPECT_EQ(devices[0].busy_ns(), 7000);
  EXPECT_EQ(trace.name(devices[0].work[0]), "gemm<float>");
  EXPECT_EQ(trace.name(devices[0].work[1]), "Memcpy HtoD (Pageable -> Device)");
  const timeline::analysis::Launches launches(trace);
  const auto call = launches.call_of(devices[0].work[0]);
  ASSERT_NE(call, timeline::kNoEvent);
  EXPECT_EQ(trace.name(call), "cudaLaunchKernel");
  EXPECT_EQ(trace.lanes[trace.events.lane[call]].thread.number, 3);
}

constexpr const char* kRocprof = R"({"rocprofiler-sdk-tool":[{"metadata":{"pid":908},
"agents":[{"id":{"handle":1},"type":1,"name":"CPU"},{"id":{"handle":2},"type":2,"product_name":"MI300X","cu_count":304}],
"strings":{"buffer_records":[{"kind":"NONE","operations":[]},{"kind":"HIP_API","operations":["hipInit","hipLaunchKernel"]}]},
"buffer_records":{"kernel_dispatch":[{"thread_id":908,"correlation_id":{"internal":5,"external":0},
"start_timestamp":1000,"end_timestamp":4000,"dispatch_info":{"agent_id":{"handle":2},"queue_id":{"handle":16},
"kernel_id":8,"workgroup_size":{"x":256,"y":1,"z":1},"grid_size":{"x":512,"y":2,"z":1}}}],
"hip_api":[{"kind":1,"operation":1,"thread_id":908,"correlation_id":{"internal":5},"start_timestamp":500,"end_timestamp":700}],
"memory_copy":[{"thread_id":908,"correlation_id":{"internal":6},"start_timestamp":5000,"end_timestamp":6000,
"src_agent_id":{"handle":1},"dst_agent_id":{"handle":2},"bytes":64}]},
"kernel_symbols":[{"kernel_id":8,"kernel_name":"_Zx","formatted_kernel_name":"attention<bf16>"}]}]})";

TEST(Rocprof, SymbolsMayFollowTheDispatches) {
  const auto trace = read_trace(kRocprof);
  EXPECT_EQ(trace.format, timeline::Format::rocprof);
  EXPECT_EQ(trace.repairs[Repair::truncated], 0);
  const auto devices = timeline::analysis::device_activities(trace, std::nullopt);
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].busy_ns(), 4000);
  EXPECT_EQ(devices[0].exposed_copy_ns, 1000);
  EXPECT_EQ(trace.name(devices[0].work[0]), "attention<bf16>");
  EXPECT_EQ(trace.device_detail(devices[0].work[0])->grid_blocks, 4);
  EXPECT_EQ(trace.device_info(0)->name, "MI300X");
  const timeline::analysis::Launches launches(trace);
  ASSERT_NE(launches.call_of(devices[0].work[0]), timeline::kNoEvent);
  EXPECT_EQ(trace.name(launches.call_of(devices[0].work[0])), "hipLaunchKernel");
}

TEST(Rocprof, ATruncatedFileKeepsWhatWasRead) {
  const std::string text = kRocprof;
  const auto trace = read_trace(text.substr(0, text.find("\"hip_api\"")));
  EXPECT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.repairs[Repair::truncated], 1);
}

/// A ustar archive.
std::string tar_of(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string out;
  for (const auto& [name, text] : files) {
    std::string header(512, '\0');
    header.replace(0, name.size(), name);
    const std::string size = fmt::format("{:011o}", text.size());
    header.replace(124, size.size(), size);
    header[156] = '0';
    header.replace(257, 5, "ustar");
    out += header + text + std::string((512 - text.size() % 512) % 512, '\0');
  }
  return out + std::string(1024, '\0');
}

TEST(Packed, AnArchiveOfRanksIsRanks) {
  TraceFixture first = communication(0.1);
  TraceFixture second = communication(0.2);
  second.rank = 1;
  const TemporaryFolder folder;
  const std::string path = folder.put(
      "ranks.tgz", gzipped(tar_of({{"a.json", first.text()}, {"b.json.gz", gzipped(second.text())}})));
  const auto all = timeline::importers::import_all({path});
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ(all.value()[0].rank, 0);
  EXPECT_EQ(all.value()[1].rank, 1);
  EXPECT_EQ(all.value()[1].events.size(), second.size());
  EXPECT_EQ(all.value()[1].repairs[Repair::truncated], 0);
}

TEST(Packed, AnArchiveThatEndsEarlyIsSaidSo) {
  // Also where nothing of the member that is cut could be read, and between members.
  const std::string first = communication(0.1).text();
  const std::string whole = tar_of({{"a.json", first}, {"b.json.gz", gzipped(communication(0.2).text())}});
  const std::size_t border = 512 + (first.size() + 511) / 512 * 512;
  const TemporaryFolder folder;
  for (const std::size_t size : {border, border + 100, border + 512, border + 530, whole.size() - 1024}) {
    const auto all = timeline::importers::import_all({folder.put("cut.tar", whole.substr(0, size))});
    ASSERT_TRUE(all) << size;
    EXPECT_EQ(all->front().events.size(), communication(0.1).size());
    EXPECT_EQ(all->back().repairs[Repair::truncated], 1) << size << " of " << whole.size();
  }
}

std::string zstd_frame(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

TEST(Packed, ZstdAsItIsInFramesCutAndDamaged) {
  const TraceFixture fixture = communication(0.1);
  const std::string text = fixture.text();
  const std::size_t half = text.size() / 2;
  const std::string frames = zstd_frame(text.substr(0, half)) + zstd_frame(text.substr(half));
  EXPECT_EQ(read_trace(zstd_frame(text)).events.size(), fixture.size());
  const auto two = read_trace(frames);
  EXPECT_EQ(two.events.size(), fixture.size());
  EXPECT_EQ(two.repairs[Repair::truncated] + two.repairs[Repair::corrupt_stream], 0);
  const auto cut = read_trace(frames.substr(0, frames.size() - 1));
  EXPECT_EQ(cut.repairs[Repair::truncated], 1);
  EXPECT_GT(cut.events.size(), 0U);
  // The second frame's first block is damaged: the first frame is still there.
  std::string wrong = frames;
  wrong[zstd_frame(text.substr(0, half)).size() + 12] ^= 0x55;
  wrong[wrong.size() - 20] ^= 0x55;
  const auto damaged = read_trace(wrong);
  EXPECT_EQ(damaged.repairs[Repair::corrupt_stream], 1);
  EXPECT_GT(damaged.events.size(), 0U);
}

TEST(Nsight, ACutFileIsReadAsFarAsItGoesAndNotTrusted) {
  const TemporaryFolder folder;
  const std::string path = folder.file("export.sqlite");
  make_database(
      path,
      "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
      "INSERT INTO StringIds VALUES (1, 'gemm');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, demangledName INT);"
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4000) "
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 100, i * 100 + 90, 0, 1 FROM n;");
  const std::string whole = folder.read("export.sqlite");
  const auto sound = timeline::importers::import_all({path});
  ASSERT_TRUE(sound);
  EXPECT_EQ(sound->front().events.size(), 4001U);
  EXPECT_EQ(sound->front().repairs[Repair::truncated], 0);
  for (const std::size_t lost : {std::size_t{10}, std::size_t{5000}, whole.size() / 2}) {
    const auto cut =
        timeline::importers::import_all({folder.put("cut.sqlite", whole.substr(0, whole.size() - lost))});
    ASSERT_TRUE(cut) << lost;
    EXPECT_EQ(cut->front().repairs[Repair::truncated], 1) << lost;
    EXPECT_GT(cut->front().events.size(), 1000U) << lost;
  }
  EXPECT_EQ(error_of(folder.put("header.sqlite", whole.substr(0, 16))), "timeline.nothing_sound");
  EXPECT_EQ(error_of(folder.put("packed.sqlite.gz", gzipped(whole))), "timeline.packed_database");
}

TEST(Nsight, NothingIsLeftBesideATrace) {
  const TemporaryFolder folder;
  const std::string path = folder.file("odd ?#%41 name.sqlite");
  make_database(path,
                "PRAGMA journal_mode = WAL; CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
                "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT);"
                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 0);");
  const auto all = timeline::importers::import_all({path});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->front().events.size(), 1U);
  const std::filesystem::directory_iterator files(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST(BadInput, HasAnErrorOfItsOwn) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of(folder.file("missing")), "timeline.unreadable");
  EXPECT_EQ(error_of(folder.path()), "timeline.folder_without_traces");
  EXPECT_EQ(error_of(folder.put("empty", "")), "timeline.empty_file");
  EXPECT_EQ(error_of(folder.put("jpeg", std::string("\xFF\xD8\xFF\xE0\0\x10JFIF", 10))),
            "timeline.not_a_trace");
  EXPECT_EQ(error_of(folder.put("json", R"({"name": "package", "version": "1.0"})")), "timeline.no_events");
  EXPECT_EQ(error_of(folder.put("list", "[1, 2, 3]")), "timeline.no_events");
  EXPECT_EQ(error_of(folder.put("none", "[]")), "timeline.no_events");
  EXPECT_EQ(error_of(folder.put("no_events", R"({"traceEvents": []})")), "timeline.no_events");
  EXPECT_EQ(error_of(folder.put("blank", " \n ")), "timeline.empty_file");
  EXPECT_EQ(error_of(folder.put("empty.gz", gzipped(""))), "timeline.empty_file");
  EXPECT_EQ(error_of(folder.put("cut.gz", "\x1f\x8b\x08")), "timeline.nothing_sound");
  EXPECT_EQ(error_of(folder.put("cut.zst", "\x28\xb5\x2f\xfd")), "timeline.nothing_sound");
  const std::string database = folder.file("other.sqlite");
  make_database(database, "CREATE TABLE songs (id INT); INSERT INTO songs VALUES (1);");
  EXPECT_EQ(error_of(database), "timeline.not_nsight");
  const std::string fifo = folder.file("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(error_of(fifo), "timeline.not_a_file");
}

}  // namespace
}  // namespace jissoku::tests
