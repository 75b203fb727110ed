// A small hash that stays the same on every machine and in every version; not a cryptographic one.
#pragma once

#include <cstdint>
#include <string_view>

namespace jissoku::core {

/// FNV-1a, 64 bits (Fowler, Noll, Vo; RFC 9923).
constexpr std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001B3U;
  }
  return hash;
}

}  // namespace jissoku::core
