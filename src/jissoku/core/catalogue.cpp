#include "jissoku/core/catalogue.hpp"

#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "jissoku/core/placeholder.hpp"
#include "jissoku/core/units.hpp"

namespace jissoku::core {
namespace {

using Json = nlohmann::json;
using Texts = std::map<std::string, std::string, std::less<>>;

/// Messages quote messages; a document that nests them without end must not end the program.
constexpr int kDeepest = 8;

std::string render_message(const Texts& texts, const Message& message, int depth);

std::string four_digits(double value) {
  const std::string text = std::isfinite(value) ? fmt::format("{:.4g}", value) : "?";
  return text == "-0" ? "0" : text;
}

std::string render_list(const Texts& texts, const std::vector<Message>& messages, int depth) {
  if (depth >= kDeepest) {
    return "...";
  }
  std::string out;
  for (const Message& message : messages) {
    out += (out.empty() ? "" : "; ") + render_message(texts, message, depth + 1);
  }
  return out;
}

std::string render_number(double value, Unit unit) {
  switch (unit) {
    case Unit::time:
      return format_time_ns(value);
    case Unit::rate:
      return format_rate_flops(value, 3);
    case Unit::bytes:
      return format_bytes(value);
    case Unit::gbps:
      return format_bandwidth(value);
    case Unit::percent:
      return format_percent(value);
    case Unit::ratio:
      return format_ratio(value);
    case Unit::none:
    case Unit::plain:
    case Unit::plural:
      break;
  }
  return four_digits(value);
}

/// A unit says how a number looks; it changes nothing about other values.
std::string render_value(const Texts& texts, const Value& value, const Piece& piece, int depth) {
  if (const auto* flag = std::get_if<bool>(&value)) {
    return *flag ? "true" : "false";
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    return *text;
  }
  if (const auto* messages = std::get_if<std::vector<Message>>(&value)) {
    return render_list(texts, *messages, depth);
  }
  const auto* integer = std::get_if<std::int64_t>(&value);
  const double number = integer != nullptr ? static_cast<double>(*integer) : *std::get_if<double>(&value);
  if (piece.unit == Unit::plural) {
    return number == 1 ? piece.one : piece.many;
  }
  if (integer != nullptr && piece.unit == Unit::none) {
    return format_integer(*integer);
  }
  if (piece.unit == Unit::plain) {
    return integer != nullptr ? fmt::format("{}", *integer) : four_digits(number);
  }
  return render_number(number, piece.unit);
}

std::string render_unknown(const Texts& texts, const Message& message, int depth) {
  std::string arguments;
  for (const Argument& argument : message.args) {
    arguments += (arguments.empty() ? "" : ", ") + argument.name + "=" +
                 render_value(texts, argument.value, Piece{}, depth);
  }
  return arguments.empty() ? message.id : message.id + " (" + arguments + ")";
}

std::string render_message(const Texts& texts, const Message& message, int depth) {
  const auto found = texts.find(message.id);
  if (found == texts.end()) {
    return render_unknown(texts, message, depth);
  }
  std::string out;
  for (const Piece& piece : parse_text(found->second).pieces) {
    if (piece.name.empty()) {
      out += piece.literal;
      continue;
    }
    const Value* value = message.find(piece.name);
    out += value != nullptr ? render_value(texts, *value, piece, depth) : "{" + piece.name + "}?";
  }
  return out;
}

Error unreadable(std::string id, std::vector<Argument> args = {}) {
  return make_error(ExitCode::unreadable, std::move(id), std::move(args));
}

/// Adds one object's texts.
Status add_texts(const Json& object, Texts& texts) {
  if (!object.is_object()) {
    return unreadable("core.catalogue_not_object");
  }
  for (const auto& [id, value] : object.items()) {
    const auto* text = value.get_ptr<const std::string*>();
    if (text == nullptr) {
      return unreadable("core.catalogue_not_text", {{"id", id}});
    }
    const ParsedText parsed = parse_text(*text);
    if (!parsed.fault.empty()) {
      return unreadable("core.catalogue_placeholder", {{"id", id}, {"placeholder", parsed.fault}});
    }
    texts.emplace(id, *text);
  }
  return {};
}

}  // namespace

Result<Catalogue> Catalogue::parse(std::string_view text) {
  // The parser keeps the last of two equal keys and says nothing, so they are counted as they come.
  std::set<std::string> seen;
  std::string duplicate;
  const auto on_event = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::key && !seen.insert(value.get<std::string>()).second) {
      duplicate = value.get<std::string>();
    }
    return true;
  };
  const Json json = Json::parse(text, on_event, false);
  if (json.is_discarded()) {
    return unreadable("core.catalogue_not_json");
  }
  Catalogue catalogue;
  for (const Json& object : json.is_array() ? json : Json::array({json})) {
    if (const Status added = add_texts(object, catalogue.texts_); !added) {
      return added.error();
    }
  }
  if (!duplicate.empty()) {
    return unreadable("core.catalogue_duplicate", {{"id", duplicate}});
  }
  return catalogue;
}

std::string Catalogue::render(const Message& message) const {
  return render_message(texts_, message, 0);
}

bool Catalogue::contains(std::string_view id) const {
  return texts_.find(id) != texts_.end();
}

std::vector<std::string> Catalogue::ids() const {
  std::vector<std::string> out;
  for (const auto& [id, text] : texts_) {
    out.push_back(id);
  }
  return out;
}

std::vector<std::string> Catalogue::placeholders(std::string_view id) const {
  const auto found = texts_.find(id);
  std::set<std::string> names;
  if (found != texts_.end()) {
    for (const Piece& piece : parse_text(found->second).pieces) {
      names.insert(piece.name);
    }
    names.erase("");
  }
  return {names.begin(), names.end()};
}

}  // namespace jissoku::core
