#include "jissoku/timeline/export.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <nlohmann/json.hpp>

#include "jissoku/timeline/utf8.hpp"

namespace jissoku::timeline {
namespace {

constexpr std::array<std::string_view, 13> kCategories = {"cpu_op",
                                                          "user_annotation",
                                                          "python_function",
                                                          "cuda_runtime",
                                                          "overhead",
                                                          "other",
                                                          "kernel",
                                                          "gpu_memcpy",
                                                          "gpu_memset",
                                                          "mtia_ccp_events",
                                                          "cuda_sync",
                                                          "gpu_user_annotation",
                                                          "cuda_event"};

std::string json_text(std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : to_valid_utf8(bytes)) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (code < ' ') {
      out += "\\u00";
      out += kHex[code >> 4U];
      out += kHex[code & 15U];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

/// Microseconds with exactly three decimals: ns, without rounding.
std::string micros(std::int64_t time_ns) {
  const bool negative = time_ns < 0;
  const std::int64_t size = negative ? -time_ns : time_ns;
  std::string fraction = std::to_string(size % 1000);
  fraction.insert(0, 3 - fraction.size(), '0');
  return (negative ? "-" : "") + std::to_string(size / 1000) + "." + fraction;
}

std::string tag(const Timeline& timeline, const Tag& tag) {
  return tag.text ? json_text(timeline.strings[static_cast<StringId>(tag.number)])
                  : std::to_string(tag.number);
}

void add_number(std::string& out, std::string_view key, std::int64_t value) {
  if (value >= 0) {
    out += (out.empty() ? "\"" : ", \"") + std::string(key) + "\": " + std::to_string(value);
  }
}

/// A list as the trace had it; what is damaged is left out.
void add_list(std::string& out, std::string_view key, std::string_view list) {
  if (list.starts_with('[') && nlohmann::json::accept(list)) {
    out += (out.empty() ? "\"" : ", \"") + std::string(key) + "\": " + std::string(list);
  }
}

std::string args_of(const Timeline& timeline, EventId id) {
  std::string out;
  if (const DeviceDetail* detail = timeline.device_detail(id)) {
    const Lane& lane = timeline.lanes[timeline.events.lane[id]];
    add_number(out, "device", lane.device);
    add_number(out, "stream", lane.thread.number);
    add_number(out, "correlation", detail->correlation);
    add_number(out, "External id", detail->external_id);
    add_number(out, "bytes", detail->bytes);
    if (detail->grid_blocks >= 0) {
      out +=
          (out.empty() ? "\"grid\": [" : ", \"grid\": [") + std::to_string(detail->grid_blocks) + ", 1, 1]";
    }
    if (detail->block_threads >= 0) {
      out += (out.empty() ? "\"block\": [" : ", \"block\": [") + std::to_string(detail->block_threads) +
             ", 1, 1]";
    }
  } else if (const CallDetail* call = timeline.call_detail(id)) {
    add_number(out, "correlation", call->correlation);
    add_number(out, "External id", call->external_id);
  } else if (const OpDetail* op = timeline.op_detail(id)) {
    add_number(out, "External id", op->external_id);
    add_number(out, "Sequence number", op->sequence);
    add_list(out, "Input Dims", timeline.strings[op->input_shapes]);
    add_list(out, "Input type", timeline.strings[op->input_types]);
    if (op->call_stack != 0) {
      out += (out.empty() ? "" : ", ") + std::string("\"Call stack\": ") +
             json_text(timeline.strings[op->call_stack]);
    }
  }
  return out;
}

std::string event_line(const Timeline& timeline, EventId id) {
  const Events& events = timeline.events;
  const Lane& lane = timeline.lanes[events.lane[id]];
  return "{\"ph\": \"X\", \"cat\": \"" +
         std::string(kCategories[static_cast<std::size_t>(events.category[id])]) +
         "\", \"name\": " + json_text(timeline.name(id)) + ", \"pid\": " + tag(timeline, lane.process) +
         ", \"tid\": " + tag(timeline, lane.thread) + ", \"ts\": " + micros(events.start_ns[id]) +
         ", \"dur\": " + micros(events.duration_ns[id]) + ", \"args\": {" + args_of(timeline, id) + "}}";
}

std::string memory_line(const Timeline& timeline, const MemoryChange& change) {
  const Lane& lane = timeline.lanes[change.lane];
  std::string out =
      "{\"ph\": \"i\", \"s\": \"t\", \"cat\": \"cpu_instant_event\", \"name\": \"[memory]\", \"pid\": " +
      tag(timeline, lane.process) + ", \"tid\": " + tag(timeline, lane.thread) +
      ", \"ts\": " + micros(change.time_ns) + ", \"args\": {\"Bytes\": " + std::to_string(change.bytes) +
      ", \"Device Type\": " + (change.device < 0 ? "0" : "1") +
      ", \"Device Id\": " + std::to_string(change.device);
  if (change.total_reserved >= 0) {
    out += ", \"Total Reserved\": " + std::to_string(change.total_reserved);
  }
  return out + "}}";
}

std::string head_of(const Timeline& timeline) {
  std::string out = "{\"schemaVersion\": 1, ";
  if (timeline.format == Format::jissoku) {
    out += "\"producer\": \"jissoku\", ";
  }
  out += "\"deviceProperties\": [";
  for (const DeviceInfo& info : timeline.devices) {
    out += (&info == timeline.devices.data() ? "" : ", ") + std::string("{\"id\": ") +
           std::to_string(info.id) + ", \"name\": " + json_text(info.name) +
           ", \"totalGlobalMem\": " + std::to_string(info.memory_bytes) +
           ", \"computeMajor\": " + std::to_string(info.compute_major) +
           ", \"computeMinor\": " + std::to_string(info.compute_minor) +
           ", \"numSms\": " + std::to_string(info.multiprocessors) + "}";
  }
  out += "], \"displayTimeUnit\": \"ms\"";
  if (timeline.base_time_ns != 0) {
    out += ", \"baseTimeNanoseconds\": " + std::to_string(timeline.base_time_ns);
  }
  if (timeline.rank >= 0) {
    out += ", \"distributedInfo\": {\"rank\": " + std::to_string(timeline.rank) +
           ", \"world_size\": " + std::to_string(std::max<std::int64_t>(timeline.world_size, 1)) + "}";
  }
  return out + ", \"traceEvents\": [\n";
}

std::string lane_line(const Timeline& timeline, const Lane& lane) {
  const std::string name = lane.on_device ? "stream " + std::to_string(lane.thread.number)
                                          : std::string(timeline.strings[lane.name]);
  return "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": " + tag(timeline, lane.process) +
         ", \"tid\": " + tag(timeline, lane.thread) + ", \"args\": {\"name\": " + json_text(name) + "}}";
}

}  // namespace

void export_chrome(const Timeline& timeline, const std::function<bool(std::string_view)>& write) {
  std::vector<EventId> order;
  for (const auto& lane : timeline.by_lane) {
    order.insert(order.end(), lane.begin(), lane.end());
  }
  const Events& events = timeline.events;
  std::stable_sort(order.begin(), order.end(), [&events](EventId left, EventId right) {
    return events.start_ns[left] < events.start_ns[right];
  });
  if (!write(head_of(timeline))) {
    return;
  }
  bool first = true;
  const auto line = [&](const std::string& text) {
    const bool good = write((first ? "" : ",\n") + text);
    first = false;
    return good;
  };
  for (const Lane& lane : timeline.lanes) {
    if ((lane.on_device || lane.name != 0) && !line(lane_line(timeline, lane))) {
      return;
    }
  }
  for (const EventId id : order) {
    if (!line(event_line(timeline, id))) {
      return;
    }
  }
  for (const MemoryChange& change : timeline.memory) {
    if (!line(memory_line(timeline, change))) {
      return;
    }
  }
  write("\n]}\n");
}

}  // namespace jissoku::timeline
