// Reads JSON out of a window, forgiving what exporters do wrong. It validates no more than it needs to
// know where values end: traces are hundreds of megabytes, of which an analysis wants a tenth.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "jissoku/timeline/model.hpp"

namespace jissoku::timeline::importers {

/// How texts are closed when quotes in them may not be escaped.
enum class Quotes {
  plain,    ///< a quote closes if something that can follow a text follows
  careful,  ///< ... and, after a comma, another key
  literal,  ///< as careful, and a backslash does not escape
};

struct Text {
  std::string_view bytes;  ///< between the quotes, escapes as they are in the file
  bool escaped = false;    ///< has a backslash
};

class Scanner {
 public:
  enum class Stop { none, more, end, bad };

  /// `last`: nothing follows `end`. 64 zeros do.
  Scanner(const char* begin, const char* end, bool last, Repairs& repairs, Quotes quotes = Quotes::plain)
      : p_(begin), end_(end), last_(last), quotes_(quotes), repairs_(repairs) {}

  const char* position() const { return p_; }
  void move_to(const char* position) { p_ = position; }
  Stop stop() const { return stop_; }

  /// All return false where they cannot go on; stop() says why: the value is not all in the window (`more`),
  /// ends with the data (`end`), or is not JSON (`bad`). After a value they stand at the next character that
  /// is no blank.
  bool blanks();
  char peek() const { return *p_; }
  /// Takes `c` and the blanks behind it if it is next.
  bool take(char c);
  /// As take, and it is `bad` if it is not next.
  bool expect(char c);
  /// In an object: the next key and its colon. At the closing brace it takes it and gives an empty key with
  /// `done`.
  bool key(std::string_view& key, bool& done);
  bool text(Text& text);
  bool skip_value();
  /// A number, or a text that is one; anything else is skipped and leaves `found` false. Fractions are cut.
  /// Beyond int64 it wraps, so that different ids stay different.
  bool integer(std::int64_t& value, bool& found);
  /// The same for decimal text times 1000, rounded: microseconds to ns without floating point. Saturates at
  /// kMostNs.
  bool thousandths(std::int64_t& value, bool& found);
  bool real(double& value, bool& found);

  bool fail(Stop stop) {
    stop_ = stop;
    return false;
  }

 private:
  const char* close_text(const char* from, bool key, bool& escaped);
  bool closes(const char* quote, bool key, bool& known);
  bool skip_container();
  bool skip_text();
  bool bare(std::string_view& token);
  /// The token of a number in a text or bare; empty if there is none.
  bool number_token(std::string_view& token);

  const char* p_;
  const char* end_;
  bool last_;
  Quotes quotes_;
  Stop stop_ = Stop::none;
  Repairs& repairs_;
};

/// Absurd, and still far from overflow when two are added.
inline constexpr std::int64_t kMostNs = std::int64_t{1} << 61;

/// "12.5" times 1000 as 12500; forms as in JSON, an exponent too. False if it is no number.
bool parse_thousandths(std::string_view text, std::int64_t& value);
/// A decimal integer, wrapped into int64; a fraction is cut. False if it is no number.
bool parse_integer(std::string_view text, std::int64_t& value);
/// The text that JSON escapes stand for; what is no valid escape stays as it is.
std::string unescape(std::string_view bytes);

}  // namespace jissoku::timeline::importers
