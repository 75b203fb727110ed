#include "jissoku/timeline/importers/chrome_event.hpp"

#include <algorithm>
#include <cmath>

namespace jissoku::timeline::importers {
namespace {

enum class Arg : std::uint8_t {
  other,
  device,
  stream,
  correlation,
  external_id,
  bytes,
  sequence,
  forward_thread,
  begin_ns,
  end_ns,
  total_reserved,
  device_id,
  device_type,
  grid,
  block,
  occupancy,
  blocks_per_sm,
  input_types,
  input_shapes,
  call_stack,
  name,
  labels,
  element_type,
};

/// By length first: most keys are of no interest, and are told apart without comparing texts.
Arg arg_of(std::string_view key) {
  switch (key.size()) {
    case 4:
      return key == "grid" ? Arg::grid : key == "name" ? Arg::name : Arg::other;
    case 5:
      return key == "block"                     ? Arg::block
             : key == "bytes" || key == "Bytes" ? Arg::bytes
             : key == "EndNs"                   ? Arg::end_ns
             : key == "dtype"                   ? Arg::element_type
                                                : Arg::other;
    case 6:
      return key == "device"   ? Arg::device
             : key == "stream" ? Arg::stream
             : key == "labels" ? Arg::labels
                               : Arg::other;
    case 7:
      return key == "BeginNs" ? Arg::begin_ns : Arg::other;
    case 9:
      return key == "Device Id" ? Arg::device_id : Arg::other;
    case 10:
      return key == "Input type" || key == "Input Type"   ? Arg::input_types
             : key == "Input Dims" || key == "Input dims" ? Arg::input_shapes
             : key == "Call stack"                        ? Arg::call_stack
                                                          : Arg::other;
    case 11:
      return key == "External id" || key == "external id" ? Arg::external_id
             : key == "correlation"                       ? Arg::correlation
             : key == "Device Type"                       ? Arg::device_type
                                                          : Arg::other;
    case 13:
      return key == "blocks per SM"   ? Arg::blocks_per_sm
             : key == "Fwd thread id" ? Arg::forward_thread
                                      : Arg::other;
    case 14:
      return key == "Total Reserved" ? Arg::total_reserved : Arg::other;
    case 15:
      return key == "Sequence number" ? Arg::sequence : Arg::other;
    case 25:
      return key == "est. achieved occupancy %" ? Arg::occupancy : Arg::other;
    default:
      return key == "correlation_id" ? Arg::correlation : Arg::other;
  }
}

/// Bit per Arg.
constexpr std::uint32_t bit(Arg arg) {
  return 1U << static_cast<unsigned>(arg);
}

std::uint32_t args_of(ArgsWanted wanted) {
  switch (wanted) {
    case ArgsWanted::none:
      return 0;
    case ArgsWanted::host_call:
      return bit(Arg::correlation) | bit(Arg::external_id);
    case ArgsWanted::device:
      return bit(Arg::device) | bit(Arg::stream) | bit(Arg::correlation) | bit(Arg::external_id) |
             bit(Arg::bytes) | bit(Arg::grid) | bit(Arg::block) | bit(Arg::occupancy) |
             bit(Arg::blocks_per_sm) | bit(Arg::element_type);
    case ArgsWanted::op:
      return bit(Arg::external_id) | bit(Arg::sequence) | bit(Arg::forward_thread) | bit(Arg::input_types) |
             bit(Arg::input_shapes) | bit(Arg::call_stack);
    case ArgsWanted::instant:
      return bit(Arg::bytes) | bit(Arg::total_reserved) | bit(Arg::device_id) | bit(Arg::device_type);
    case ArgsWanted::metadata:
      return bit(Arg::name) | bit(Arg::labels);
    case ArgsWanted::unknown:
      return bit(Arg::begin_ns) | bit(Arg::end_ns) | bit(Arg::correlation) | bit(Arg::bytes) |
             bit(Arg::device) | bit(Arg::stream);
  }
  return 0;
}

bool read_id(Scanner& scanner, std::int64_t& value) {
  bool found = false;
  std::int64_t number = 0;
  if (!scanner.integer(number, found)) {
    return false;
  }
  value = found ? number : kAbsent;
  return true;
}

bool read_real(Scanner& scanner, double& value) {
  bool found = false;
  double number = 0;
  if (!scanner.real(number, found)) {
    return false;
  }
  value = found ? number : -1;
  return true;
}

/// The product of up to three numbers in a list: blocks of a grid, threads of a block.
bool read_product(Scanner& scanner, std::int64_t& product) {
  if (scanner.peek() != '[') {
    return scanner.skip_value();
  }
  scanner.expect('[');
  if (!scanner.blanks()) {
    return false;
  }
  double value = 1;
  for (int count = 0; scanner.peek() != ']'; ++count) {
    std::int64_t part = 0;
    bool found = false;
    if ((count > 0 && !scanner.take(',')) || !scanner.integer(part, found)) {
      return scanner.stop() == Scanner::Stop::none ? scanner.fail(Scanner::Stop::bad) : false;
    }
    value *= found ? static_cast<double>(part) : 1;
  }
  constexpr double kMost = 1e18;
  product = static_cast<std::int64_t>(std::clamp(value, 0.0, kMost));
  return scanner.take(']');
}

bool read_text(Scanner& scanner, Text& text) {
  return scanner.peek() == '"' ? scanner.text(text) : scanner.skip_value();
}

bool read_span(Scanner& scanner, std::string_view& span) {
  const char* from = scanner.position();
  if (!scanner.skip_value()) {
    return false;
  }
  std::string_view value(from, static_cast<std::size_t>(scanner.position() - from));
  while (!value.empty() && static_cast<unsigned char>(value.back()) <= ' ') {
    value.remove_suffix(1);
  }
  span = value;
  return true;
}

bool read_arg(Scanner& scanner, Arg arg, RawArgs& args) {
  switch (arg) {
    case Arg::other:
      return scanner.skip_value();
    case Arg::device:
      return read_id(scanner, args.device);
    case Arg::stream:
      return read_id(scanner, args.stream);
    case Arg::correlation:
      return read_id(scanner, args.correlation);
    case Arg::external_id:
      return read_id(scanner, args.external_id);
    case Arg::bytes:
      return read_id(scanner, args.bytes);
    case Arg::sequence:
      return read_id(scanner, args.sequence);
    case Arg::forward_thread:
      return read_id(scanner, args.forward_thread);
    case Arg::begin_ns:
      return read_id(scanner, args.begin_ns);
    case Arg::end_ns:
      return read_id(scanner, args.end_ns);
    case Arg::total_reserved:
      return read_id(scanner, args.total_reserved);
    case Arg::device_id:
      return read_id(scanner, args.device_id);
    case Arg::device_type:
      return read_id(scanner, args.device_type);
    case Arg::grid:
      return read_product(scanner, args.grid_blocks);
    case Arg::block:
      return read_product(scanner, args.block_threads);
    case Arg::occupancy:
      return read_real(scanner, args.occupancy_percent);
    case Arg::blocks_per_sm:
      return read_real(scanner, args.blocks_per_sm);
    case Arg::input_types:
      return read_span(scanner, args.input_types);
    case Arg::input_shapes:
      return read_span(scanner, args.input_shapes);
    case Arg::call_stack:
      return read_text(scanner, args.call_stack);
    case Arg::name:
      return read_text(scanner, args.name);
    case Arg::labels:
      return read_text(scanner, args.labels);
    case Arg::element_type:
      return read_text(scanner, args.element_type);
  }
  return false;
}

bool read_args(Scanner& scanner, ArgsWanted wanted, RawArgs& args) {
  const std::uint32_t mask = args_of(wanted);
  if (mask == 0 || scanner.peek() != '{') {
    return scanner.skip_value();
  }
  scanner.expect('{');
  if (!scanner.blanks()) {
    return false;
  }
  for (;;) {
    std::string_view key;
    bool done = false;
    if (!scanner.key(key, done)) {
      return false;
    }
    if (done) {
      return scanner.blanks();
    }
    const Arg arg = arg_of(key);
    if (!read_arg(scanner, (mask & bit(arg)) != 0 ? arg : Arg::other, args)) {
      return false;
    }
  }
}

bool read_tag(Scanner& scanner, RawTag& tag) {
  if (scanner.peek() != '"') {
    bool found = false;
    return scanner.integer(tag.number, found);
  }
  Text text;
  if (!scanner.text(text)) {
    return false;
  }
  tag.is_text = !parse_integer(text.bytes, tag.number);
  tag.text = text.bytes;
  return true;
}

bool read_phase(Scanner& scanner, char& phase) {
  Text text;
  if (scanner.peek() != '"') {
    return scanner.skip_value();
  }
  if (!scanner.text(text)) {
    return false;
  }
  phase = text.bytes.empty() ? '\0' : text.bytes.front();
  return true;
}

bool read_time(Scanner& scanner, std::int64_t& value, bool& found) {
  return scanner.thousandths(value, found);
}

/// Everything but args.
bool read_field(Scanner& scanner, std::string_view key, RawEvent& event) {
  switch (key.size()) {
    case 2:
      if (key == "ts") {
        return read_time(scanner, event.start_ns, event.has_start);
      }
      return key == "ph" ? read_phase(scanner, event.phase) : scanner.skip_value();
    case 3:
      if (key == "dur") {
        return read_time(scanner, event.duration_ns, event.has_duration);
      }
      if (key == "pid") {
        return read_tag(scanner, event.process);
      }
      if (key == "tid") {
        return read_tag(scanner, event.thread);
      }
      return key == "cat" ? read_text(scanner, event.category) : scanner.skip_value();
    case 4:
      return key == "name" ? read_text(scanner, event.name) : scanner.skip_value();
    default:
      return scanner.skip_value();
  }
}

}  // namespace

bool read_event(Scanner& scanner, ArgsChooser& chooser, RawEvent& event) {
  event = RawEvent();
  if (!scanner.expect('{') || !scanner.blanks()) {
    return false;
  }
  const char* deferred = nullptr;
  for (;;) {
    std::string_view key;
    bool done = false;
    if (!scanner.key(key, done)) {
      return false;
    }
    if (done) {
      break;
    }
    if (key != "args") {
      if (!read_field(scanner, key, event)) {
        return false;
      }
      continue;
    }
    // Exporters that sort keys write args before what says how to read them.
    const bool known = event.phase != 0 && (!event.category.bytes.empty() || event.phase == 'M');
    if (known && !event.name.bytes.empty()) {
      if (!read_args(scanner, chooser.wanted(event), event.args)) {
        return false;
      }
    } else {
      deferred = scanner.position();
      if (!scanner.skip_value()) {
        return false;
      }
    }
  }
  if (deferred != nullptr) {
    const char* end = scanner.position();
    scanner.move_to(deferred);
    if (!read_args(scanner, chooser.wanted(event), event.args)) {
      return false;
    }
    scanner.move_to(end);
  }
  return true;
}

}  // namespace jissoku::timeline::importers
