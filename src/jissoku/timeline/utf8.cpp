#include "jissoku/timeline/utf8.hpp"

#include <cstddef>
#include <cstdint>

namespace jissoku::timeline {
namespace {

/// Bytes of the sequence at the start of `bytes`, 0 if it is not valid (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view bytes) {
  const auto byte = [bytes](std::size_t at) {
    return at < bytes.size() ? static_cast<std::uint8_t>(bytes[at]) : std::uint8_t{0};
  };
  const auto tail = [&byte](std::size_t at) { return byte(at) >= 0x80 && byte(at) <= 0xBF; };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xC2 && lead <= 0xDF) {
    return tail(1) ? 2 : 0;
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    const std::uint8_t least = lead == 0xE0 ? 0xA0 : 0x80;
    const std::uint8_t most = lead == 0xED ? 0x9F : 0xBF;
    return byte(1) >= least && byte(1) <= most && tail(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const std::uint8_t least = lead == 0xF0 ? 0x90 : 0x80;
    const std::uint8_t most = lead == 0xF4 ? 0x8F : 0xBF;
    return byte(1) >= least && byte(1) <= most && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

bool is_valid_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t length = sequence_length(bytes);
    if (length == 0) {
      return false;
    }
    bytes.remove_prefix(length);
  }
  return true;
}

std::string to_valid_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = sequence_length(bytes);
    out += length == 0 ? std::string_view("\xEF\xBF\xBD") : bytes.substr(0, length);
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace jissoku::timeline
