// The part of a stream that is being parsed: contiguous, with zeros behind its end so that scanning
// loops need no check per byte. Grows where one value is larger than it.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace jissoku::timeline::importers {

class Window {
 public:
  /// Gives up to `capacity` more bytes; 0 only at the end.
  using Read = std::function<std::size_t(char* to, std::size_t capacity)>;

  /// Readable zeros behind end().
  static constexpr std::size_t kPadding = 64;

  explicit Window(Read read);

  const char* begin() const { return buffer_.data() + begin_; }
  const char* end() const { return buffer_.data() + end_; }
  /// Drops what lies before `position` and reads more behind; pointers into the window end. False at the end
  /// of the stream.
  bool refill(const char* position);
  bool at_end() const { return at_end_; }
  /// Bytes of the stream that were read so far.
  std::size_t bytes_read() const { return bytes_read_; }

 private:
  Read read_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::size_t bytes_read_ = 0;
  bool at_end_ = false;
};

}  // namespace jissoku::timeline::importers
