#include "jissoku/document/serialise.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/documents.hpp"
#include "support/temporary_folder.hpp"

namespace jissoku::document {
namespace {

using Json = nlohmann::ordered_json;
using core::Error;
using core::ExitCode;
using core::Value;
using tests::measured_row;
using tests::TemporaryFolder;

Document sample() {
  Document document;
  document.header.seed = 42;
  document.header.arguments = {"matmul", "--n", "64"};
  document.rows = {measured_row("cpu", std::vector<double>(6, 4000.0)),
                   measured_row("opencl:0", std::vector<double>(6, 2000.0))};
  document.rows[1].baseline = document.rows[0].id;
  return document;
}

Json tree(const Document& document) {
  return Json::parse(to_json(document));
}

template <typename T>
Error error_of(const core::Result<T>& result) {
  EXPECT_FALSE(result.ok());
  return result.ok() ? Error{} : result.error();
}

std::string text(const Error& error, const std::string& argument) {
  const Value* value = error.message.find(argument);
  return value != nullptr && std::holds_alternative<std::string>(*value) ? std::get<std::string>(*value) : "";
}

std::int64_t integer(const Error& error, const std::string& argument) {
  const Value* value = error.message.find(argument);
  return value != nullptr && std::holds_alternative<std::int64_t>(*value) ? std::get<std::int64_t>(*value)
                                                                          : -1;
}

/// parse_document on the sample with one value changed.
Error error_with(const std::string& pointer, const Json& value) {
  Json changed = tree(sample());
  changed[Json::json_pointer(pointer)] = value;
  return error_of(parse_document(changed.dump(), "a.json"));
}

Value round_trip(const Value& value) {
  Row row;
  row.parameters = {{"x", value}};
  Document document;
  document.rows = {row};
  return *parameter(parse_document(to_json(document), "a.json")->rows.at(0), "x");
}

TEST(ToJson, IsReadableAndOrdered) {
  const std::string json = to_json(sample());
  EXPECT_EQ(
      json.rfind("{\n \"schema\": \"1.0\",\n \"complete\": false,\n \"finished_at\": \"\",\n \"header\": {\n",
                 0),
      0U);
  EXPECT_EQ(json.substr(json.size() - 3), "\n}\n");
  EXPECT_LT(json.find("\"m\": 100"), json.find("\"n\": 200")) << "parameters keep their order";
}

TEST(ToJson, LineHasNoBreakAndNoDerivedFigures) {
  Row row = measured_row("cpu", {1, 2});
  row.again = "line\nbreak";
  const std::string line = to_json_line(row);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(Json::parse(line).at("again"), "line\nbreak");
  EXPECT_FALSE(Json::parse(line).contains("derived"));
}

TEST(ToJson, CarriesDerivedFiguresForScripts) {
  Document document = sample();
  document.rows[0].ceilings = {{"datasheet", 6e12, "", "datasheet"}, {"measured_memory", 0, "", "measured"}};
  const Json base = tree(document).at("rows").at(0).at("derived");
  EXPECT_EQ(base.at("time_ns").at("value"), 4000.0);
  EXPECT_EQ(base.at("time_ns").at("rounds"), 6);
  EXPECT_EQ(base.at("flops_per_second").at("value"), 3e12);
  EXPECT_EQ(base.at("share_of").at("datasheet").at("value"), 0.5);
  EXPECT_TRUE(base.at("share_of").at("measured_memory").is_null()) << "no figure is null, not 0";
  EXPECT_TRUE(base.at("speed_up").is_null());
  EXPECT_EQ(base.at("threads_at_work"), 2.0);
  EXPECT_NEAR(
      tree(document).at("rows").at(1).at("derived").at("speed_up").at("value").get<double>(), 2, 1e-12);
}

TEST(ToJson, HasNoFiguresForAFailedRow) {
  Document document;
  document.rows.resize(1);
  const Json derived = tree(document).at("rows").at(0).at("derived");
  for (const char* key : {"time_ns",
                          "flops_per_second",
                          "bytes_per_second",
                          "speed_up",
                          "threads_at_work",
                          "foreign_cpu_share"}) {
    EXPECT_TRUE(derived.at(key).is_null()) << key;
  }
}

TEST(Values, KeepTheirTypes) {
  for (const Value& value : {Value(true),
                             Value(std::int64_t{2}),
                             Value(2.0),
                             Value(-0.0),
                             Value(1e22),
                             Value(0.1),
                             Value(std::numeric_limits<std::int64_t>::max()),
                             Value(std::numeric_limits<std::int64_t>::min()),
                             Value(std::int64_t{9007199254740993}),
                             Value(std::string("2")),
                             Value(std::vector<core::Message>{core::message("a.b", {{"c", 1.0}})}),
                             Value(std::vector<core::Message>{})}) {
    EXPECT_EQ(round_trip(value), value);
  }
}

TEST(Values, ThatAreNotFiniteComeBackAsNan) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double value : {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(std::get<double>(round_trip(value))));
  }
}

