// schema/run.schema.json says what the program writes: the same keys, of the same types, in the same order.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "jissoku/document/fields.hpp"
#include "jissoku/document/serialise.hpp"
#include "support/documents.hpp"
#include "support/json_schema.hpp"

namespace jissoku::document {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using tests::JsonSchema;
using Json = JsonSchema::Json;

const JsonSchema& schema() {
  static const JsonSchema kLoaded(
      Json::parse(std::ifstream(std::string(JISSOKU_SOURCE_DIR) + "/schema/run.schema.json")));
  return kLoaded;
}

Json status_names() {
  Json names = Json::array();
  for (int i = 0; i < 8; ++i) {
    names.push_back(std::string(to_string(static_cast<RowStatus>(i))));
  }
  return names;
}

/// The "type" of a schema for a C++ type that is no struct, list or message.
template <typename T>
Json type_name() {
  if constexpr (std::is_same_v<T, bool>) {
    return "boolean";
  } else if constexpr (std::is_integral_v<T>) {
    return "integer";
  } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>>) {
    return Json::array({"number", "null"});
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "string";
  } else {
    static_assert(std::is_same_v<T, std::optional<bool>>);
    return Json::array({"boolean", "null"});
  }
}

template <typename T>
void expect_describes(const Json& unresolved, const T& value, const std::string& path);

template <typename T>
void expect_list(const Json& node, const std::vector<T>&, const std::string& path) {
  EXPECT_EQ(node.value("type", ""), "array") << path;
  ASSERT_TRUE(node.contains("items")) << path;
  expect_describes(node.at("items"), T{}, path + "[]");
}

void expect_list(const Json& node, const std::vector<core::Argument>&, const std::string& path) {
  EXPECT_EQ(node, schema().root().at("$defs").at("Arguments")) << path;
}

template <typename T>
constexpr bool kIsList = false;
template <typename T>
constexpr bool kIsList<std::vector<T>> = true;

/// A struct's keys, and what is written beside them, are those of the schema; all are required.
template <typename T>
void expect_describes_struct(const Json& node, const T& value, const std::string& path) {
  std::vector<std::string> keys;
  visit_fields(value, [&](std::string_view key_view, const auto& member) {
    const std::string key(key_view);
    if (key == "schema_major" || key == "schema_minor") {
      return true;  // written as "schema"
    }
    keys.push_back(key);
    EXPECT_TRUE(node.at("properties").contains(key)) << path << "." << key;
    if (node.at("properties").contains(key)) {
      expect_describes(node.at("properties").at(key), member, path + "." + key);
    }
    return true;
  });
  if constexpr (std::is_same_v<T, Row>) {
    keys.push_back("derived");
  }
  if constexpr (std::is_same_v<T, Document>) {
    keys.insert(keys.begin(), "schema");
  }
  std::vector<std::string> described;
  for (const auto& [key, property] : node.at("properties").items()) {
    described.push_back(key);
  }
  EXPECT_EQ(described, keys) << path;
  EXPECT_EQ(node.at("required").get<std::vector<std::string>>(), keys) << path;
  EXPECT_EQ(node.at("type"), "object") << path;
}

template <typename T>
void expect_describes(const Json& unresolved, const T& value, const std::string& path) {
  const Json& node = schema().resolve(unresolved);
  if constexpr (HasFields<T>) {
    expect_describes_struct(node, value, path);
  } else if constexpr (kIsList<T>) {
    expect_list(node, value, path);
  } else if constexpr (std::is_same_v<T, core::Message>) {
    EXPECT_EQ(node, schema().root().at("$defs").at("Message")) << path;
  } else if constexpr (std::is_same_v<T, RowStatus>) {
    EXPECT_EQ(node.at("enum"), status_names()) << path;
  } else {
    const bool named = std::is_same_v<T, std::string> && node.contains("enum");
    EXPECT_TRUE(named || node.value("type", Json()) == type_name<T>()) << path << ": " << node;
  }
}

TEST(Schema, HasTheFieldsOfTheModel) {
  expect_describes(schema().root(), Document(), "document");
}

TEST(Schema, AcceptsWhatIsWritten) {
  EXPECT_THAT(schema().faults(Json::parse(to_json(Document()))), IsEmpty());
  Document document;
  document.rows = {tests::measured_row("cpu", std::vector<double>(6, 1000.0)), Row()};
  document.rows[0].ceilings = {{"datasheet", 1e13, "", "datasheet"}, {"measured_memory", 0, "", "measured"}};
  document.rows[1].baseline = document.rows[0].id;
  EXPECT_THAT(schema().faults(Json::parse(to_json(document))), IsEmpty());
}

TEST(Schema, AcceptsRandomDocuments) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const auto document = tests::RandomDocuments(seed).make<Document>();
    EXPECT_THAT(schema().faults(Json::parse(to_json(document))), IsEmpty()) << seed;
  }
}

TEST(Schema, RefusesWhatIsNotWritten) {
  Document document;
  document.rows.resize(1);
  document.rows[0].reason = core::message("a", {{"b", 1.0}});
  const Json good = Json::parse(to_json(document));
  ASSERT_THAT(schema().faults(good), IsEmpty());
  const auto faults_with = [&](const std::string& pointer, const Json& value) {
    Json changed = good;
    changed[Json::json_pointer(pointer)] = value;
    return schema().faults(changed);
  };
  EXPECT_THAT(faults_with("/schema", "2.0"), ElementsAre("schema: does not match \"^1\\\\.[0-9]+$\""));
  EXPECT_THAT(faults_with("/complete", "yes"), ElementsAre("complete: is not \"boolean\""));
  EXPECT_THAT(faults_with("/rows/0/status", "fine").size(), 1U);
  EXPECT_THAT(faults_with("/rows/0/flops", "1"), ElementsAre("rows[0].flops: is not [\"number\",\"null\"]"));
  EXPECT_THAT(faults_with("/rows/0/colour", 1), ElementsAre("rows[0].colour: is not in the schema"));
  EXPECT_THAT(faults_with("/rows/0/reason/args/b", Json::object()).size(), 1U);
  EXPECT_THAT(faults_with("/header/arguments", {1}), ElementsAre("header.arguments[0]: is not \"string\""));
  Json lacking = good;
  lacking.at("rows").at(0).erase("id");
  EXPECT_THAT(schema().faults(lacking), ElementsAre("rows[0]: lacks id"));
}

}  // namespace
}  // namespace jissoku::document
