#include "jissoku/timeline/importers/nsight.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "jissoku/timeline/importers/database.hpp"
#include "jissoku/timeline/importers/trace_builder.hpp"

namespace jissoku::timeline::importers {
namespace {

constexpr std::string_view kActivity = "CUPTI_ACTIVITY_KIND_";

/// Nsight's serialised ids: bits 0..23 the thread, 24..47 the process.
constexpr std::int64_t kIdMask = 0xFFFFFF;
std::int64_t process_of(std::int64_t global) {
  return global < 0 ? -1 : (global >> 24) & kIdMask;
}

CopyKind copy_kind_of(std::int64_t kind) {
  switch (kind) {  // CUpti_ActivityMemcpyKind; 11 to 13 move pages of unified memory
    case 1:
    case 11:
      return CopyKind::host_to_device;
    case 2:
    case 12:
      return CopyKind::device_to_host;
    case 8:
    case 13:
      return CopyKind::device_to_device;
    case 9:
      return CopyKind::host_to_host;
    case 10:
      return CopyKind::peer;
    default:
      return CopyKind::unknown;
  }
}

Memory memory_of(std::int64_t kind) {
  constexpr std::array kKinds = {Memory::pageable, Memory::pinned, Memory::device, Memory::managed};
  return kind >= 0 && kind < static_cast<std::int64_t>(kKinds.size()) ? kKinds[static_cast<std::size_t>(kind)]
                                                                      : Memory::unknown;
}

std::string_view text_of(Memory memory) {
  constexpr std::array<std::string_view, 5> kTexts = {"?", "Pageable", "Pinned", "Device", "Managed"};
  return kTexts[static_cast<std::size_t>(memory)];
}

/// As CUPTI's users write it, so that copies of all formats have the same names.
std::string copy_name(const DeviceDetail& detail) {
  constexpr std::array<std::string_view, 6> kKinds = {
      "Memcpy", "Memcpy HtoD", "Memcpy DtoH", "Memcpy DtoD", "Memcpy PtoP", "Memcpy HtoH"};
  std::string name(kKinds[static_cast<std::size_t>(detail.copy_kind)]);
  if (detail.from != Memory::unknown && detail.to != Memory::unknown) {
    name += " (" + std::string(text_of(detail.from)) + " -> " + std::string(text_of(detail.to)) + ")";
  }
  return name;
}

std::int32_t volume(const DatabaseRow& row, int first) {
  double product = 1;
  for (int column = first; column < first + 3; ++column) {
    if (row.is_null(column)) {
      return -1;
    }
    product *= static_cast<double>(row.integer(column));
  }
  constexpr double kMost = 2e9;
  return static_cast<std::int32_t>(std::clamp(product, 0.0, kMost));
}

class Export {
 public:
  Export(const Database& database, Timeline& timeline)
      : database_(database), timeline_(timeline), builder_(timeline) {}

  bool read() {
    timeline_.format = Format::nsight;
    bool good = true;
    // A table that is damaged says nothing about the next one.
    for (const auto part : {&Export::read_strings,
                            &Export::read_devices,
                            &Export::read_kernels,
                            &Export::read_graphs,
                            &Export::read_copies,
                            &Export::read_memsets,
                            &Export::read_calls,
                            &Export::read_syncs,
                            &Export::read_ranges,
                            &Export::read_system_calls,
                            &Export::read_overhead,
                            &Export::read_thread_names}) {
      good = (this->*part)() && good;
    }
    timeline_.repairs[Repair::corrupt_stream] += good ? 0 : 1;
    timeline_.events_in_file = static_cast<std::int64_t>(timeline_.events.size());
    return timeline_.events.size() > 0;
  }

 private:
  static std::string activity(std::string_view kind) { return std::string(kActivity) + std::string(kind); }

  bool read_strings() {
    return database_.read("StringIds", {"id", "value"}, [this](const DatabaseRow& row) {
      strings_[row.integer(0)] = timeline_.strings.intern(row.text(1));
    });
  }

  StringId string_of(const DatabaseRow& row, int column) const {
    const auto found = row.is_null(column) ? strings_.end() : strings_.find(row.integer(column));
    return found == strings_.end() ? 0 : found->second;
  }

