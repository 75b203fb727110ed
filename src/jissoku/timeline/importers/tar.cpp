// POSIX ustar with the parts that GNU tar and Python's tarfile write: long names are skipped, since
// only contents matter.
#include <algorithm>
#include <array>
#include <charconv>

#include "jissoku/timeline/importers/source.hpp"

namespace jissoku::timeline::importers {
namespace {

constexpr std::size_t kRecord = 512;

/// Octal digits, or GNU's binary form for members beyond 8 GiB.
std::uint64_t size_of(std::string_view field) {
  if ((static_cast<unsigned char>(field[0]) & 0x80U) != 0) {
    std::uint64_t value = 0;
    for (const char c : field.substr(4)) {
      value = (value << 8U) | static_cast<unsigned char>(c);
    }
    return value;
  }
  std::uint64_t value = 0;
  const std::size_t first = std::min(field.find_first_not_of(' '), field.size());
  std::from_chars(field.data() + first, field.data() + field.size(), value, 8);
  return value;
}

}  // namespace

bool TarReader::is_tar(std::string_view first_bytes) {
  return first_bytes.size() >= kRecord && first_bytes.substr(257, 5) == "ustar";
}

std::string TarReader::next() {
  std::array<char, 4096> scratch;
  while (left_ > 0 && read(scratch.data(), scratch.size()) > 0) {
  }
  for (;;) {
    while (padding_ > 0) {
      const std::size_t wanted = std::min<std::uint64_t>(padding_, scratch.size());
      const std::size_t got = archive_.read(scratch.data(), wanted);
      padding_ = got == 0 ? 0 : padding_ - got;
    }
    const std::string header(archive_.peek(kRecord));
    if (!is_tar(header)) {
      // An archive ends with records of zeros; without them its end is lost.
      cut_short_ =
          cut_short_ || header.size() < kRecord || header.find_first_not_of('\0') != std::string::npos;
      return {};
    }
    padding_ = kRecord;  // the header itself
    const std::uint64_t size = size_of(std::string_view(header).substr(124, 12));
    const char type = header[156];
    if (type != '0' && type != '\0') {
      padding_ += (size + kRecord - 1) / kRecord * kRecord;
      continue;
    }
    archive_.take(kRecord);
    left_ = size;
    padding_ = (kRecord - size % kRecord) % kRecord;
    const std::string name = header.substr(0, std::min<std::size_t>(header.find('\0'), 100));
    return name.empty() ? "?" : name;
  }
}

std::size_t TarReader::read(char* to, std::size_t capacity) {
  if (left_ == 0 || capacity == 0) {
    return 0;
  }
  const std::size_t got = archive_.read(to, std::min<std::uint64_t>(capacity, left_));
  cut_short_ = cut_short_ || got == 0;
  left_ = got == 0 ? 0 : left_ - got;
  return got;
}

}  // namespace jissoku::timeline::importers
