// Checks a JSON value against the part of JSON Schema 2020-12 that schema/run.schema.json uses. Stricter in
// one point: a key that the schema does not describe is a fault.
#pragma once

#include <regex>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace jissoku::tests {

class JsonSchema {
 public:
  using Json = nlohmann::ordered_json;

  explicit JsonSchema(Json root) : root_(std::move(root)) {}

  /// One line per fault, "rows[0].id: what"; empty for a valid value.
  std::vector<std::string> faults(const Json& value) const {
    std::vector<std::string> found;
    check(root_, value, "", found);
    return found;
  }

  const Json& root() const { return root_; }

  /// The schema that a "$ref" leads to, or the schema itself.
  const Json& resolve(const Json& schema) const {
    if (!schema.contains("$ref")) {
      return schema;
    }
    return root_.at(Json::json_pointer(schema.at("$ref").get<std::string>().substr(1)));
  }

 private:
  using Faults = std::vector<std::string>;

  static bool is(const Json& value, const std::string& type) {
    return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
           (type == "string" && value.is_string()) || (type == "boolean" && value.is_boolean()) ||
           (type == "integer" && value.is_number_integer()) || (type == "number" && value.is_number()) ||
           (type == "null" && value.is_null());
  }

  static bool is_one_of(const Json& value, const Json& types) {
    if (types.is_string()) {
      return is(value, types.get<std::string>());
    }
    bool found = false;
    for (const Json& type : types) {
      found = found || is(value, type.get<std::string>());
    }
    return found;
  }

  void check(const Json& unresolved, const Json& value, const std::string& path, Faults& found) const {
    const Json& schema = resolve(unresolved);
    for (const auto& [keyword, operand] : schema.items()) {
      if (keyword == "type") {
        if (!is_one_of(value, operand)) {
          found.push_back(path + ": is not " + operand.dump());
        }
      } else if (keyword == "enum") {
        if (std::find(operand.begin(), operand.end(), value) == operand.end()) {
          found.push_back(path + ": is none of " + operand.dump());
        }
      } else if (keyword == "pattern") {
        if (value.is_string() &&
            !std::regex_search(value.get<std::string>(), std::regex(operand.get<std::string>()))) {
          found.push_back(path + ": does not match " + operand.dump());
        }
      } else if (keyword == "required") {
        check_required(operand, value, path, found);
      } else if (keyword == "items") {
        for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
          check(operand, value[i], path + "[" + std::to_string(i) + "]", found);
        }
      } else if (!is_known(keyword)) {
        found.push_back(path + ": this checker does not know the keyword " + keyword);
      }
    }
    check_members(schema, value, path, found);
  }

  static bool is_known(const std::string& keyword) {
    return keyword == "properties" || keyword == "additionalProperties" || keyword == "$schema" ||
           keyword == "$defs" || keyword == "title" || keyword == "description";
  }

  static void check_required(const Json& keys, const Json& value, const std::string& path, Faults& found) {
    for (const Json& key : keys) {
      if (value.is_object() && !value.contains(key.get<std::string>())) {
        found.push_back(path + ": lacks " + key.get<std::string>());
      }
    }
  }

  void check_members(const Json& schema, const Json& value, const std::string& path, Faults& found) const {
    if (!value.is_object()) {
      return;
    }
    const Json none = Json::object();
    const Json& properties = schema.contains("properties") ? schema.at("properties") : none;
    for (const auto& [key, member] : value.items()) {
      const std::string below = path.empty() ? key : path + "." + key;
      if (properties.contains(key)) {
        check(properties.at(key), member, below, found);
      } else if (schema.contains("additionalProperties")) {
        check(schema.at("additionalProperties"), member, below, found);
      } else {
        found.push_back(below + ": is not in the schema");
      }
    }
  }

  Json root_;
};

}  // namespace jissoku::tests
