// Completion scripts for shells, from the same tables as help.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "jissoku/cli/command.hpp"
#include "jissoku/core/catalogue.hpp"

namespace jissoku::cli {

/// `shell` is one of the choices of the flag "completions".
std::string completions(std::string_view shell,
                        std::span<const Command> commands,
                        const core::Catalogue& catalogue);

}  // namespace jissoku::cli
