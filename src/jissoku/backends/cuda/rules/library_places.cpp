#include "jissoku/backends/cuda/rules/library_places.hpp"

#include <string_view>

namespace jissoku::backends::cuda {
namespace {

constexpr std::string_view kOnly = "only:";

std::string_view value_of(const Environment& environment, const char* name) {
  const char* const value = environment(name);
  return value != nullptr ? value : "";
}

}  // namespace

std::vector<std::string> library_places(const Environment& environment,
                                        const std::string& library,
                                        int cuda_major) {
  std::vector<std::string> places;
  std::string_view rest = value_of(environment, "JISSOKU_LIBRARY_PATH");
  const bool only = rest.starts_with(kOnly);
  rest.remove_prefix(only ? kOnly.size() : 0);
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    if (end != 0) {
      places.push_back(std::string(rest.substr(0, end)) + "/" + library);
    }
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  if (only) {
    return places;
  }
  places.push_back(library);
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string_view root = value_of(environment, variable); !root.empty()) {
      places.push_back(std::string(root) + "/lib64/" + library);
    }
  }
  for (const std::string& root : {"/usr/local/cuda-" + std::to_string(cuda_major),
                                  std::string("/usr/local/cuda"),
                                  std::string("/opt/cuda")}) {
    places.push_back(root + "/lib64/" + library);
  }
  return places;
}

}  // namespace jissoku::backends::cuda
