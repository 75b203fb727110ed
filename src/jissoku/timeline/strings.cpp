#include "jissoku/timeline/strings.hpp"

#include <algorithm>
#include <cstring>

namespace jissoku::timeline {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 16;
constexpr std::size_t kFirstSlots = 1024;

/// Eight bytes a step: names are hashed once per event, which FNV's byte a step would dominate.
std::uint64_t hash_of(std::string_view text) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15U;
  std::uint64_t hash = text.size() * kFactor;
  const char* data = text.data();
  std::size_t left = text.size();
  const auto mix = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * kFactor;
    hash ^= hash >> 29;
  };
  for (; left >= 8; data += 8, left -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, data, 8);
    mix(word);
  }
  std::uint64_t word = 0;
  std::memcpy(&word, data, left);
  mix(word);
  return hash;
}

}  // namespace

Strings::Strings() : slots_(kFirstSlots, 0) {
  texts_.emplace_back();
  hashes_.push_back(0);
}

std::size_t Strings::slot_of(std::string_view text, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] != 0 && (hashes_[slots_[slot]] != hash || texts_[slots_[slot]] != text)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

StringId Strings::intern(std::string_view text) {
  if (text.empty()) {
    return 0;
  }
  const std::uint64_t hash = hash_of(text);
  std::size_t slot = slot_of(text, hash);
  if (slots_[slot] != 0) {
    return slots_[slot];
  }
  if (texts_.size() * 2 >= slots_.size()) {
    grow();
    slot = slot_of(text, hash);
  }
  const auto id = static_cast<StringId>(texts_.size());
  texts_.push_back(keep(text));
  hashes_.push_back(hash);
  slots_[slot] = id;
  return id;
}

StringId Strings::find(std::string_view text) const {
  return text.empty() ? 0 : slots_[slot_of(text, hash_of(text))];
}

void Strings::grow() {
  slots_.assign(slots_.size() * 2, 0);
  const std::size_t mask = slots_.size() - 1;
  for (StringId id = 1; id < texts_.size(); ++id) {
    std::size_t slot = hashes_[id] & mask;
    while (slots_[slot] != 0) {
      slot = (slot + 1) & mask;
    }
    slots_[slot] = id;
  }
}

std::string_view Strings::keep(std::string_view text) {
  if (text.size() > block_left_) {
    const std::size_t size = std::max(kBlockBytes, text.size());
    blocks_.emplace_back(new char[size]);
    block_next_ = blocks_.back().get();
    block_left_ = size;
  }
  std::memcpy(block_next_, text.data(), text.size());
  const std::string_view kept(block_next_, text.size());
  block_next_ += text.size();
  block_left_ -= text.size();
  return kept;
}

}  // namespace jissoku::timeline
