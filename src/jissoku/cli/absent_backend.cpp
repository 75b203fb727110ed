#include "jissoku/cli/absent_backend.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace jissoku::cli {

device::Backend absent_backend(const std::string& name,
                               const std::string& library,
                               const std::vector<std::string>& folders) {
  const bool installed = std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    std::error_code ignored;
    return std::filesystem::exists(std::filesystem::path(folder) / library, ignored);
  });
  const core::Message reason = core::message(installed ? "cli.backend_to_come" : "cli.no_driver",
                                             {{"backend", name}, {"library", library}});
  device::Backend backend;
  backend.name = name;
  backend.list = [reason] { return device::Listing{{}, {reason}}; };
  backend.open = [reason](const std::string&,
                          const device::OpenOptions&) -> core::Result<std::unique_ptr<device::Device>> {
    return core::Error{core::ExitCode::unavailable, reason};
  };
  return backend;
}

std::vector<std::string> library_folders() {
  std::vector<std::string> folders;
  const char* variable = std::getenv("LD_LIBRARY_PATH");
  std::string rest = variable == nullptr ? "" : variable;
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    folders.push_back(rest.substr(0, end));
    rest = end == std::string::npos ? "" : rest.substr(end + 1);
  }
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu",
                             "/usr/lib/aarch64-linux-gnu",
                             "/usr/lib64",
                             "/usr/lib",
                             "/usr/local/lib",
                             "/usr/lib/wsl/lib",
                             "/usr/lib64-nvidia",
                             "/usr/local/nvidia/lib64"}) {
    folders.emplace_back(folder);
  }
  return folders;
}

}  // namespace jissoku::cli
