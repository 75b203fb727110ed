// The reader's half of serialise.hpp and parts.hpp.
#include <charconv>
#include <limits>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

#include "jissoku/document/fields.hpp"
#include "jissoku/document/parts.hpp"
#include "jissoku/document/serialise.hpp"

namespace jissoku::document {
namespace {

using Json = nlohmann::ordered_json;

/// Fills structs from JSON. The first value of a wrong type ends it; `path` then names its key.
class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  /// False after a wrong type. Members without a key keep their value.
  template <typename T>
  bool read(const Json& json, T& out) {
    if constexpr (HasFields<T>) {
      return read_fields(json, out);
    } else if constexpr (std::is_same_v<T, bool>) {
      return json.is_boolean() ? assign(out, json.get<bool>()) : fail("document.expected_bool");
    } else if constexpr (std::is_integral_v<T>) {
      return read_integer(json, out);
    } else {
      return read_value(json, out);
    }
  }

  core::Error error(const std::string& name) const {
    return core::make_error(
        core::ExitCode::unreadable,
        "document.wrong_type",
        {{"path", name}, {"key", path_}, {"expected", std::vector<core::Message>{core::message(expected_)}}});
  }

 private:
  template <typename T>
  static bool assign(T& out, T value) {
    out = std::move(value);
    return true;
  }

  bool fail(const char* expected) {
    expected_ = expected;
    return false;
  }

  /// Reads a value that lies one step deeper; the path stays there if that fails.
  template <typename T>
  bool read_at(const std::string& step, const Json& json, T& out) {
    const std::size_t length = path_.size();
    path_ += (path_.empty() && step.front() == '.') ? step.substr(1) : step;
    if (!read(json, out)) {
      return false;
    }
    path_.resize(length);
    return true;
  }

  template <typename Struct>
  bool read_fields(const Json& json, Struct& out) {
    if (!json.is_object()) {
      return fail("document.expected_object");
    }
    return visit_fields(out, [&](std::string_view key, auto& member) {
      const auto found = json.find(std::string(key));
      return found == json.end() || read_at("." + std::string(key), *found, member);
    });
  }

  template <typename Integer>
  bool read_integer(const Json& json, Integer& out) {
    if (!json.is_number_integer()) {
      return fail("document.expected_integer");
    }
    constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<Integer>::max());
    if (json.is_number_unsigned() && json.get<std::uint64_t>() > kLargest) {
      return fail("document.expected_smaller_integer");
    }
    const auto value = json.get<std::int64_t>();
    if (value < std::numeric_limits<Integer>::min()) {
      return fail("document.expected_smaller_integer");
    }
    return assign(out, static_cast<Integer>(value));
  }

  bool read_value(const Json& json, double& out) {
    if (json.is_null()) {
      return assign(out, std::numeric_limits<double>::quiet_NaN());
    }
    return json.is_number() ? assign(out, json.get<double>()) : fail("document.expected_number");
  }

  bool read_value(const Json& json, std::string& out) {
    return json.is_string() ? assign(out, json.get<std::string>()) : fail("document.expected_string");
  }

  bool read_value(const Json& json, RowStatus& out) {
    const auto status = json.is_string() ? parse_row_status(json.get<std::string>()) : std::nullopt;
    return status ? assign(out, *status) : fail("document.expected_status");
  }

  template <typename T>
  bool read_value(const Json& json, std::optional<T>& out) {
    if (json.is_null()) {
      return assign(out, std::optional<T>());
    }
    return read(json, out.emplace());
  }

  template <typename T>
  bool read_value(const Json& json, std::vector<T>& out) {
    if (!json.is_array()) {
      return fail("document.expected_list");
    }
    out.clear();
    out.reserve(json.size());
    for (std::size_t i = 0; i < json.size(); ++i) {
      if (!read_at("[" + std::to_string(i) + "]", json[i], out.emplace_back())) {
        return false;
      }
    }
    return true;
  }

  bool read_value(const Json& json, core::Value& out) {
    if (json.is_boolean()) {
      return assign(out, core::Value(json.get<bool>()));
    }
    if (json.is_string()) {
      return assign(out, core::Value(json.get<std::string>()));
    }
    if (json.is_number_integer()) {
      return read(json, out.emplace<std::int64_t>());
    }
    if (json.is_array()) {
      return read(json, out.emplace<std::vector<core::Message>>());
    }
    return json.is_object() ? fail("document.expected_value") : read(json, out.emplace<double>());
  }

  bool read_value(const Json& json, std::vector<core::Argument>& out) {
    if (!json.is_object()) {
      return fail("document.expected_object");
    }
    out.clear();
    for (const auto& [name, value] : json.items()) {
      out.push_back({name, {}});
      if (!read_at("." + name, value, out.back().value)) {
        return false;
      }
    }
    return true;
  }

  bool read_value(const Json& json, core::Message& out) {
    if (json.is_null()) {
      return assign(out, core::Message());
    }
    if (!json.is_object()) {
      return fail("document.expected_message");
    }
    if (depth_ == kDeepest) {
      return fail("document.expected_shallower");
    }
    ++depth_;
    const auto id = json.find("id");
    const auto args = json.find("args");
    const bool good = (id == json.end() || read_at(".id", *id, out.id)) &&
                      (args == json.end() || read_at(".args", *args, out.args));
    --depth_;
    return good;
  }

