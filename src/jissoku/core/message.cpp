#include "jissoku/core/message.hpp"

namespace jissoku::core {

const Value* Message::find(const std::string& name) const {
  for (const Argument& argument : args) {
    if (argument.name == name) {
      return &argument.value;
    }
  }
  return nullptr;
}

bool operator==(const Argument& left, const Argument& right) {
  return left.name == right.name && left.value == right.value;
}

bool operator==(const Message& left, const Message& right) {
  return left.id == right.id && left.args == right.args;
}

}  // namespace jissoku::core
