// Reading /proc and /sys, below a root that tests replace by a folder. Internal to core.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jissoku::core {

class SystemFiles {
 public:
  /// `root` goes before every path; "" is the real system.
  explicit SystemFiles(std::string root = "") : root_(std::move(root)) {}

  /// A file's text without blanks at the end; nullopt if it cannot be read. Paths are absolute.
  std::optional<std::string> read(const std::string& path) const;
  std::vector<std::string> lines(const std::string& path) const;
  /// A file that holds one decimal integer; one beyond 64 bits reads as the largest.
  std::optional<std::int64_t> integer(const std::string& path) const;
  /// The value of "key: value" or "key value" in a file of such lines; the first if there are several.
  std::optional<std::string> field(const std::string& path, std::string_view key) const;

 private:
  std::string root_;
};

/// "12" of "12", "12 kB"; one beyond 64 bits is the largest; nullopt without digits in front.
std::optional<std::int64_t> leading_integer(std::string_view text);

/// CPUs of the kernel's list format: "0-2,8" -> 0 1 2 8; what is no number is left out.
std::vector<int> parse_cpu_list(std::string_view text);

/// The parts between separators; empty ones are left out.
std::vector<std::string> split(std::string_view text, char separator);

}  // namespace jissoku::core