  bool read_devices() {
    return database_.read(
        "TARGET_INFO_GPU",
        {"id", "name", "totalMemory", "computeMajor", "computeMinor", "smCount", "threadsPerWarp"},
        [this](const DatabaseRow& row) {
          DeviceInfo info;
          info.id = row.integer(0, 0);
          info.name = row.text(1);
          info.memory_bytes = row.integer(2, 0);
          info.compute_major = static_cast<int>(row.integer(3, 0));
          info.compute_minor = static_cast<int>(row.integer(4, 0));
          info.multiprocessors = static_cast<int>(row.integer(5, 0));
          info.warp_size = static_cast<int>(row.integer(6, 0));
          timeline_.devices.push_back(std::move(info));
        });
  }

  /// Columns 0 to 5 of every device activity.
  static std::vector<std::string> device_columns(std::initializer_list<std::string> more) {
    std::vector<std::string> columns = {"start", "end", "deviceId", "streamId", "correlationId", "globalPid"};
    columns.insert(columns.end(), more);
    return columns;
  }

  static DeviceDetail device_detail(const DatabaseRow& row) {
    DeviceDetail detail;
    detail.correlation = row.integer(4);
    detail.process = process_of(row.integer(5));
    return detail;
  }

  void add_work(
      Category category, StringId name, const DatabaseRow& row, const DeviceDetail& detail, bool work) {
    const std::uint32_t lane = builder_.device_lane(row.integer(2, 0), row.integer(3, 0), work);
    builder_.add(category, name, lane, row.integer(0, 0), row.integer(1, 0) - row.integer(0, 0));
    builder_.detail(detail);
  }

