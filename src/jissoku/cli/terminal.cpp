#include "jissoku/cli/terminal.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace jissoku::cli {
namespace {

constexpr int kDefaultWidth = 100;
constexpr int kLeastWidth = 20;
constexpr int kGreatestWidth = 400;

bool is_set(const Environment& environment, std::string_view name) {
  const auto value = environment(name);
  return value && !value->empty();
}

int window_width(const StreamFacts& facts, const Environment& environment) {
  const std::string text = environment("COLUMNS").value_or("");
  int columns = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), columns);
  if (failure != std::errc() || end != text.data() + text.size() || columns <= 0) {
    columns = facts.columns > 0 ? facts.columns : kDefaultWidth;
  }
  return std::clamp(columns, kLeastWidth, kGreatestWidth);
}

bool names_utf8(std::string locale) {
  std::transform(locale.begin(), locale.end(), locale.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

bool speaks_utf8(const StreamFacts& facts, const Environment& environment) {
  for (const std::string_view name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (is_set(environment, name)) {
      return names_utf8(*environment(name));
    }
  }
  return facts.is_terminal && facts.utf8_input;
}

bool wants_color(const StreamFacts& facts, const Environment& environment, ColorMode mode) {
  if (mode != ColorMode::automatic) {
    return mode == ColorMode::always;
  }
  if (is_set(environment, "NO_COLOR")) {
    return false;
  }
  if (is_set(environment, "CLICOLOR_FORCE") && environment("CLICOLOR_FORCE") != "0") {
    return true;
  }
  return facts.is_terminal && is_set(environment, "TERM") && environment("TERM") != "dumb";
}

}  // namespace

Environment process_environment() {
  return [](std::string_view name) -> std::optional<std::string> {
    const char* value = std::getenv(std::string(name).c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

StreamFacts probe_stream(int descriptor) {
  StreamFacts facts;
  facts.is_terminal = isatty(descriptor) == 1;
  if (!facts.is_terminal) {
    return facts;
  }
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0) {
    facts.columns = size.ws_col;
  }
  termios settings{};
  facts.utf8_input = tcgetattr(descriptor, &settings) == 0 && (settings.c_iflag & IUTF8) != 0;
  return facts;
}

Terminal decide_terminal(const StreamFacts& facts, const Environment& environment, ColorMode mode) {
  Terminal terminal;
  terminal.is_terminal = facts.is_terminal;
  terminal.can_overwrite = facts.is_terminal && is_set(environment, "TERM") && environment("TERM") != "dumb";
  terminal.color = wants_color(facts, environment, mode);
  terminal.utf8 = speaks_utf8(facts, environment);
  terminal.width = window_width(facts, environment);
  return terminal;
}

}  // namespace jissoku::cli