  /// Messages that quote messages: no program nests them deeply, and the stack is finite.
  static constexpr int kDeepest = 32;
  int depth_ = 0;
  std::string path_;
  const char* expected_ = "";
};

/// Only finds where a text stops being JSON.
struct DamageFinder : nlohmann::json_sax<Json> {
  std::size_t byte = 0;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    byte = position;
    return false;
  }
};

core::Error damaged(std::string_view text, const std::string& name) {
  DamageFinder finder;
  Json::sax_parse(text, &finder);
  return core::make_error(core::ExitCode::unreadable,
                          "document.not_json",
                          {{"path", name}, {"byte", static_cast<std::int64_t>(finder.byte)}});
}

Json parse_or_discard(std::string_view text) {
  return Json::parse(text, nullptr, false);
}

struct Version {
  int major = 0, minor = 0;
};

std::optional<Version> parse_version(const std::string& text) {
  Version version;
  const char* end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, version.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') {
    return std::nullopt;
  }
  const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
  return minor.ec == std::errc() && minor.ptr == end ? std::optional(version) : std::nullopt;
}

/// The version under `key`; fails where this is none of ours or of a newer major version.
core::Result<Version> read_version(const Json& json, const char* key, const std::string& name) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  const auto version =
      found != json.end() && found->is_string() ? parse_version(found->get<std::string>()) : std::nullopt;
  if (!version || version->major < 1) {
    return core::make_error(core::ExitCode::unreadable, "document.not_a_run", {{"path", name}});
  }
  if (version->major > kSchemaMajor) {
    return core::make_error(core::ExitCode::unreadable,
                            "document.newer",
                            {{"path", name},
                             {"theirs", found->get<std::string>()},
                             {"ours", std::to_string(kSchemaMajor) + "." + std::to_string(kSchemaMinor)}});
  }
  return *version;
}

/// Applies the part under `key`, if the line has one.
template <typename Held, typename Wrapped = Held>
core::Status apply_if_there(const Json& json, const char* key, Document& document, const std::string& name) {
  const auto found = json.find(key);
  if (found == json.end()) {
    return {};
  }
  Reader reader(key);
  Held held{};
  if (!reader.read(*found, held)) {
    return reader.error(name);
  }
  add_part(document, Wrapped{std::move(held)});
  return {};
}

/// Lines of a newer minor version may hold parts this one does not know.
core::Status apply_line(const Json& json, Document& document, const std::string& name) {
  using ReadPart = core::Status (*)(const Json&, const char*, Document&, const std::string&);
  constexpr std::pair<const char*, ReadPart> kParts[] = {
      {"header", &apply_if_there<Header>},
      {"plan", &apply_if_there<Plan>},
      {"noise_floor", &apply_if_there<double, NoiseFloor>},
      {"row", &apply_if_there<Row>},
      {"finding", &apply_if_there<Finding>},
      {"fit", &apply_if_there<Fit>},
      {"series", &apply_if_there<Series>},
      {"attachment", &apply_if_there<Attachment>},
  };
  for (const auto& [key, read_part] : kParts) {
    if (auto status = read_part(json, key, document, name); !status) {
      return status;
    }
  }
  return {};
}

core::Error damaged_line(std::string_view line,
                         std::size_t start,
                         std::int64_t number,
                         const std::string& name) {
  DamageFinder finder;
  Json::sax_parse(line, &finder);
  return core::make_error(
      core::ExitCode::unreadable,
      "document.damaged_journal",
      {{"path", name}, {"line", number}, {"byte", static_cast<std::int64_t>(start + finder.byte)}});
}

}  // namespace

core::Result<Document> parse_document(std::string_view text, const std::string& name) {
  const Json json = parse_or_discard(text);
  if (json.is_discarded()) {
    return damaged(text, name);
  }
  const auto version = read_version(json, "schema", name);
  if (!version) {
    return version.error();
  }
  Document document;
  Reader reader("");
  if (!reader.read(json, document)) {
    return reader.error(name);
  }
  document.schema_major = version->major;
  document.schema_minor = version->minor;
  return document;
}

core::Result<Document> parse_journal(std::string_view text, const std::string& name) {
  Document document;
  std::size_t start = 0;
  for (std::int64_t number = 1; start < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    const Json json = parse_or_discard(line);
    if (!json.is_object()) {
      const bool torn = number > 1 && end + 1 >= text.size();
      return torn ? core::Result<Document>(std::move(document)) : damaged_line(line, start, number, name);
    }
    if (number == 1) {
      const auto version = read_version(json, "journal", name);
      if (!version) {
        return version.error();
      }
      document.schema_minor = version->minor;
    }
    if (auto status = apply_line(json, document, name + ":" + std::to_string(number)); !status) {
      return status.error();
    }
    start = end + 1;
  }
  return document;
}

}  // namespace jissoku::document
