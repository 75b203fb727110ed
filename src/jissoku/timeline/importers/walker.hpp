// A position in a window that is refilled on the way: what readers of whole documents share.
#pragma once

#include "jissoku/timeline/importers/byte_search.hpp"
#include "jissoku/timeline/importers/scanner.hpp"
#include "jissoku/timeline/importers/window.hpp"

namespace jissoku::timeline::importers {

class Walker {
 public:
  Walker(Window& window, Repairs& repairs) : window_(window), repairs_(repairs), position_(window.begin()) {}

 protected:
  /// A value larger than this is a lost quote, not a value.
  static constexpr std::size_t kMostValueBytes = std::size_t{64} << 20;

  /// The next character that is no blank; 0 at the end.
  char next_character() {
    for (;;) {
      position_ = find_non_blank(position_, window_.end());
      if (position_ < window_.end()) {
        return *position_;
      }
      if (!refill()) {
        return '\0';
      }
    }
  }

  /// Takes `c` if it is the next character.
  bool take(char c) {
    const bool there = next_character() == c && position_ < window_.end();
    position_ += there ? 1 : 0;
    return there;
  }

  /// Pointers into the window end. False at the end of the data.
  bool refill() {
    const bool more = window_.refill(position_);
    position_ = window_.begin();
    return more;
  }

  /// Calls `step(scanner)` at the position, with more of the data until it is enough. On success (none) the
  /// position moves on and what was mended counts.
  template <typename Step>
  Scanner::Stop attempt(Quotes quotes, Step step) {
    for (;;) {
      Repairs mended;
      Scanner scanner(position_, window_.end(), window_.at_end(), mended, quotes);
      if (step(scanner)) {
        position_ = scanner.position();
        for (std::size_t index = 0; index < mended.counts.size(); ++index) {
          repairs_.counts[index] += mended.counts[index];
        }
        return Scanner::Stop::none;
      }
      if (scanner.stop() != Scanner::Stop::more) {
        return scanner.stop();
      }
      if (static_cast<std::size_t>(window_.end() - position_) > kMostValueBytes) {
        return Scanner::Stop::bad;
      }
      refill();
    }
  }

  Window& window_;
  Repairs& repairs_;
  const char* position_;
};

}  // namespace jissoku::timeline::importers
