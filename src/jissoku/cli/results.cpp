#include "jissoku/cli/results.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "jissoku/document/serialise.hpp"
#include "jissoku/report/csv.hpp"
#include "jissoku/report/markdown.hpp"
#include "jissoku/report/text.hpp"

namespace jissoku::cli {
namespace {

core::Status write_format(const Invocation& invocation,
                          const std::optional<std::string>& target,
                          const std::function<std::string()>& render) {
  if (!target) {
    return {};
  }
  return target == "-" ? invocation.out.write(render()) : write_file(*target, render());
}

}  // namespace

core::Status check_outputs(const Invocation& invocation) {
  const OutputOptions& output = invocation.output;
  for (const std::optional<std::string>& file : {output.json, output.csv, output.markdown}) {
    if (file && file != "-") {
      if (auto writable = check_writable(*file); !writable) {
        return writable;
      }
    }
  }
  return invocation.out.check();
}

core::Status write_results(const Invocation& invocation,
                           const document::Document& document,
                           const std::string& saved_path) {
  const OutputOptions& output = invocation.output;
  const core::Catalogue& catalogue = invocation.catalogue;
  if (output.text_on_stdout()) {
    const Terminal& terminal = invocation.out_terminal;
    const report::TextOptions options{
        .width = terminal.width, .utf8 = terminal.utf8, .color = terminal.color, .saved_path = saved_path};
    if (auto written = invocation.out.write(report::render_text(document, catalogue, options)); !written) {
      return written;
    }
  }
  // Every file is tried even if one fails: what can be saved is saved.
  core::Status outcome;
  const std::array<core::Status, 3> written = {
      write_format(invocation, output.json, [&] { return document::to_json(document); }),
      write_format(invocation, output.csv, [&] { return report::render_csv(document); }),
      write_format(
          invocation, output.markdown, [&] { return report::render_markdown(document, catalogue); })};
  for (const core::Status& status : written) {
    if (!status && outcome) {
      outcome = status;
    }
  }
  return outcome;
}

core::ExitCode exit_code_of(const document::Document& document) {
  using document::RowStatus;
  const bool failed = std::any_of(document.rows.begin(), document.rows.end(), [](const document::Row& row) {
    return row.status == RowStatus::wrong || row.status == RowStatus::error;
  });
  return failed ? core::ExitCode::check_failed : core::ExitCode::ok;
}

}  // namespace jissoku::cli
