#include "jissoku/core/descriptor.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <unistd.h>

#include <climits>

namespace jissoku::core {

int Descriptor::close() {
  return !is_open() || ::close(std::exchange(value_, -1)) == 0 ? 0 : errno;
}

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return errno;
    }
    text.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
  }
  return 0;
}

std::string behind_links(const std::string& path) {
  std::array<char, PATH_MAX> buffer{};
  return ::realpath(path.c_str(), buffer.data()) == nullptr ? path : std::string(buffer.data());
}

}  // namespace jissoku::core
