// Searches over bytes, 16 at a time where the processor is x86-64 (SSE2, which all of them have). All may
// read up to 16 bytes behind `end`; windows have zeros there.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace jissoku::timeline::importers {

#if defined(__SSE2__)
/// The first byte from `p` for which `mask_of` (16 bytes -> bit mask) has a bit, at most `end`.
template <typename MaskOf>
inline const char* search(const char* p, const char* end, MaskOf mask_of) {
  while (p < end) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const auto mask = static_cast<std::uint32_t>(_mm_movemask_epi8(mask_of(bytes)));
    if (mask != 0) {
      p += std::countr_zero(mask);
      return p < end ? p : end;
    }
    p += 16;
  }
  return end;
}
#else
template <typename Matches>
inline const char* search_bytes(const char* p, const char* end, Matches matches) {
  while (p < end && !matches(*p)) {
    ++p;
  }
  return p;
}
#endif

inline const char* find_any(const char* p, const char* end, char first, char second) {
#if defined(__SSE2__)
  return search(p, end, [=](__m128i bytes) {
    return _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(first)),
                        _mm_cmpeq_epi8(bytes, _mm_set1_epi8(second)));
  });
#else
  return search_bytes(p, end, [=](char c) { return c == first || c == second; });
#endif
}

/// A quote, a backslash, or a control character.
inline const char* find_quote_backslash_or_control(const char* p, const char* end) {
#if defined(__SSE2__)
  return search(p, end, [](__m128i bytes) {
    const __m128i quotes =
        _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
    return _mm_or_si128(quotes, control);
  });
#else
  return search_bytes(
      p, end, [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' '; });
#endif
}

/// A quote, brace or bracket.
inline const char* find_structural(const char* p, const char* end) {
#if defined(__SSE2__)
  return search(p, end, [](__m128i bytes) {
    // '{' '[' and '}' ']' differ in bit 5 only.
    const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    const __m128i brackets =
        _mm_or_si128(_mm_cmpeq_epi8(folded, _mm_set1_epi8('{')), _mm_cmpeq_epi8(folded, _mm_set1_epi8('}')));
    return _mm_or_si128(brackets, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')));
  });
#else
  return search_bytes(
      p, end, [](char c) { return c == '"' || c == '{' || c == '}' || c == '[' || c == ']'; });
#endif
}

/// What is neither a blank nor another control character.
inline const char* find_non_blank(const char* p, const char* end) {
  for (int step = 0; step < 4; ++step, ++p) {
    if (static_cast<unsigned char>(*p) > ' ' || p >= end) {
      return p;
    }
  }
#if defined(__SSE2__)
  return search(p, end, [](__m128i bytes) {
    return _mm_xor_si128(_mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(' ')), bytes), _mm_set1_epi8(-1));
  });
#else
  return search_bytes(p, end, [](char c) { return static_cast<unsigned char>(c) > ' '; });
#endif
}

/// Whether an event begins just before `quote`, the first quote of its first key: "}, {" lies between `from`
/// and it.
inline bool is_event_start(const char* from, const char* quote) {
  constexpr std::string_view kBackwards = "{,}";
  const char* p = quote - 1;
  for (const char wanted : kBackwards) {
    while (p > from && static_cast<unsigned char>(*p) <= ' ') {
      --p;
    }
    if (p <= from || *p != wanted) {
      return false;
    }
    --p;
  }
  return true;
}

}  // namespace jissoku::timeline::importers
