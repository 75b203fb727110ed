// One event of the Chrome trace format as it stands in the file: pieces of the window, nothing kept.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include "jissoku/timeline/importers/scanner.hpp"

namespace jissoku::timeline::importers {

inline constexpr std::int64_t kAbsent = std::numeric_limits<std::int64_t>::min();

/// pid or tid: a number, or a text that is none.
struct RawTag {
  std::string_view text;
  std::int64_t number = 0;
  bool is_text = false;
};

/// What of "args" anything reads. Numbers are kAbsent, texts empty where they are not given.
struct RawArgs {
  std::int64_t device = kAbsent, stream = kAbsent, correlation = kAbsent, external_id = kAbsent;
  std::int64_t bytes = kAbsent, sequence = kAbsent, forward_thread = kAbsent;
  std::int64_t begin_ns = kAbsent, end_ns = kAbsent;
  std::int64_t total_reserved = kAbsent, device_id = kAbsent, device_type = kAbsent;
  std::int64_t grid_blocks = kAbsent, block_threads = kAbsent;
  double occupancy_percent = -1, blocks_per_sm = -1;
  std::string_view input_types, input_shapes;  ///< JSON as it stands
  Text call_stack, name, labels, element_type;
};

struct RawEvent {
  char phase = 0;
  Text name, category;
  RawTag process, thread;
  bool has_start = false, has_duration = false;
  std::int64_t start_ns = 0, duration_ns = 0;
  RawArgs args;
};

/// Which of the arguments an event is asked for.
enum class ArgsWanted : std::uint8_t { none, host_call, device, op, instant, metadata, unknown };

/// How args are read for a category; called as soon as name, category and phase are known.
class ArgsChooser {
 public:
  virtual ~ArgsChooser() = default;
  virtual ArgsWanted wanted(const RawEvent& event) = 0;
};

/// Reads the object at the scanner's position. False: stop() says why. Afterwards it stands behind the
/// closing brace; blanks are not skipped, since the end of the data may follow.
bool read_event(Scanner& scanner, ArgsChooser& chooser, RawEvent& event);

}  // namespace jissoku::timeline::importers
