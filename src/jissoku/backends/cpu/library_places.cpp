#include "jissoku/backends/cpu/library_places.hpp"

#include <filesystem>
#include <system_error>

#if defined(__SANITIZE_ADDRESS__)
// The leak checker's guess of where thread-local storage of libraries opened at run time ends is wrong
// for BLIS and oneDNN (g++ 12, glibc 2.36): it crashes on what it takes for their data.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "intercept_tls_get_addr=0";
}
#endif

namespace jissoku::backends::cpu {
namespace {

constexpr std::string_view kOnly = "only:";

std::vector<std::string> system_folders() {
  return {
#if defined(__x86_64__)
    "/usr/lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
    "/usr/lib/aarch64-linux-gnu",
#endif
        "/usr/local/lib", "/usr/lib64", "/usr/lib",
#if defined(__x86_64__)
        "/opt/intel/oneapi/mkl/latest/lib", "/opt/intel/oneapi/mkl/latest/lib/intel64",
        "/opt/intel/mkl/lib/intel64",
#endif
  };
}

}  // namespace

std::vector<std::string> library_folders(const char* variable) {
  std::vector<std::string> folders;
  std::string_view rest = variable != nullptr ? variable : "";
  const bool only = rest.starts_with(kOnly);
  if (only) {
    rest.remove_prefix(kOnly.size());
  }
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    if (end != 0) {
      folders.emplace_back(rest.substr(0, end));
    }
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  if (!only) {
    const std::vector<std::string> system = system_folders();
    folders.insert(folders.end(), system.begin(), system.end());
  }
  return folders;
}

std::string find_library(const std::vector<std::string>& folders, const std::vector<std::string>& names) {
  for (const std::string& folder : folders) {
    for (const std::string& name : names) {
      std::error_code ignored;
      std::string file = folder + "/" + name;
      if (std::filesystem::exists(file, ignored)) {
        return file;
      }
    }
  }
  return {};
}

}  // namespace jissoku::backends::cpu
