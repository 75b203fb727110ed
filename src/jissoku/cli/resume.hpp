// --resume RUN: the document to continue and the command line it was made with.
#pragma once

#include <span>
#include <string>

#include "jissoku/cli/parser.hpp"
#include "jissoku/core/machine.hpp"
#include "jissoku/document/model.hpp"

namespace jissoku::cli {

struct Resumed {
  std::string path;  ///< of the document
  document::Document document;
  Parsed parsed;  ///< the recorded command with the output options of the present one
};

/// A folder stands for the run.json in it, a journal for its document.
std::string document_path(const std::string& run);

/// The command a run was made with.
core::Result<const Command*> recorded_command(const std::string& run, std::span<const Command> commands);

/// `unreadable` for a damaged or foreign document, one of another version or machine; `usage`
/// when `parsed` also says what to measure.
core::Result<Resumed> load_resumed(const Parsed& parsed,
                                   std::span<const Command> commands,
                                   const core::Machine& machine);

}  // namespace jissoku::cli
