#include <filesystem>
#include <system_error>

#include "jissoku/cli/commands/commands.hpp"
#include "jissoku/cli/results.hpp"
#include "jissoku/cli/resume.hpp"
#include "jissoku/document/serialise.hpp"
#include "jissoku/report/describe.hpp"

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

/// What each row measures, and what the columns mean.
std::string describe(const Invocation& invocation, const document::Document& document) {
  const int width = invocation.out_terminal.width;
  std::string out;
  for (const document::Row& row : document.rows) {
    out += report::describe(row, invocation.catalogue, width) + "\n";
  }
  return out + report::describe_columns(invocation.catalogue, width);
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
  if (invocation.parsed.has("describe")) {
    if (auto written = invocation.out.write(describe(invocation, *document)); !written) {
      return written.error();
    }
    return core::ExitCode::ok;
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
