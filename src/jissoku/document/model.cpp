#include "jissoku/document/model.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace jissoku::document {
namespace {

constexpr std::array<std::pair<RowStatus, std::string_view>, 8> kStatusNames = {{
    {RowStatus::converged, "converged"},
    {RowStatus::noisy, "noisy"},
    {RowStatus::ceiling, "ceiling"},
    {RowStatus::throttled, "throttled"},
    {RowStatus::unsupported, "unsupported"},
    {RowStatus::wrong, "wrong"},
    {RowStatus::error, "error"},
    {RowStatus::skipped, "skipped"},
}};

template <typename Number>
std::string shortest(Number number) {
  std::array<char, 32> buffer{};
  const auto [end, failure] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  static_cast<void>(failure);  // 24 characters hold any of them
  return {buffer.data(), end};
}

/// A parameter as a part of an id: without the separator and blanks, so that ids can be split.
std::string id_text(const core::Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) {
    return *flag ? "true" : "false";
  }
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return shortest(*integer);
  }
  if (const auto* number = std::get_if<double>(&value)) {
    return shortest(*number);
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    std::string out = *text;
    std::replace_if(
        out.begin(), out.end(), [](char c) { return c == '/' || c == ' '; }, '_');
    return out;
  }
  return {};  // sentences identify nothing
}

std::string id_text(const Row& row, std::string_view name) {
  const auto value = parameter(row, name);
  return value ? id_text(*value) : std::string();
}

/// The values of the parameters that are there, joined.
std::string joined(const Row& row, const std::vector<std::string_view>& names, std::string_view separator) {
  std::string out;
  for (const std::string_view name : names) {
    if (const std::string text = id_text(row, name); !text.empty()) {
      out += (out.empty() ? "" : std::string(separator)) + text;
    }
  }
  return out;
}

std::string types(const Row& row) {
  const std::string input = id_text(row, "input");
  const bool all_equal = input == id_text(row, "accumulator") && input == id_text(row, "output");
  return all_equal ? input : joined(row, {"input", "accumulator", "output"}, "-");
}

bool equals(const core::Value& value, double usual) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return static_cast<double>(*integer) == usual;
  }
  const auto* number = std::get_if<double>(&value);
  return number != nullptr && *number == usual;
}

/// Whether the parameter is not worth a place in the id: it has a part of its own, or its usual value.
bool is_left_out(const core::Argument& argument) {
  constexpr std::array<std::string_view, 10> kOwnPart = {
      "m", "n", "k", "input", "accumulator", "output", "transpose", "data", "cache", "threads"};
  constexpr std::array<std::pair<std::string_view, double>, 3> kUsual = {
      {{"alpha", 1}, {"beta", 0}, {"seed", 42}}};
  return std::find(kOwnPart.begin(), kOwnPart.end(), argument.name) != kOwnPart.end() ||
         std::any_of(kUsual.begin(),
                     kUsual.end(),
                     [&](const auto& usual) {
                       return argument.name == usual.first && equals(argument.value, usual.second);
                     }) ||
         std::holds_alternative<std::vector<core::Message>>(argument.value);
}

}  // namespace

std::string_view to_string(RowStatus status) {
  for (const auto& [known, name] : kStatusNames) {
    if (known == status) {
      return name;
    }
  }
  return "error";
}

std::optional<RowStatus> parse_row_status(std::string_view text) {
  for (const auto& [status, name] : kStatusNames) {
    if (name == text) {
      return status;
    }
  }
  return std::nullopt;
}

std::string row_id(const Row& row) {
  const std::string threads = id_text(row, "threads");
  std::vector<std::string> parts = {row.experiment,
                                    row.device,
                                    types(row),
                                    joined(row, {"m", "n", "k"}, "x"),
                                    id_text(row, "transpose"),
                                    id_text(row, "data"),
                                    id_text(row, "cache"),
                                    threads.empty() ? "" : threads + "t"};
  for (const core::Argument& argument : row.parameters) {
    if (!is_left_out(argument)) {
      parts.push_back(argument.name + "=" + id_text(argument.value));
    }
  }
  std::string id;
  for (const std::string& part : parts) {
    if (!part.empty()) {
      id += (id.empty() ? "" : "/") + part;
    }
  }
  return id;
}

std::optional<core::Value> parameter(const Row& row, std::string_view name) {
  for (const core::Argument& argument : row.parameters) {
    if (argument.name == name) {
      return argument.value;
    }
  }
  return std::nullopt;
}

}  // namespace jissoku::document
