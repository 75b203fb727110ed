#include "jissoku/backends/cuda/rules/versions.hpp"

#include <charconv>
#include <tuple>

namespace jissoku::backends::cuda {
namespace {

bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

/// "580.65.06": digits and dots only, a dot among them, beginning and ending with a digit.
bool is_version(std::string_view word) {
  bool has_dot = false;
  for (const char character : word) {
    if (character != '.' && !is_digit(character)) {
      return false;
    }
    has_dot = has_dot || character == '.';
  }
  return has_dot && is_digit(word.front()) && is_digit(word.back());
}

}  // namespace

std::string to_string(const ComputeCapability& capability) {
  return std::to_string(capability.major) + "." + std::to_string(capability.minor);
}

bool at_least(const ComputeCapability& capability, int major, int minor) {
  return std::tie(capability.major, capability.minor) >= std::tie(major, minor);
}

std::string format_cuda_version(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string format_cublas_version(std::size_t version) {
  constexpr std::size_t kFirstOfWideFormat = 100000;
  const std::size_t major = version >= kFirstOfWideFormat ? 10000 : 1000;
  return std::to_string(version / major) + "." + std::to_string(version % major / 100) + "." +
         std::to_string(version % 100);
}

int minimum_driver(int runtime_version) {
  switch (runtime_version / 1000) {
    case 12:
      return 525;
    case 13:
      return 580;
    default:
      return 0;
  }
}

std::string parse_driver_version(std::string_view text) {
  text = text.substr(0, text.find('\n'));  // later lines hold the compiler's version
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    if (!word.empty() && is_version(word)) {
      return std::string(word);
    }
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return {};
}

bool kernels_cover(std::string_view architectures, const ComputeCapability& capability) {
  const int wanted = capability.major * 10 + capability.minor;
  int newest = 0;
  while (!architectures.empty()) {
    const std::size_t end = architectures.find(',');
    const std::string_view word = architectures.substr(0, end);
    int built = 0;
    std::from_chars(word.data(), word.data() + word.size(), built);
    if (built / 10 == capability.major && built <= wanted) {
      return true;
    }
    newest = built > newest ? built : newest;
    architectures = end == std::string_view::npos ? std::string_view() : architectures.substr(end + 1);
  }
  return newest > 0 && wanted > newest;
}

}  // namespace jissoku::backends::cuda
