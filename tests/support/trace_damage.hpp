// Breaks a trace in the ways in which real ones are broken. Each takes the text of a sound trace.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "jissoku/timeline/model.hpp"

namespace jissoku::tests {

struct Damage {
  std::string_view name;
  std::function<std::string(std::string text)> apply;
  timeline::Repair counted;    ///< the repair that must be counted for it
  std::int64_t most_lost = 0;  ///< events that may be lost, at most
};

/// Replaces the `nth` (from 0) occurrence of `what`.
inline std::string replaced(std::string text, std::string_view what, std::string_view with, int nth = 0) {
  std::size_t at = text.find(what);
  for (; nth > 0 && at != std::string::npos; --nth) {
    at = text.find(what, at + 1);
  }
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

/// Expects names "elementwise_kernel" and keys as TraceFixture writes them.
inline std::vector<Damage> all_damages() {
  using timeline::Repair;
  const auto swap = [](std::string_view what, std::string_view with, int nth = 3) {
    return [what, with, nth](std::string text) { return replaced(std::move(text), what, with, nth); };
  };
  return {
      {"unescaped quotes",
       swap("\"elementwise_kernel\"", "\"void f<\"x\">(int)\""),
       Repair::unescaped_quotes},
      {"a quote before a comma",
       swap("\"elementwise_kernel\"", "\"void f<\"x\", int>(int)\""),
       Repair::unescaped_quotes,
       1},
      {"a backslash before the closing quote",
       swap("\"elementwise_kernel\"", "\"C:\\dir\\\""),
       Repair::unescaped_quotes},
      {"bare NaN", swap("\"stream\": 7", "\"stream\": 7, \"occupancy\": NaN"), Repair::bare_tokens},
      {"bare Infinity", swap("\"stream\": 7", "\"stream\": 7, \"x\": -Infinity"), Repair::bare_tokens},
      {"bare N/A", swap("\"stream\": 7", "\"stream\": 7, \"x\": N/A"), Repair::bare_tokens},
      {"control characters",
       swap("\"elementwise_kernel\"", "\"element\twise\x01kernel\""),
       Repair::control_characters},
      {"invalid UTF-8", swap("\"elementwise_kernel\"", "\"element\xff\xfewise\""), Repair::invalid_utf8},
      {"a lost brace", swap("}}", "}"), Repair::lost_events, 2},
      {"a lost comma between keys", swap(", \"pid\"", " \"pid\""), Repair::lost_events, 1},
      {"garbage between events", swap("}},\n{", "}},\n@#$%^&*\n{"), Repair::lost_events},
      {"a negative duration", swap("\"dur\": 500.000", "\"dur\": -7.000"), Repair::negative_durations},
      {"an absurd duration",
       swap("\"dur\": 500.000", "\"dur\": 7446000000000000.000"),
       Repair::absurd_durations},
      {"an absurd time", swap("\"ts\": 1", "\"ts\": 9999999991", 40), Repair::absurd_times, 1},
      {"no time", swap("\"ts\": ", "\"tx\": ", 40), Repair::no_time, 1},
  };
}

/// The first `part` of the bytes.
inline std::string truncated(std::string text, double part) {
  text.resize(static_cast<std::size_t>(static_cast<double>(text.size()) * part));
  return text;
}

}  // namespace jissoku::tests
