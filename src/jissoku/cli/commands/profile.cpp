#include <filesystem>
#include <utility>

#include "jissoku/cli/commands/commands.hpp"
#include "jissoku/cli/measurement.hpp"
#include "jissoku/cli/profile_options.hpp"

namespace jissoku::cli {
namespace {

/// The folder is made, as that of --out is.
core::Status check_trace(const std::string& path) {
  std::error_code ignored;  // what cannot be made cannot be written to, which is said next
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  return check_writable(path);
}

core::Status write_trace(const std::string& path, const document::Document& document) {
  for (const document::Attachment& attachment : document.attachments) {
    if (attachment.kind == "timeline") {
      return write_file(path, attachment.content);
    }
  }
  return {};  // nothing was recorded: the row says why
}

}  // namespace

core::Result<core::ExitCode> run_profile(Invocation& invocation) {
  return measure(invocation, [](const Parsed& parsed, const MeasureOptions& options) -> core::Result<Job> {
    auto params = profile_params(parsed, options);
    if (!params) {
      return params.error();
    }
    Job job;
    job.cases = {describe_profile(*params)};
    job.explains_products = false;
    if (const auto path = parsed.get("trace"); path && !parsed.has("describe")) {
      if (auto writable = check_trace(*path); !writable) {
        return writable.error();
      }
      job.write_more = [path = *path](const document::Document& document) {
        return write_trace(path, document);
      };
    }
    job.run = [params = std::move(*params)](const experiments::Context& context) {
      return experiments::profile::run(context, params);
    };
    return job;
  });
}

}  // namespace jissoku::cli
