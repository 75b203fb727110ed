// The one table of flags. Parsing, help, the man page and the shell completions are all made from
// it; what a flag does is described by the message "cli.flag.<name>".
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace jissoku::cli {

/// Which commands take a flag.
enum class FlagGroup {
  general,  ///< every command
  output,   ///< commands with results; they change where results go, never what is measured
  measure,  ///< commands that measure
  own,      ///< only the commands that name it in Command::own_flags
};

struct Flag {
  std::string_view name;     ///< without the dashes
  std::string_view metavar;  ///< what stands for the value; empty: the flag takes none
  FlagGroup group = FlagGroup::general;
  std::string_view default_text = {};          ///< printed in help; empty: described in the text
  std::vector<std::string_view> choices = {};  ///< the only values allowed (of each item of a list)
  bool names_file = false;                     ///< completed with file names
  char short_name = 0;
};

/// In the order in which help lists them.
std::span<const Flag> flags();
/// nullptr if there is none.
const Flag* find_flag(std::string_view name);

}  // namespace jissoku::cli
