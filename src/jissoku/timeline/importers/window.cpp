#include "jissoku/timeline/importers/window.hpp"

#include <cstring>
#include <utility>

namespace jissoku::timeline::importers {
namespace {

/// Small enough to stay in the processor's cache, large beside an event.
constexpr std::size_t kFirstBytes = std::size_t{1} << 19;

}  // namespace

Window::Window(Read read) : read_(std::move(read)), buffer_(kFirstBytes + kPadding, '\0') {}

bool Window::refill(const char* position) {
  begin_ = static_cast<std::size_t>(position - buffer_.data());
  if (at_end_) {
    return false;
  }
  const std::size_t kept = end_ - begin_;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, kept);
  }
  begin_ = 0;
  end_ = kept;
  const std::size_t capacity = buffer_.size() - kPadding;
  if (kept * 2 > capacity) {
    buffer_.resize(capacity * 2 + kPadding);
  }
  const std::size_t got = read_(buffer_.data() + end_, buffer_.size() - kPadding - end_);
  end_ += got;
  bytes_read_ += got;
  at_end_ = got == 0;
  std::memset(buffer_.data() + end_, 0, kPadding);
  return got > 0;
}

}  // namespace jissoku::timeline::importers
