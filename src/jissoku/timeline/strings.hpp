// Texts of a trace, each kept once. A trace of millions of events has a few thousand names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace jissoku::timeline {

/// Index of a text in `Strings`; 0 is the empty text.
using StringId = std::uint32_t;

class Strings {
 public:
  Strings();
  Strings(Strings&&) = default;
  Strings& operator=(Strings&&) = default;

  /// The id of `text`, the same for equal texts. Texts are bytes: what is no valid UTF-8 is kept.
  StringId intern(std::string_view text);
  /// The id of `text`, or 0 if it was never interned.
  StringId find(std::string_view text) const;
  /// Valid as long as the Strings live, also while more are added.
  std::string_view operator[](StringId id) const { return texts_[id]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::size_t slot_of(std::string_view text, std::uint64_t hash) const;
  void grow();
  std::string_view keep(std::string_view text);

  std::vector<std::string_view> texts_;
  std::vector<std::uint64_t> hashes_;
  std::vector<StringId> slots_;  ///< open addressing; 0 is free
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_left_ = 0;
  char* block_next_ = nullptr;
};

}  // namespace jissoku::timeline
