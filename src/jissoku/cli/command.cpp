#include "jissoku/cli/command.hpp"

#include <algorithm>

namespace jissoku::cli {

bool Command::takes(const Flag& flag) const {
  if (flag.group == FlagGroup::general) {
    return true;
  }
  if (std::find(own_flags.begin(), own_flags.end(), flag_id(flag)) != own_flags.end()) {
    return true;
  }
  return std::find(groups.begin(), groups.end(), flag.group) != groups.end();
}

const Flag* find_flag(std::string_view name, const Command* command) {
  for (const Flag& flag : flags()) {
    if (command != nullptr && flag.name == name && command->takes(flag)) {
      return &flag;
    }
  }
  return find_flag(name);
}

const Command* find_command(std::span<const Command> commands, std::string_view name) {
  const auto found =
      std::find_if(commands.begin(), commands.end(), [&](const Command& c) { return c.name == name; });
  return found == commands.end() ? nullptr : &*found;
}

}  // namespace jissoku::cli