TEST(Values, AnOptionalOneIsNullOrAbsent) {
  Document document;
  document.rows = {measured_row("cpu", {1})};
  EXPECT_TRUE(tree(document).at("rows").at(0).at("samples").at(0).at("device_ns").is_null());
  document.rows[0].samples[0].device_ns = 3;
  document.header.machine.turbo = false;
  const auto read = parse_document(to_json(document), "a.json");
  EXPECT_EQ(read->rows[0].samples[0].device_ns, 3.0);
  EXPECT_EQ(read->header.machine.turbo, false);
}

TEST(Text, IsUtf8AsItIs) {
  const std::string words = "\xe5\xae\x9f\xe6\xb8\xac \xf0\x9f\xa7\xae \"\\\t\x01";
  Document document;
  document.header.command = words;
  const std::string json = to_json(document);
  EXPECT_NE(json.find("\xe5\xae\x9f\xe6\xb8\xac \xf0\x9f\xa7\xae \\\"\\\\\\t\\u0001"), std::string::npos);
  EXPECT_EQ(parse_document(json, "a.json")->header.command, words);
}

TEST(Text, ThatIsNotUtf8IsReplaced) {
  Document document;
  document.header.command = "caf\xe9";
  EXPECT_EQ(parse_document(to_json(document), "a.json")->header.command, "caf\xef\xbf\xbd");
}

TEST(Messages, KeepTheOrderOfTheirArguments) {
  const core::Message reason = core::message(
      "x.y", {{"z", std::int64_t{1}}, {"a", 2.0}, {"m", std::vector<core::Message>{core::message("n.o")}}});
  Document document;
  document.rows.resize(2);
  document.rows[0].reason = reason;
  const Json json = tree(document);
  EXPECT_EQ(json.at("rows").at(0).at("reason").dump(),
            R"({"id":"x.y","args":{"z":1,"a":2.0,"m":[{"id":"n.o","args":{}}]}})");
  EXPECT_TRUE(json.at("rows").at(1).at("reason").is_null()) << "nothing to say";
  const auto read = parse_document(json.dump(), "a.json");
  EXPECT_EQ(read->rows[0].reason, reason);
  EXPECT_TRUE(read->rows[1].reason.empty());
}

TEST(Parse, IgnoresUnknownAndDefaultsAbsentKeys) {
  const auto read = parse_document(
      R"({"future": [1, {"x": null}], "rows": [{"id": "a", "colour": "red"}], "schema": "1.0"})", "a.json");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->rows.at(0).id, "a");
  EXPECT_EQ(read->rows.at(0).timing, "host");
  EXPECT_EQ(read->header.machine.usable_threads, 1);
}

TEST(Parse, TakesWholeNumbersForDoubles) {
  EXPECT_EQ(parse_document(R"({"schema": "1.0", "rows": [{"flops": 12}]})", "a")->rows.at(0).flops, 12.0);
}

TEST(Parse, TakesANewerMinorVersion) {
  const auto read = parse_document(R"({"schema": "1.7", "rows": []})", "a.json");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->schema_minor, 7);
  EXPECT_EQ(tree(*read).at("schema"), "1.0") << "what it did not know is gone";
}

TEST(Parse, RefusesANewerMajorVersionAndNamesBoth) {
  const Error error = error_of(parse_document(R"({"schema": "2.1", "rows": 7})", "a.json"));
  EXPECT_EQ(error.exit_code, ExitCode::unreadable);
  EXPECT_EQ(error.message.id, "document.newer");
  EXPECT_EQ(text(error, "theirs"), "2.1");
  EXPECT_EQ(text(error, "ours"), "1.0");
  EXPECT_EQ(text(error, "path"), "a.json");
}

TEST(Parse, RefusesWhatIsNoRunDocument) {
  for (const char* foreign : {"{}",
                              "[]",
                              "null",
                              "3",
                              "\"schema\"",
                              R"({"traceEvents": []})",
                              R"({"schema": 1})",
                              R"({"schema": "one"})",
                              R"({"schema": ""})",
                              R"({"schema": "1"})",
                              R"({"schema": "1."})",
                              R"({"schema": "1.0x"})",
                              R"({"schema": "0.9"})",
                              R"({"schema": "-1.0"})",
                              R"({"schema": "99999999999.0"})"}) {
    const Error error = error_of(parse_document(foreign, "a.json"));
    EXPECT_EQ(error.message.id, "document.not_a_run") << foreign;
    EXPECT_EQ(error.exit_code, ExitCode::unreadable);
  }
}

TEST(Parse, SaysWhereTheTextStopsBeingJson) {
  const Error error = error_of(parse_document(R"({"schema": "1.0", "rows": [nul]})", "a.json"));
  EXPECT_EQ(error.message.id, "document.not_json");
  EXPECT_EQ(text(error, "path"), "a.json");
  EXPECT_EQ(integer(error, "byte"), 31);  // the bracket after "nul", counted from 1
  EXPECT_EQ(integer(error_of(parse_document("", "a")), "byte"), 1);
}

