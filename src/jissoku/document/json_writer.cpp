// The writer's half of serialise.hpp and parts.hpp.
#include <cmath>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "jissoku/document/derive.hpp"
#include "jissoku/document/fields.hpp"
#include "jissoku/document/parts.hpp"
#include "jissoku/document/serialise.hpp"

namespace jissoku::document {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json tree(const T& value);

Json tree_of(const core::Message& message);

Json tree_of(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

template <typename T>
Json tree_of(const std::vector<T>& items) {
  Json out = Json::array();
  for (const T& item : items) {
    out.push_back(tree(item));
  }
  return out;
}

Json tree_of(const core::Value& value) {
  return std::visit([](const auto& held) { return tree(held); }, value);
}

Json tree_of(const std::vector<core::Argument>& arguments) {
  Json out = Json::object();
  for (const core::Argument& argument : arguments) {
    out[argument.name] = tree_of(argument.value);
  }
  return out;
}

Json tree_of(const core::Message& message) {
  return message.empty() ? Json(nullptr) : Json{{"id", message.id}, {"args", tree_of(message.args)}};
}

Json tree_of(const NoiseFloor& noise_floor) {
  return tree_of(noise_floor.relative);
}

Json tree_of(RowStatus status) {
  return std::string(to_string(status));
}

template <typename T>
Json tree_of(const std::optional<T>& value) {
  return value ? tree(*value) : Json(nullptr);
}

template <typename T>
Json tree(const T& value) {
  if constexpr (HasFields<T>) {
    Json out = Json::object();
    visit_fields(value, [&](std::string_view key, const auto& member) {
      out[std::string(key)] = tree(member);
      return true;
    });
    return out;
  } else if constexpr (std::is_integral_v<T> || std::is_same_v<T, std::string>) {
    return Json(value);
  } else {
    return tree_of(value);
  }
}

Json tree_of(const std::optional<numerics::Estimate>& estimate) {
  if (!estimate) {
    return nullptr;
  }
  return {{"value", tree_of(estimate->value)},
          {"low", tree_of(estimate->interval.low)},
          {"high", tree_of(estimate->interval.high)},
          {"rounds", estimate->rounds}};
}

const Row* find_row(const Document& document, const std::string& id) {
  for (const Row& row : document.rows) {
    if (!id.empty() && row.id == id) {
      return &row;
    }
  }
  return nullptr;
}

/// What derive.hpp makes of a row; null where there is no such figure, never 0.
Json derived(const Row& row, const Document& document) {
  Json shares = Json::object();
  for (const Ceiling& ceiling : row.ceilings) {
    shares[ceiling.kind] = tree_of(share_of(row, ceiling.kind));
  }
  const Row* base = find_row(document, row.baseline);
  const bool sampled = !row.samples.empty();
  return {{"time_ns", tree_of(time_ns(row))},
          {"flops_per_second", tree_of(flops_per_second(row))},
          {"bytes_per_second", tree_of(bytes_per_second(row))},
          {"share_of", shares},
          {"speed_up", tree_of(base == nullptr ? std::nullopt : speed_up(*base, row))},
          {"threads_at_work", sampled ? tree_of(threads_at_work(row)) : Json(nullptr)},
          {"foreign_cpu_share", sampled ? tree_of(foreign_cpu_share(row)) : Json(nullptr)}};
}

std::string version() {
  return std::to_string(kSchemaMajor) + "." + std::to_string(kSchemaMinor);
}

std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

constexpr int kOneLine = -1;

struct KeyOfPart {
  const char* operator()(const Header&) const { return "header"; }
  const char* operator()(const Plan&) const { return "plan"; }
  const char* operator()(const NoiseFloor&) const { return "noise_floor"; }
  const char* operator()(const Row&) const { return "row"; }
  const char* operator()(const Finding&) const { return "finding"; }
  const char* operator()(const Fit&) const { return "fit"; }
  const char* operator()(const Series&) const { return "series"; }
  const char* operator()(const Attachment&) const { return "attachment"; }
};

}  // namespace

std::string to_json(const Document& document) {
  Json out = Json::object();
  out["schema"] = version();
  visit_fields(document, [&](std::string_view key, const auto& member) {
    if (key != "schema_major" && key != "schema_minor") {
      out[std::string(key)] = tree(member);
    }
    return true;
  });
  for (std::size_t i = 0; i < document.rows.size(); ++i) {
    out["rows"][i]["derived"] = derived(document.rows[i], document);
  }
  return text_of(out, 1) + "\n";
}

std::string to_json_line(const Row& row) {
  return text_of(tree(row), kOneLine);
}

std::string to_line(const Part& part) {
  Json out = Json::object();
  if (std::holds_alternative<Header>(part)) {
    out["journal"] = version();
  }
  out[std::visit(KeyOfPart{}, part)] = std::visit([](const auto& held) { return tree(held); }, part);
  return text_of(out, kOneLine) + "\n";
}

}  // namespace jissoku::document
