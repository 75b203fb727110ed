// The manual page in roff (man 7), from the same tables as help.
#pragma once

#include <span>
#include <string>

#include "jissoku/cli/command.hpp"
#include "jissoku/core/catalogue.hpp"

namespace jissoku::cli {

/// Without a date, so that the same sources give the same page.
std::string man_page(std::span<const Command> commands,
                     const core::Catalogue& catalogue,
                     const std::string& version);

}  // namespace jissoku::cli