  bool read_kernels() {
    const auto columns = device_columns(
        {"demangledName", "shortName", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"});
    return database_.read(activity("KERNEL"), columns, [this](const DatabaseRow& row) {
      DeviceDetail detail = device_detail(row);
      detail.grid_blocks = volume(row, 8);
      detail.block_threads = volume(row, 11);
      const StringId full = string_of(row, 6);
      add_work(Category::kernel, full != 0 ? full : string_of(row, 7), row, detail, true);
    });
  }

  /// With --cuda-graph-trace=graph a launch of a graph is one record for all its kernels.
  bool read_graphs() {
    return database_.read(
        activity("GRAPH_TRACE"), device_columns({"graphId"}), [this](const DatabaseRow& row) {
          const std::string name = "CUDA graph " + std::to_string(row.integer(6, 0));
          add_work(Category::kernel, timeline_.strings.intern(name), row, device_detail(row), true);
        });
  }

  bool read_copies() {
    const auto columns = device_columns({"bytes", "copyKind", "srcKind", "dstKind"});
    return database_.read(activity("MEMCPY"), columns, [this](const DatabaseRow& row) {
      DeviceDetail detail = device_detail(row);
      detail.bytes = row.integer(6);
      detail.copy_kind = copy_kind_of(row.integer(7));
      detail.from = memory_of(row.integer(8));
      detail.to = memory_of(row.integer(9));
      add_work(Category::memcpy, timeline_.strings.intern(copy_name(detail)), row, detail, true);
    });
  }

  bool read_memsets() {
    return database_.read(activity("MEMSET"), device_columns({"bytes"}), [this](const DatabaseRow& row) {
      DeviceDetail detail = device_detail(row);
      detail.bytes = row.integer(6);
      add_work(Category::memset, timeline_.strings.intern("Memset"), row, detail, true);
    });
  }

  bool read_syncs() {
    const auto columns = device_columns({"syncType"});
    return database_.read(activity("SYNCHRONIZATION"), columns, [this](const DatabaseRow& row) {
      constexpr std::array<std::string_view, 5> kNames = {
          "Sync", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"};
      const std::int64_t type = row.integer(6, 0);
      const auto known = static_cast<std::size_t>(type >= 0 && type < 5 ? type : 0);
      add_work(
          Category::device_sync, timeline_.strings.intern(kNames[known]), row, device_detail(row), false);
    });
  }

  void add_host(Category category, StringId name, const DatabaseRow& row, std::int64_t global) {
    const std::uint32_t lane = builder_.host_lane({process_of(global), false}, {global & kIdMask, false});
    builder_.add(category, name, lane, row.integer(0, 0), row.integer(1, 0) - row.integer(0, 0));
  }

  bool read_calls() {
    return database_.read(
        activity("RUNTIME"),
        {"start", "end", "globalTid", "correlationId", "nameId"},
        [this](const DatabaseRow& row) {
          // "cudaLaunchKernel_v7000": the version is no part of the name.
          std::string_view name = timeline_.strings[string_of(row, 4)];
          const std::size_t version = name.rfind("_v");
          if (version != std::string_view::npos && version + 2 < name.size() &&
              name.find_first_not_of("0123456789", version + 2) == std::string_view::npos) {
            name = name.substr(0, version);
          }
          add_host(Category::runtime, timeline_.strings.intern(std::string(name)), row, row.integer(2, 0));
          builder_.detail(CallDetail{row.integer(3), -1});
          timeline_.has_host_calls = true;
        });
  }

  bool read_ranges() {
    return database_.read(
        "NVTX_EVENTS",
        {"start", "end", "globalTid", "eventType", "text", "textId"},
        [this](const DatabaseRow& row) {
          constexpr std::int64_t kPushPop = 59;
          constexpr std::int64_t kStartEnd = 60;
          const std::int64_t type = row.integer(3);
          if (row.is_null(1) || (type != kPushPop && type != kStartEnd)) {
            return;
          }
          const StringId name = row.is_null(4) ? string_of(row, 5) : timeline_.strings.intern(row.text(4));
          // Ranges of the second kind need not nest: they do not belong into a thread's stack.
          add_host(
              type == kPushPop ? Category::annotation : Category::other_host, name, row, row.integer(2, 0));
        });
  }

  bool read_system_calls() {
    return database_.read(
        "OSRT_API", {"start", "end", "globalTid", "nameId"}, [this](const DatabaseRow& row) {
          add_host(Category::other_host, string_of(row, 3), row, row.integer(2, 0));
        });
  }

  bool read_overhead() {
    return database_.read(
        "PROFILER_OVERHEAD", {"start", "end", "globalTid", "nameId"}, [this](const DatabaseRow& row) {
          add_host(Category::overhead, string_of(row, 3), row, row.integer(2, 0));
        });
  }

  bool read_thread_names() {
    std::unordered_map<std::int64_t, StringId> names;
    const bool good = database_.read("ThreadNames", {"globalTid", "nameId"}, [&](const DatabaseRow& row) {
      names[row.integer(0, 0) & ((std::int64_t{1} << 48) - 1)] = string_of(row, 1);
    });
    for (Lane& lane : timeline_.lanes) {
      if (!lane.on_device) {
        const auto found = names.find((lane.process.number << 24) | lane.thread.number);
        lane.name = found == names.end() ? 0 : found->second;
      }
    }
    return good;
  }

  const Database& database_;
  Timeline& timeline_;
  TraceBuilder builder_;
  std::unordered_map<std::int64_t, StringId> strings_;
};

}  // namespace

core::Result<Timeline> read_nsight(const std::string& path) {
  const auto database = Database::open(path);
  if (!database) {
    return database.error();
  }
  const auto unreadable = [&path](std::string id) {
    return core::make_error(core::ExitCode::unreadable, std::move(id), {{"path", path}});
  };
  if (!database->has_table("StringIds") && !database->has_table("TARGET_INFO_GPU")) {
    return unreadable(database->is_sound() ? "timeline.not_nsight" : "timeline.nothing_sound");
  }
  Timeline timeline;
  timeline.path = path;
  if (!Export(*database, timeline).read()) {
    const bool lost = database->ends_early() || timeline.repairs[Repair::corrupt_stream] > 0;
    return unreadable(lost ? "timeline.nothing_sound" : "timeline.no_events");
  }
  timeline.repairs[Repair::truncated] += database->ends_early() ? 1 : 0;
  return timeline;
}

}  // namespace jissoku::timeline::importers
