#include "jissoku/timeline/importers/scanner.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "jissoku/timeline/importers/byte_search.hpp"
#include "jissoku/timeline/importers/source.hpp"

namespace jissoku::timeline::importers {
namespace {

bool is_bare(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' ||
         c == '.' || c == '/' || c == '_' || c == '#';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

bool Scanner::blanks() {
  if (*p_ > ' ') {
    return true;
  }
  p_ = find_non_blank(p_, end_);
  if (p_ >= end_) {
    return fail(last_ ? Stop::end : Stop::more);
  }
  return true;
}

bool Scanner::take(char c) {
  if (*p_ != c || p_ >= end_) {
    return false;
  }
  ++p_;
  return blanks();
}

bool Scanner::expect(char c) {
  if (p_ >= end_) {
    return fail(last_ ? Stop::end : Stop::more);
  }
  if (*p_ != c) {
    return fail(Stop::bad);
  }
  ++p_;
  return true;
}

/// Whether the quote at `quote` ends its text, judged by what follows. `known` is false if that is not in the
/// window.
bool Scanner::closes(const char* quote, bool key, bool& known) {
  const char* next = find_non_blank(quote + 1, end_);
  known = next < end_ || last_;
  if (next >= end_) {
    return true;
  }
  if (key) {
    return *next == ':';
  }
  if (*next == '}' || *next == ']' || quotes_ == Quotes::plain) {
    return *next == '}' || *next == ']' || *next == ',';
  }
  if (*next != ',') {
    return false;
  }
  const char* after = find_non_blank(next + 1, end_);
  if (after >= end_) {
    known = last_;
    return true;
  }
  if (*after != '"') {
    return *after != '_' && !(*after >= 'a' && *after <= 'z');  // a word: still in the text
  }
  // A text follows: a key has its colon soon, an element of a list a comma or bracket.
  const char* closing = find_any(after + 1, end_, '"', '\n');
  if (closing >= end_) {
    known = last_;
    return true;
  }
  const char* behind = find_non_blank(closing + 1, end_);
  return *closing == '"' && (*behind == ':' || *behind == ',' || *behind == ']');
}

/// The closing quote of a text that starts at `from`, or nullptr.
const char* Scanner::close_text(const char* from, bool key, bool& escaped) {
  const char* p = from;
  for (;;) {
    p = find_quote_backslash_or_control(p, end_);
    if (p >= end_) {
      fail(last_ ? Stop::end : Stop::more);
      return nullptr;
    }
    if (*p == '\\') {
      escaped = true;
      p += quotes_ == Quotes::literal ? 1 : 2;
    } else if (*p != '"') {
      if (*p == '\n' && quotes_ == Quotes::plain) {
        fail(Stop::bad);  // more often a lost quote than a line break in a name
        return nullptr;
      }
      if (std::string_view(p, static_cast<std::size_t>(end_ - p)).starts_with(kGapMark)) {
        fail(Stop::bad);
        return nullptr;
      }
      ++repairs_[Repair::control_characters];
      ++p;
    } else {
      bool known = true;
      if (closes(p, key, known)) {
        if (known) {
          return p;
        }
        fail(Stop::more);
        return nullptr;
      }
      if (key || is_event_start(from, p)) {
        fail(Stop::bad);
        return nullptr;
      }
      ++repairs_[Repair::unescaped_quotes];
      ++p;
    }
  }
}

bool Scanner::text(Text& text) {
  const char* from = p_ + 1;
  text.escaped = false;
  const char* closing = close_text(from, false, text.escaped);
  if (closing == nullptr) {
    return false;
  }
  text.escaped = text.escaped && quotes_ != Quotes::literal;
  text.bytes = {from, static_cast<std::size_t>(closing - from)};
  p_ = closing + 1;
  return blanks();
}

bool Scanner::key(std::string_view& key, bool& done) {
  done = false;
  if (*p_ == ',') {
    ++p_;
    if (!blanks()) {
      return false;
    }
  }
  if (*p_ == '}' && p_ < end_) {
    ++p_;
    done = true;
    key = {};
    return true;  // the caller decides whether blanks must follow
  }
  if (!expect('"')) {
    return false;
  }
  const char* from = p_;
  // Keys are short and plain: the next quote is their end.
  const char* closing = from;
  while (*closing != '"' && *closing != '\\' && static_cast<unsigned char>(*closing) >= ' ') {
    ++closing;
  }
  if (closing >= end_ || closing[1] != ':') {
    bool escaped = false;
    closing = close_text(from, true, escaped);
    if (closing == nullptr) {
      return false;
    }
  }
  key = {from, static_cast<std::size_t>(closing - from)};
  p_ = closing + 1;
  return blanks() && expect(':') && blanks();
}

bool Scanner::bare(std::string_view& token) {
  const char* from = p_;
  while (is_bare(*p_)) {
    ++p_;
  }
  if (p_ >= end_ && !last_) {
    return fail(Stop::more);
  }
  if (p_ == from) {
    return fail(Stop::bad);
  }
  token = {from, static_cast<std::size_t>(p_ - from)};
  if (!is_digit(*from) && *from != '-' && token != "true" && token != "false" && token != "null") {
    ++repairs_[Repair::bare_tokens];
  } else if (*from == '-' && token.size() > 1 && !is_digit(from[1])) {
    ++repairs_[Repair::bare_tokens];
  }
  return p_ >= end_ ? true : blanks();
}

bool Scanner::skip_text() {
  ++p_;
  bool escaped = false;
  const char* closing = close_text(p_, false, escaped);
  if (closing == nullptr) {
    return false;
  }
  p_ = closing + 1;
  return true;
}

bool Scanner::skip_container() {
  int depth = 0;
  const char* p = p_;
  do {
    p = find_structural(p, end_);
    if (p >= end_) {
      return fail(last_ ? Stop::end : Stop::more);
    }
    if (*p == '"') {
      // Most texts are plain up to the next quote; the careful way is for the others.
      const char* closing = find_quote_backslash_or_control(p + 1, end_);
      const char next = closing < end_ && *closing == '"' ? closing[1] : '\0';
      if (next == ',' || next == ']' || next == '}' || next == ':') {
        p = closing + 1;
        continue;
      }
      p_ = p + 1;
      bool escaped = false;
      closing = close_text(p_, next != '\0' && *find_non_blank(closing + 1, end_) == ':', escaped);
      if (closing == nullptr) {
        return false;
      }
      p = closing + 1;
    } else {
      depth += *p == '{' || *p == '[' ? 1 : -1;
      ++p;
    }
  } while (depth > 0);
  p_ = p;
  return blanks();
}

bool Scanner::skip_value() {
  if (*p_ == '{' || *p_ == '[') {
    return skip_container();
  }
  if (*p_ == '"') {
    return skip_text() && blanks();
  }
  std::string_view token;
  return bare(token);
}

bool Scanner::number_token(std::string_view& token) {
  token = {};
  if (*p_ == '"') {
    Text quoted;
    if (!text(quoted)) {
      return false;
    }
    token = quoted.bytes;
    return true;
  }
  if (*p_ == '{' || *p_ == '[') {
    return skip_container();
  }
  return bare(token);
}

bool Scanner::integer(std::int64_t& value, bool& found) {
  std::string_view token;
  if (!number_token(token)) {
    return false;
  }
  found = parse_integer(token, value);
  return true;
}

bool Scanner::thousandths(std::int64_t& value, bool& found) {
  std::string_view token;
  if (!number_token(token)) {
    return false;
  }
  found = parse_thousandths(token, value);
  return true;
}

bool Scanner::real(double& value, bool& found) {
  std::string_view token;
  if (!number_token(token)) {
    return false;
  }
  const auto [end, failure] = std::from_chars(token.data(), token.data() + token.size(), value);
  found = failure == std::errc() && end == token.data() + token.size() && std::isfinite(value);
  return true;
}

}  // namespace jissoku::timeline::importers
