// The document around the events: finding them, and going on after damage.
#include <algorithm>
#include <array>
#include <string>

#include "jissoku/timeline/importers/chrome.hpp"
#include "jissoku/timeline/importers/chrome_events.hpp"
#include "jissoku/timeline/importers/chrome_metadata.hpp"
#include "jissoku/timeline/importers/walker.hpp"

namespace jissoku::timeline::importers {
namespace {

/// How far into a document without a beginning an event is looked for.
constexpr std::size_t kMostHeadBytes = std::size_t{4} << 20;

/// Whether `at`, a '{', begins an event.
bool begins_event(const char* begin, const char* at, const char* end) {
  const char* before = at;
  while (before > begin && static_cast<unsigned char>(before[-1]) <= ' ') {
    --before;
  }
  if (before > begin && before[-1] == ':') {
    return false;  // the value of a key: the arguments of an event
  }
  const char* quote = find_non_blank(at + 1, end);
  const std::string_view rest(quote, static_cast<std::size_t>(end - quote));
  constexpr std::array<std::string_view, 8> kKeys = {
      "\"ph\"", "\"name\"", "\"cat\"", "\"pid\"", "\"tid\"", "\"ts\"", "\"args\"", "\"dur\""};
  return std::any_of(
      kKeys.begin(), kKeys.end(), [rest](std::string_view key) { return rest.starts_with(key); });
}

class Document : private Walker {
 public:
  Document(Window& window, Timeline& timeline)
      : Walker(window, timeline.repairs), timeline_(timeline), events_(timeline) {}

  bool read() {
    const char first = next_character();
    bool found = false;
    if (first == '[') {
      ++position_;
      bare_list_ = true;
      found = read_list();
    } else if (first == '{') {
      ++position_;
      found = read_members();
    } else {
      found = seek_event(kMostHeadBytes) && read_list();
      timeline_.repairs[Repair::lost_events] += found ? 1 : 0;
    }
    events_.finish();
    return found;
  }

 private:
  /// The members of the outermost object.
  bool read_members() {
    bool found = false;
    for (;;) {
      const char next = next_character();
      if (next == '}') {
        return found;
      }
      std::string name;
      const auto stop = attempt(Quotes::plain, [&name](Scanner& scanner) {
        std::string_view key;
        bool done = false;
        const bool good = scanner.key(key, done) && !done;
        name = key;
        return good;
      });
      bool good = stop == Scanner::Stop::none;
      if (good && name == "traceEvents" && next_character() == '[') {
        ++position_;
        read_list();
        found = true;
        continue;
      }
      good = good && read_metadata(name);
      if (!good && (found || !seek_list())) {
        // A list that ended early has said so.
        timeline_.repairs[Repair::truncated] += timeline_.repairs[Repair::truncated] == 0 ? 1 : 0;
        return found;
      }
    }
  }

  bool read_metadata(const std::string& name) {
    std::string value;
    const bool wanted = is_wanted_metadata(name);
    const auto stop = attempt(Quotes::plain, [&](Scanner& scanner) {
      const char* from = scanner.position();
      // The blanks behind the last value may be the end of the data.
      const bool good =
          scanner.skip_value() || (scanner.stop() == Scanner::Stop::end && scanner.position() > from);
      if (good && wanted) {
        value.assign(from, scanner.position());
      }
      return good;
    });
    if (stop != Scanner::Stop::none) {
      return false;
    }
    if (wanted) {
      take_metadata(name, value, timeline_);
    }
    return true;
  }

  /// After damaged metadata: to the key of the events, which reading goes on with.
  bool seek_list() {
    constexpr std::string_view kKey = "\"traceEvents\"";
    timeline_.repairs[Repair::lost_events] += 1;
    position_ += sought_ && position_ < window_.end() ? 1 : 0;  // what was found before led nowhere
    sought_ = true;
    for (;;) {
      const std::string_view rest(position_, static_cast<std::size_t>(window_.end() - position_));
      const std::size_t at = rest.find(kKey);
      if (at != std::string_view::npos) {
        position_ += at;
        return true;
      }
      position_ += rest.size() - std::min(rest.size(), kKey.size());
      if (!refill()) {
        return false;
      }
    }
  }

  /// To the next place where an event begins; false at the end, or after `most` bytes without one.
  bool seek_event(std::size_t most) {
    constexpr std::size_t kLookAhead = 256;  // blanks and a key behind the brace
    std::size_t seen = 0;
    for (;;) {
      const char* at = std::find(position_, window_.end(), '{');
      seen += static_cast<std::size_t>(at - position_);
      if (seen > most) {
        return false;
      }
      if (at + kLookAhead >= window_.end() && !window_.at_end()) {
        // Some bytes before it stay, to see what comes before the brace.
        position_ = std::max(position_, at - std::min<std::ptrdiff_t>(kLookAhead, at - position_));
        refill();
        const char* again = std::find(position_, window_.end(), '{');
        if (again == window_.end() && window_.at_end()) {
          return false;
        }
        if (again + kLookAhead >= window_.end() && !window_.at_end()) {
          continue;
        }
        at = again;
      }
      if (at >= window_.end()) {
        return false;
      }
      if (begins_event(window_.begin(), at, window_.end())) {
        position_ = at;
        return true;
      }
      position_ = at + 1;
    }
  }

  Scanner::Stop read_one(Quotes quotes) {
    return attempt(quotes, [this](Scanner& scanner) { return read_event(scanner, events_, event_); });
  }

  /// Events up to the closing bracket. True if there was one event or an empty list.
  bool read_list() {
    std::int64_t count = 0;
    for (;;) {
      const char next = next_character();
      if (next == ',') {
        ++position_;
        continue;
      }
      if (next == ']') {
        ++position_;
        return true;
      }
      if (next == '\0' && position_ >= window_.end()) {
        // Chrome allows a bare list to stay open.
        timeline_.repairs[Repair::truncated] += bare_list_ && count > 0 ? 0 : 1;
        return count > 0;
      }
      if (next == '{' && read_event_somehow()) {
        events_.add(event_);
        ++count;
        continue;
      }
      if (!skip_damage(next == '{')) {
        return count > 0;
      }
    }
  }

  bool read_event_somehow() {
    for (const Quotes quotes : {Quotes::plain, Quotes::careful, Quotes::literal}) {
      if (read_one(quotes) == Scanner::Stop::none) {
        timeline_.repairs[Repair::unescaped_quotes] += quotes == Quotes::literal ? 1 : 0;
        return true;
      }
    }
    return false;
  }

  /// False at the end of the data.
  bool skip_damage(bool in_event) {
    position_ += position_ < window_.end() && in_event ? 1 : 0;
    const bool found = seek_event(std::string_view::npos);
    timeline_.repairs[found ? Repair::lost_events : Repair::truncated] += 1;
    return found;
  }

  Timeline& timeline_;
  ChromeEvents events_;
  RawEvent event_;
  bool bare_list_ = false;
  bool sought_ = false;  ///< the list of events, after damaged metadata
};

}  // namespace

bool read_chrome(Window& window, Timeline& timeline) {
  return Document(window, timeline).read();
}

}  // namespace jissoku::timeline::importers