TEST(Parse, RefusesEveryTruncation) {
  const std::string json = to_json(sample());
  for (std::size_t length = 0; length < json.size() - 2; ++length) {
    EXPECT_EQ(error_of(parse_document(json.substr(0, length), "a.json")).message.id, "document.not_json");
  }
}

TEST(Parse, RefusesBytesThatAreNotUtf8AndNumbersThatAreTooLarge) {
  EXPECT_EQ(error_of(parse_document("{\"schema\": \"1.0\", \"x\": \"\xff\"}", "a")).message.id,
            "document.not_json");
  const Error error = error_of(parse_document(R"({"schema": "1.0", "x": 1e999})", "a"));
  EXPECT_EQ(error.message.id, "document.not_json");
  EXPECT_GT(integer(error, "byte"), 20);
}

TEST(Parse, NamesTheKeyOfAWrongType) {
  const struct {
    const char* pointer;
    Json value;
    const char* key;
    const char* expected;
  } cases[] = {
      {"/rows/1/samples/2/host_ns", "fast", "rows[1].samples[2].host_ns", "document.expected_number"},
      {"/rows/0/samples/0/launches", 1.5, "rows[0].samples[0].launches", "document.expected_integer"},
      {"/rows/0/samples/0/launches", 1e300, "rows[0].samples[0].launches", "document.expected_integer"},
      {"/header/seed", 9223372036854775808U, "header.seed", "document.expected_smaller_integer"},
      {"/header/machine/cores", 2147483648, "header.machine.cores", "document.expected_smaller_integer"},
      {"/header/machine/cores", -2147483649, "header.machine.cores", "document.expected_smaller_integer"},
      {"/header/machine/turbo", 1, "header.machine.turbo", "document.expected_bool"},
      {"/header/arguments/1", 7, "header.arguments[1]", "document.expected_string"},
      {"/header", nullptr, "header", "document.expected_object"},
      {"/rows", Json::object(), "rows", "document.expected_list"},
      {"/rows/0/status", "fine", "rows[0].status", "document.expected_status"},
      {"/rows/0/parameters", Json::array(), "rows[0].parameters", "document.expected_object"},
      {"/rows/0/parameters/m", Json::object(), "rows[0].parameters.m", "document.expected_value"},
      {"/rows/0/parameters/m",
       9223372036854775808U,
       "rows[0].parameters.m",
       "document.expected_smaller_integer"},
      {"/rows/0/reason", "because", "rows[0].reason", "document.expected_message"},
      {"/rows/0/reason", {{"id", 3}}, "rows[0].reason.id", "document.expected_string"},
      {"/rows/0/reason", {{"args", {{"x", {1}}}}}, "rows[0].reason.args.x[0]", "document.expected_message"},
      {"/complete", "yes", "complete", "document.expected_bool"},
  };
  for (const auto& one : cases) {
    const Error error = error_with(one.pointer, one.value);
    EXPECT_EQ(error.exit_code, ExitCode::unreadable) << one.pointer;
    EXPECT_EQ(error.message.id, "document.wrong_type") << one.pointer;
    EXPECT_EQ(text(error, "key"), one.key);
    const Value* expected = error.message.find("expected");
    ASSERT_NE(expected, nullptr);
    EXPECT_EQ(std::get<std::vector<core::Message>>(*expected).at(0).id, one.expected) << one.pointer;
  }
}

TEST(Parse, SurvivesDeepNesting) {
  constexpr std::size_t kDeep = 200000;
  const std::string brackets = std::string(kDeep, '[') + std::string(kDeep, ']');
  EXPECT_TRUE(parse_document(R"({"schema": "1.0", "unknown": )" + brackets + "}", "a").ok());
  std::string messages;  // grown at its end only: else quadratic, minutes under the thread sanitizer
  for (int i = 0; i < 20000; ++i) {
    messages += R"({"id":"a","args":{"b":[)";
  }
  messages += "null";
  for (int i = 0; i < 20000; ++i) {
    messages += "]}}";
  }
  const Error error =
      error_of(parse_document(R"({"schema": "1.0", "rows": [{"reason": )" + messages + "}]}", "a"));
  EXPECT_EQ(std::get<std::vector<core::Message>>(*error.message.find("expected")).at(0).id,
            "document.expected_shallower");
}

TEST(Read, GivesTheReasonOfTheSystem) {
  const TemporaryFolder folder;
  const Error missing = error_of(read_document(folder.file("none.json")));
  EXPECT_EQ(missing.exit_code, ExitCode::unreadable);
  EXPECT_EQ(missing.message.id, "document.unreadable");
  EXPECT_EQ(text(missing, "path"), folder.file("none.json"));
  EXPECT_EQ(text(missing, "reason"), "No such file or directory");
  EXPECT_EQ(text(error_of(read_document(folder.path())), "reason"), "Is a directory");
  EXPECT_EQ(error_of(read_unfinished(folder.file("none.json"))).message.id, "document.unreadable");
}

TEST(Read, TakesADocument) {
  const TemporaryFolder folder;
  const auto read = read_document(folder.put("run.json", to_json(sample())));
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(tests::comes_back(sample(), *read));
}

}  // namespace
}  // namespace jissoku::document
