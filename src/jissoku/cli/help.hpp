// Help on the terminal, from the tables and the catalogue.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jissoku/cli/command.hpp"
#include "jissoku/core/catalogue.hpp"

namespace jissoku::cli {

std::string program_help(std::span<const Command> commands, const core::Catalogue& catalogue, int width);
std::string command_help(const Command& command, const core::Catalogue& catalogue, int width);

/// What a flag does, with its choices and default: the same words for help and the man page.
std::string flag_description(const Flag& flag, const core::Catalogue& catalogue);
/// "--n LIST", "-q, --quiet".
std::string flag_synopsis(const Flag& flag);
/// "jissoku report RUN [options]".
std::string usage_line(const Command& command);

}  // namespace jissoku::cli
