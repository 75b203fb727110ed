// What a command's function is given.
#pragma once

#include <span>
#include <string>

#include "jissoku/cli/options.hpp"
#include "jissoku/cli/parser.hpp"
#include "jissoku/cli/streams.hpp"
#include "jissoku/cli/terminal.hpp"
#include "jissoku/core/catalogue.hpp"

namespace jissoku::cli {

struct Invocation {
  Parsed parsed;
  OutputOptions output;
  std::span<const Command> commands;
  const core::Catalogue& catalogue;
  Output& out;
  Messages& messages;
  Terminal out_terminal, err_terminal;
};

}  // namespace jissoku::cli
