#include "jissoku/timeline/importers/trace_builder.hpp"

#include <algorithm>

namespace jissoku::timeline::importers {
namespace {

enum Kind : std::uint8_t { host = 0, work = 4, beside = 5 };

/// A Tag's text ids and numbers do not meet: the kind says which it is.
std::uint8_t host_kind(const Tag& process, const Tag& thread) {
  return static_cast<std::uint8_t>((process.text ? 1 : 0) + (thread.text ? 2 : 0));
}

Memory memory_of(std::string_view word) {
  if (word.starts_with("Pageable")) {
    return Memory::pageable;
  }
  if (word.starts_with("Pinned")) {
    return Memory::pinned;
  }
  if (word.starts_with("Device")) {
    return Memory::device;
  }
  return word.starts_with("Managed") ? Memory::managed : Memory::unknown;
}

}  // namespace

std::size_t TraceBuilder::HashKey::operator()(const Key& key) const {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15U;
  std::uint64_t hash = static_cast<std::uint64_t>(key.first) * kFactor + key.kind;
  hash = (hash ^ (hash >> 31U) ^ static_cast<std::uint64_t>(key.second)) * kFactor;
  return hash ^ (hash >> 32U);
}

std::uint32_t TraceBuilder::lane(const Key& key, bool& is_new) {
  is_new = false;
  if (key == last_key_) {
    return last_lane_;
  }
  const auto [entry, inserted] = lanes_.try_emplace(key, static_cast<std::uint32_t>(timeline_.lanes.size()));
  is_new = inserted;
  last_key_ = key;
  last_lane_ = entry->second;
  return last_lane_;
}

std::uint32_t TraceBuilder::host_lane(const Tag& process, const Tag& thread) {
  bool is_new = false;
  const std::uint32_t index = lane({process.number, thread.number, host_kind(process, thread)}, is_new);
  if (is_new) {
    timeline_.lanes.push_back({.process = process, .thread = thread});
  }
  return index;
}

std::uint32_t TraceBuilder::device_lane(std::int64_t device, std::int64_t stream, bool is_work) {
  bool is_new = false;
  const std::uint32_t index = lane({device, stream, is_work ? Kind::work : Kind::beside}, is_new);
  if (is_new) {
    timeline_.lanes.push_back(
        {.process = {device, false}, .thread = {stream, false}, .on_device = true, .device = device});
  }
  return index;
}

EventId TraceBuilder::add(
    Category category, StringId name, std::uint32_t lane, std::int64_t start_ns, std::int64_t duration_ns) {
  Events& events = timeline_.events;
  const auto id = static_cast<EventId>(events.size());
  events.start_ns.push_back(start_ns);
  events.duration_ns.push_back(duration_ns);
  events.name.push_back(name);
  events.lane.push_back(lane);
  events.detail.push_back(kNone);
  events.category.push_back(category);
  return id;
}

void TraceBuilder::detail(const DeviceDetail& detail) {
  timeline_.events.detail.back() = static_cast<std::uint32_t>(timeline_.device_details.size());
  timeline_.device_details.push_back(detail);
}

void TraceBuilder::detail(const CallDetail& detail) {
  timeline_.events.detail.back() = static_cast<std::uint32_t>(timeline_.call_details.size());
  timeline_.call_details.push_back(detail);
}

void TraceBuilder::detail(const OpDetail& detail) {
  timeline_.events.detail.back() = static_cast<std::uint32_t>(timeline_.op_details.size());
  timeline_.op_details.push_back(detail);
}

void read_copy_name(std::string_view name, DeviceDetail& detail) {
  const auto has = [name](std::string_view word) { return name.find(word) != std::string_view::npos; };
  detail.copy_kind = has("HtoD") || has("HostToDevice")     ? CopyKind::host_to_device
                     : has("DtoH") || has("DeviceToHost")   ? CopyKind::device_to_host
                     : has("DtoD") || has("DeviceToDevice") ? CopyKind::device_to_device
                     : has("PtoP") || has("PeerToPeer")     ? CopyKind::peer
                     : has("HtoH") || has("HostToHost")     ? CopyKind::host_to_host
                                                            : CopyKind::unknown;
  const std::size_t open = name.find('(');
  const std::size_t arrow = name.find("-> ");
  if (open != std::string_view::npos && arrow != std::string_view::npos && open < arrow) {
    detail.from = memory_of(name.substr(open + 1));
    detail.to = memory_of(name.substr(arrow + 3));
  }
}

}  // namespace jissoku::timeline::importers
