#include "jissoku/core/system_files.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <limits>

namespace jissoku::core {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

std::optional<std::string> SystemFiles::read(const std::string& path) const {
  std::ifstream file(root_ + path, std::ios::binary);
  std::string out;
  std::array<char, 4096> buffer{};
  while (file.read(buffer.data(), buffer.size()) || file.gcount() > 0) {
    out.append(buffer.data(), static_cast<std::size_t>(file.gcount()));
  }
  // A folder opens but does not read, and so do some files of /sys.
  if (!file.is_open() || file.bad()) {
    return std::nullopt;
  }
  out.erase(out.find_last_not_of(kBlanks) + 1);
  return out;
}

std::vector<std::string> SystemFiles::lines(const std::string& path) const {
  return split(read(path).value_or(""), '\n');
}

std::optional<std::int64_t> SystemFiles::integer(const std::string& path) const {
  const auto text = read(path);
  return text ? leading_integer(*text) : std::nullopt;
}

std::optional<std::string> SystemFiles::field(const std::string& path, std::string_view key) const {
  for (const std::string& line : lines(path)) {
    std::string_view rest = line;
    if (!rest.starts_with(key)) {
      continue;
    }
    rest.remove_prefix(key.size());
    const std::string_view value = trimmed(rest);
    if (value.starts_with(':')) {
      return std::string(trimmed(value.substr(1)));
    }
    if (rest.starts_with(' ')) {
      const bool longer_key = value.find(':') != std::string_view::npos;  // "model name: x" is no "model"
      if (!longer_key) {
        return std::string(value);
      }
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> leading_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure == std::errc::result_out_of_range) {
    return std::numeric_limits<std::int64_t>::max();
  }
  return failure == std::errc() ? std::optional(value) : std::nullopt;
}

std::vector<int> parse_cpu_list(std::string_view text) {
  constexpr std::int64_t kMostCpus = 1 << 20;  // a damaged list must not fill the memory
  std::vector<int> out;
  for (const std::string& part : split(text, ',')) {
    const auto first = leading_integer(part);
    const std::size_t dash = part.find('-', 1);
    const auto last =
        dash == std::string::npos ? first : leading_integer(std::string_view(part).substr(dash + 1));
    if (!first || !last || *first < 0 || *last >= kMostCpus) {
      continue;
    }
    for (std::int64_t cpu = *first; cpu <= *last; ++cpu) {
      out.push_back(static_cast<int>(cpu));
    }
  }
  return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) {
      out.emplace_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace jissoku::core
