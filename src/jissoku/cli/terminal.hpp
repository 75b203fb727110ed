// All knowledge of terminals: whether a stream is one, colour, width, encoding. The decisions are
// a pure function of what was found, so that they are tested without a terminal.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace jissoku::cli {

enum class ColorMode { automatic, always, never };

/// An environment variable, or nullopt where it is not set.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;
Environment process_environment();

/// What the system says about a stream.
struct StreamFacts {
  bool is_terminal = false;
  int columns = 0;          ///< of the window; 0 unknown
  bool utf8_input = false;  ///< the terminal's line discipline is told to expect UTF-8
};
StreamFacts probe_stream(int descriptor);

/// What may be written to a stream.
struct Terminal {
  bool is_terminal = false;
  bool can_overwrite = false;  ///< a status line may be redrawn in place
  bool color = false;
  bool utf8 = false;
  int width = 100;  ///< display cells
};

/// COLUMNS goes before the window's width; LC_ALL, LC_CTYPE, LANG in that order decide the encoding, and
/// only where none is set the terminal itself.
Terminal decide_terminal(const StreamFacts& facts, const Environment& environment, ColorMode mode);

}  // namespace jissoku::cli
