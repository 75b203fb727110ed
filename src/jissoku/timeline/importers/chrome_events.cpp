#include "jissoku/timeline/importers/chrome_events.hpp"

#include <algorithm>
#include <limits>

#include "jissoku/timeline/utf8.hpp"

namespace jissoku::timeline::importers {
namespace {

std::int64_t or_none(std::int64_t value) {
  return value == kAbsent ? -1 : value;
}

std::int32_t clamped(std::int64_t value) {
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(or_none(value), -1, std::numeric_limits<std::int32_t>::max()));
}

/// The number at the end of "stream 7"; 0 if there is none.
std::int64_t trailing_number(std::string_view text) {
  const std::size_t last = text.find_last_not_of("0123456789");
  std::int64_t value = 0;
  parse_integer(text.substr(last == std::string_view::npos ? 0 : last + 1), value);
  return value;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// How exporters without device categories call the rows of a device.
bool names_device(std::string_view process) {
  return process.starts_with("GPU") || contains(process, "/device:GPU") || contains(process, "/device:TPU") ||
         contains(process, "CUDA HW") || process.starts_with("[GPU");
}

}  // namespace

StringId ChromeEvents::intern(const Text& text) {
  const std::size_t before = timeline_.strings.size();
  const StringId id =
      text.escaped ? timeline_.strings.intern(unescape(text.bytes)) : timeline_.strings.intern(text.bytes);
  if (timeline_.strings.size() != before && !is_valid_utf8(text.bytes)) {
    ++timeline_.repairs[Repair::invalid_utf8];
  }
  return id;
}

Tag ChromeEvents::tag_of(const RawTag& raw) {
  return raw.is_text ? Tag{static_cast<std::int64_t>(timeline_.strings.intern(raw.text)), true}
                     : Tag{raw.number, false};
}

const CategoryRule& ChromeEvents::rule_of_event(const RawEvent& event) {
  if (event.category.bytes != last_category_) {
    last_category_ = std::string(event.category.bytes);
    last_rule_ = rule_of(event.category.bytes);
  }
  return last_rule_;
}

ArgsWanted ChromeEvents::wanted(const RawEvent& event) {
  switch (event.phase) {
    case 'X':
      return rule_of_event(event).args;
    case 'B':
    case 'E':
      return ArgsWanted::unknown;
    case 'M':
      return ArgsWanted::metadata;
    case 'i':
    case 'I':
      return event.name.bytes == "[memory]" ? ArgsWanted::instant : ArgsWanted::none;
    default:
      return ArgsWanted::none;
  }
}

void ChromeEvents::add(const RawEvent& event) {
  ++timeline_.events_in_file;
  switch (event.phase) {
    case 'X':
      add_complete(event, rule_of_event(event));
      return;
    case 'B':
    case 'E':
      add_begin_or_end(event);
      return;
    case 'M':
      add_metadata(event);
      return;
    case 'i':
    case 'I':
      add_instant(event);
      return;
    default:
      return;
  }
}

void ChromeEvents::add_complete(const RawEvent& event, const CategoryRule& rule) {
  if (!rule.kept) {
    return;
  }
  if (!event.has_start) {
    ++timeline_.repairs[Repair::no_time];
    return;
  }
  const StringId name = intern(event.name);
  if (!is_host(rule.category)) {
    add_device(event, rule, name);
    return;
  }
  const std::uint32_t lane = builder_.host_lane(tag_of(event.process), tag_of(event.thread));
  const RawArgs& args = event.args;
  if (!rule.known && args.begin_ns != kAbsent &&
      args.end_ns != kAbsent) {  // rocprof v1: exact beside rounded
    builder_.add(rule.category, name, lane, args.begin_ns, args.end_ns - args.begin_ns);
    return;
  }
  builder_.add(rule.category, name, lane, event.start_ns, event.duration_ns);
  if (rule.category == Category::runtime) {
    builder_.detail(CallDetail{or_none(args.correlation), or_none(args.external_id)});
    timeline_.has_host_calls = true;
  } else if (rule.category == Category::cpu_op || rule.category == Category::annotation) {
    OpDetail detail;
    detail.external_id = or_none(args.external_id);
    detail.sequence = or_none(args.sequence);
    detail.forward_thread = or_none(args.forward_thread);
    detail.input_types = timeline_.strings.intern(args.input_types);
    detail.input_shapes = timeline_.strings.intern(args.input_shapes);
    detail.call_stack = intern(args.call_stack);
    timeline_.has_shapes = timeline_.has_shapes || detail.input_shapes != 0;
    timeline_.has_stacks = timeline_.has_stacks || detail.call_stack != 0;
    builder_.detail(detail);
  } else if (rule.category == Category::python) {
    timeline_.has_stacks = true;
  }
}

void ChromeEvents::add_device(const RawEvent& event, const CategoryRule& rule, StringId name) {
  const RawArgs& args = event.args;
  const std::int64_t device = args.device != kAbsent ? args.device : event.process.number;
  const std::int64_t stream = args.stream != kAbsent ? args.stream
                              : event.thread.is_text ? trailing_number(event.thread.text)
                                                     : event.thread.number;
  const bool work = is_device_work(rule.category) || rule.category == Category::accelerator;
  builder_.add(
      rule.category, name, builder_.device_lane(device, stream, work), event.start_ns, event.duration_ns);
  timeline_.has_accelerator = timeline_.has_accelerator || rule.category == Category::accelerator;
  DeviceDetail detail;
  detail.correlation = or_none(args.correlation);
  detail.external_id = or_none(args.external_id);
  detail.bytes = or_none(args.bytes);
  detail.grid_blocks = clamped(args.grid_blocks);
  detail.block_threads = clamped(args.block_threads);
  detail.occupancy_percent = static_cast<float>(args.occupancy_percent);
  detail.blocks_per_sm = static_cast<float>(args.blocks_per_sm);
  detail.message_type = intern(args.element_type);
  if (rule.category == Category::memcpy) {
    read_copy_name(event.name.bytes, detail);
  }
  builder_.detail(detail);
}

void ChromeEvents::add_instant(const RawEvent& event) {
  if (event.name.bytes != "[memory]" || !event.has_start || event.args.bytes == kAbsent) {
    return;
  }
  const RawArgs& args = event.args;
  constexpr std::int64_t kHostType = 0;  // c10::DeviceType::CPU
  const bool on_host = args.device_type == kHostType || args.device_type == kAbsent;
  timeline_.memory.push_back({event.start_ns,
                              args.bytes,
                              or_none(args.total_reserved),
                              builder_.host_lane(tag_of(event.process), tag_of(event.thread)),
                              on_host ? -1 : clamped(args.device_id)});
}

void ChromeEvents::add_metadata(const RawEvent& event) {
  if (event.process.is_text || event.thread.is_text) {
    return;
  }
  if (event.name.bytes == "process_name") {
    process_names_[event.process.number] = intern(event.args.name);
  } else if (event.name.bytes == "process_labels") {
    process_labels_[event.process.number] = intern(event.args.labels);
  } else if (event.name.bytes == "thread_name") {
    thread_names_[{event.process.number, event.thread.number}] = intern(event.args.name);
  }
}

void ChromeEvents::add_begin_or_end(const RawEvent& event) {
  if (!event.has_start) {
    ++timeline_.repairs[Repair::no_time];
    return;
  }
  const std::uint32_t lane = builder_.host_lane(tag_of(event.process), tag_of(event.thread));
  std::vector<Open>& stack = open_[lane];
  if (event.phase == 'B') {
    stack.push_back({intern(event.name), event.start_ns, rule_of_event(event)});
    return;
  }
  if (stack.empty()) {
    ++timeline_.repairs[Repair::unmatched_ends];
    return;
  }
  const Open open = stack.back();
  stack.pop_back();
  const Category category = is_host(open.rule.category) ? open.rule.category : Category::other_host;
  builder_.add(category, open.name, lane, open.start_ns, event.start_ns - open.start_ns);
}

void ChromeEvents::finish() {
  for (const auto& [lane, stack] : open_) {
    timeline_.repairs[Repair::unmatched_ends] += static_cast<std::int64_t>(stack.size());
  }
  name_lanes();
  find_devices_by_name();
}

void ChromeEvents::name_lanes() {
  for (Lane& lane : timeline_.lanes) {
    if (lane.process.text) {
      lane.process_name = static_cast<StringId>(lane.process.number);
      continue;
    }
    const auto process = process_names_.find(lane.process.number);
    lane.process_name = process == process_names_.end() ? 0 : process->second;
    if (lane.thread.text) {
      lane.name = static_cast<StringId>(lane.thread.number);
      continue;
    }
    const auto thread = thread_names_.find({lane.process.number, lane.thread.number});
    lane.name = thread == thread_names_.end() ? 0 : thread->second;
  }
}

/// In traces whose categories say nothing about devices, their processes' names do.
void ChromeEvents::find_devices_by_name() {
  Events& events = timeline_.events;
  const bool has_work = std::any_of(events.category.begin(), events.category.end(), [](Category category) {
    return is_device_work(category) || category == Category::accelerator;
  });
  if (has_work) {
    return;
  }
  std::vector<bool> is_device(timeline_.lanes.size(), false);
  for (std::size_t index = 0; index < timeline_.lanes.size(); ++index) {
    Lane& lane = timeline_.lanes[index];
    const std::string_view name = timeline_.strings[lane.process_name];
    is_device[index] = !lane.on_device && names_device(name);
    if (is_device[index]) {
      lane.on_device = true;
      lane.device = trailing_number(name.substr(0, name.find_last_of("0123456789") + 1));
    }
  }
  for (EventId id = 0; id < events.size(); ++id) {
    if (!is_device[events.lane[id]]) {
      continue;
    }
    const std::string_view name = timeline_.name(id);
    const bool copy = contains(name, "emcpy") || contains(name, "Copy");
    events.category[id] = copy                      ? Category::memcpy
                          : contains(name, "emset") ? Category::memset
                                                    : Category::kernel;
    DeviceDetail detail;
    read_copy_name(name, detail);
    events.detail[id] = static_cast<std::uint32_t>(timeline_.device_details.size());
    timeline_.device_details.push_back(detail);
  }
}

}  // namespace jissoku::timeline::importers
