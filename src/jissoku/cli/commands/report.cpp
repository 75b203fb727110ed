#include <filesystem>
#include <system_error>

#include "jissoku/cli/commands/commands.hpp"
#include "jissoku/cli/results.hpp"
#include "jissoku/cli/resume.hpp"
#include "jissoku/document/serialise.hpp"

namespace jissoku::cli {
namespace {

/// --out: the document itself, whole even where the run was a journal.
core::Result<std::string> save_copy(const Invocation& invocation, const document::Document& document) {
  if (!invocation.output.folder) {
    return std::string();
  }
  const std::filesystem::path folder = *invocation.output.folder;
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);  // what it cannot do, writing reports
  const std::string path = (folder / "run.json").string();
  if (auto written = write_file(path, document::to_json(document)); !written) {
    return written.error();
  }
  return path;
}

}  // namespace

core::Result<core::ExitCode> run_report(Invocation& invocation) {
  const std::string path = document_path(invocation.parsed.operands.front());
  const auto document = document::read_document(path);
  if (!document) {
    return document.error();
  }
  if (auto writable = check_outputs(invocation); !writable) {
    return writable.error();
  }
  const auto saved = save_copy(invocation, *document);
  if (!saved) {
    return saved.error();
  }
  if (auto written = write_results(invocation, *document, *saved); !written) {
    return written.error();
  }
  return core::ExitCode::ok;
}

}  // namespace jissoku::cli
