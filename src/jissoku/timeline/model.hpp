// The one event model for all traces: what host threads and devices did, in columns. Importers fill
// it, `finish` (finish.hpp) puts it in order, analyses read it. Times are integer nanoseconds on the
// trace's own clock; a trace's start need not be 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "jissoku/timeline/strings.hpp"

namespace jissoku::timeline {

/// Index of an event in the columns.
using EventId = std::uint32_t;
inline constexpr EventId kNoEvent = ~EventId{0};
inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

enum class Category : std::uint8_t {
  cpu_op,          ///< an operator of a framework, on a host thread
  annotation,      ///< a range that people or the profiler named: ProfilerStep#7, NVTX, module
  python,          ///< a Python function or module call
  runtime,         ///< a call of the CUDA, HIP or other device runtime or driver
  overhead,        ///< the profiler's own work, and what the driver does once
  other_host,      ///< any other host event
  kernel,          ///< device work
  memcpy,          ///< device work
  memset,          ///< device work
  accelerator,     ///< work of a device that has no kernels (MTIA)
  device_sync,     ///< a wait seen on a stream: no work
  gpu_annotation,  ///< a host range mirrored onto a device: no work
  other_device,    ///< not known to be work
};

/// What counts for busy time.
constexpr bool is_device_work(Category category) {
  return category == Category::kernel || category == Category::memcpy || category == Category::memset;
}
constexpr bool is_host(Category category) {
  return category <= Category::other_host;
}

/// A process or thread as traces name them: by number, or by a text ("Traces", "stream 7 (sync)").
struct Tag {
  std::int64_t number = 0;  ///< the number, or the StringId of the text
  bool text = false;
  bool operator==(const Tag&) const = default;
};

/// A host thread, or a stream of a device.
struct Lane {
  Tag process;
  Tag thread;                ///< of a device: the stream
  bool on_device = false;    ///< decided by what lies on it
  std::int64_t device = -1;  ///< of a device lane
  StringId name = 0;
  StringId process_name = 0;
  std::int64_t rank = 0;
};

/// Where data lies at one end of a copy.
enum class Memory : std::uint8_t { unknown, pageable, pinned, device, managed };
enum class CopyKind : std::uint8_t {
  unknown,
  host_to_device,
  device_to_host,
  device_to_device,
  peer,
  host_to_host
};

/// Beside an event of the device. Absent numbers are -1.
struct DeviceDetail {
  std::int64_t correlation = -1;  ///< of the call that launched it, unique per process
  std::int64_t external_id = -1;  ///< of the operator that launched it
  std::int64_t bytes = -1;
  std::int64_t process = -1;      ///< of the launching process, where the trace says so
  std::int32_t grid_blocks = -1;  ///< clamped to what fits
  std::int32_t block_threads = -1;
  float occupancy_percent = -1;
  float blocks_per_sm = -1;
  StringId message_type = 0;  ///< of a collective: its element type
  CopyKind copy_kind = CopyKind::unknown;
  Memory from = Memory::unknown;
  Memory to = Memory::unknown;
};

/// Beside a runtime call.
struct CallDetail {
  std::int64_t correlation = -1;
  std::int64_t external_id = -1;
};

/// Beside an operator.
struct OpDetail {
  std::int64_t external_id = -1;
  std::int64_t sequence = -1;  ///< pairs a forward with its backward operator
  std::int64_t forward_thread = -1;
  StringId input_types = 0;  ///< as in the file: ["float", "float"]
  StringId input_shapes = 0;
  StringId call_stack = 0;  ///< innermost first, separated by ';'
};

/// The columns; all of one length. Memory per event: 29 bytes and its detail.
struct Events {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> duration_ns;
  std::vector<StringId> name;
  std::vector<std::uint32_t> lane;
  std::vector<std::uint32_t> detail;  ///< index into the category's details; kNone: has none
  std::vector<Category> category;

  std::size_t size() const { return start_ns.size(); }
  std::int64_t end_ns(EventId id) const { return start_ns[id] + duration_ns[id]; }
};

/// An allocation or a release ("[memory]" of the PyTorch profiler).
struct MemoryChange {
  std::int64_t time_ns = 0;
  std::int64_t bytes = 0;  ///< negative: released
  std::int64_t total_reserved = -1;
  std::uint32_t lane = 0;
  std::int32_t device = -1;  ///< -1: host memory
};

/// What the trace says about a device.
struct DeviceInfo {
  std::int64_t id = 0;
  std::string name;
  std::int64_t memory_bytes = 0;  ///< 0: not said
  int compute_major = 0, compute_minor = 0;
  int multiprocessors = 0;
  int warp_size = 0;
};

/// What an importer mended or lost; names are those of the messages "timeline.repair.<name>".
enum class Repair : std::uint8_t {
  lost_events,         ///< pieces between two sound events that could not be read
  truncated,           ///< the file ends before its data does
  corrupt_stream,      ///< compressed data that is damaged; what follows a gap is read again
  unescaped_quotes,    ///< quotes or backslashes inside of texts
  bare_tokens,         ///< NaN, Infinity, N/A in place of a value
  control_characters,  ///< in texts
  invalid_utf8,        ///< texts
  no_time,             ///< events without a usable time stamp
  negative_durations,  ///< set to 0
  absurd_durations,    ///< longer than anything the trace covers; cut
  overlaps_cut,        ///< device events that run far into the next one of their stream; cut there
  unmatched_ends,      ///< B without E or E without B
  absurd_times,        ///< far off all other time stamps; left out
  kCount,
};

struct Repairs {
  std::array<std::int64_t, static_cast<std::size_t>(Repair::kCount)> counts{};
  std::int64_t& operator[](Repair repair) { return counts[static_cast<std::size_t>(repair)]; }
  std::int64_t operator[](Repair repair) const { return counts[static_cast<std::size_t>(repair)]; }
};

enum class Format : std::uint8_t { kineto, chrome, nsight, rocprof, jissoku };

/// One trace of one process group member. `finish` must have run before an analysis reads it.
struct Timeline {
  std::string path;
  Format format = Format::chrome;
  Strings strings;
  Events events;
  std::vector<Lane> lanes;
  std::vector<DeviceDetail> device_details;
  std::vector<CallDetail> call_details;
  std::vector<OpDetail> op_details;
  std::vector<MemoryChange> memory;
  std::vector<DeviceInfo> devices;
  Repairs repairs;

  std::int64_t events_in_file = 0;  ///< of all kinds, also those that no analysis needs
  std::int64_t raw_bytes = 0;       ///< after decompression
  std::int64_t base_time_ns = 0;    ///< wall clock of time stamp 0; 0: not said
  std::int64_t rank = -1;           ///< -1: not said
  std::int64_t world_size = -1;
  bool has_shapes = false;
  bool has_stacks = false;
  bool has_accelerator = false;  ///< an accelerator without kernel records (MTIA)
  bool has_host_calls = false;

  /// Per lane its events, by start, of equal starts the longer one first. Set by `finish`.
  std::vector<std::vector<EventId>> by_lane;

  std::string_view name(EventId id) const { return strings[events.name[id]]; }
  const DeviceDetail* device_detail(EventId id) const;
  const CallDetail* call_detail(EventId id) const;
  const OpDetail* op_detail(EventId id) const;
  const DeviceInfo* device_info(std::int64_t id) const;
};

}  // namespace jissoku::timeline
