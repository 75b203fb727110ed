// Files by descriptor: owned, and written whole. Errors are errno's numbers; the caller knows the path.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace jissoku::core {

/// Owns a file descriptor; closing it gives back its lock.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    close();
    value_ = std::exchange(other.value_, -1);
    return *this;
  }

  bool is_open() const { return value_ >= 0; }
  int get() const { return value_; }
  /// Closes now, if open. 0, or the error number: a full disk may show only here.
  int close();

 private:
  int value_ = -1;
};

/// 0, or the error number.
int write_all(int descriptor, std::string_view text);

/// The file behind symbolic links, so that replacing it keeps the link.
std::string behind_links(const std::string& path);

}  // namespace jissoku::core
