// A finished document's way out: text, JSON, CSV, Markdown, to standard output or files.
#pragma once

#include <string>

#include "jissoku/cli/invocation.hpp"
#include "jissoku/document/model.hpp"

namespace jissoku::cli {

/// Whether everything asked for can be written. Called before anything is measured.
core::Status check_outputs(const Invocation& invocation);

/// `saved_path`: where the document lies, to be told with the text; may be empty.
core::Status write_results(const Invocation& invocation,
                           const document::Document& document,
                           const std::string& saved_path);

/// check_failed when a row is wrong or failed, else ok.
core::ExitCode exit_code_of(const document::Document& document);

}  // namespace jissoku::cli
