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
  /// Tells apart two flags of one name that different commands take: in Command::own_flags and in
  /// "cli.flag.<id>". Empty: the name.
  std::string_view id = {};
};

std::string_view flag_id(const Flag& flag);

/// In the order in which help lists them.
std::span<const Flag> flags();
/// nullptr if there is none. Of two with one name the one without an id of its own.
const Flag* find_flag(std::string_view name);

}  // namespace jissoku::cli
