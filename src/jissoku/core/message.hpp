// Messages: everything the product says to a person is an id with named arguments, never prose.
// The text for an id lives in a catalogue (see catalogue.hpp), so that a document written by an
// English run renders in another language. Build one with `message("id", {{"name", value}})`.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace jissoku::core {

struct Message;

/// What a message argument or a row parameter can hold. A list of messages renders joined, so a
/// sentence can quote the reasons of another layer. Numbers stay numbers: the catalogue's text
/// chooses the unit ("{time:ns}").
using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<Message>>;

struct Argument {
  std::string name;
  Value value;
};

struct Message {
  std::string id;  ///< empty means "nothing to say"
  std::vector<Argument> args;

  bool empty() const { return id.empty(); }
  /// The argument of that name, or nullptr.
  const Value* find(const std::string& name) const;
};

bool operator==(const Argument& left, const Argument& right);
bool operator==(const Message& left, const Message& right);

inline Message message(std::string id, std::vector<Argument> args = {}) {
  return Message{std::move(id), std::move(args)};
}

}  // namespace jissoku::core
