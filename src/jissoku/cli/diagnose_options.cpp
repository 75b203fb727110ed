#include "jissoku/cli/diagnose_options.hpp"

#include <charconv>
#include <cmath>

namespace jissoku::cli {
namespace {

using core::ExitCode;
using core::make_error;

bool parse_number(std::string_view text, double& value) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

core::Status take_integer(const Parsed& parsed, const std::string& flag, std::optional<std::int64_t>& to) {
  const auto text = parsed.get(flag);
  if (!text) {
    return {};
  }
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (failure != std::errc() || end != text->data() + text->size() || value < 0) {
    return make_error(ExitCode::usage, "diagnose.not_a_count", {{"flag", flag}, {"text", *text}});
  }
  to = value;
  return {};
}

/// "100..250", milliseconds.
core::Status take_window(const Parsed& parsed, DiagnoseOptions& options) {
  const auto text = parsed.get("window");
  if (!text) {
    return {};
  }
  const std::size_t dots = text->find("..");
  double from = 0;
  double to = 0;
  if (dots == std::string::npos || !parse_number(text->substr(0, dots), from) ||
      !parse_number(text->substr(dots + 2), to) || !(from < to)) {
    return make_error(ExitCode::usage, "diagnose.not_a_window", {{"text", *text}});
  }
  options.from_ms = from;
  options.to_ms = to;
  return {};
}

core::Result<FailOn> fail_on(const std::string& text) {
  FailOn out;
  constexpr std::string_view kIdle = "idle>";
  double percent = 0;
  if (text.starts_with(kIdle) && parse_number(std::string_view(text).substr(kIdle.size()), percent) &&
      percent >= 0 && percent <= 100) {
    out.idle_share = percent / 100;
    return out;
  }
  out.cause = timeline::diagnosis::parse_cause(text);
  if (!out.cause) {
    return make_error(ExitCode::usage, "diagnose.not_a_condition", {{"text", text}});
  }
  return out;
}

core::Status take_table(const Parsed& parsed, DiagnoseOptions& options) {
  const auto name = parsed.get("table");
  if (!name) {
    for (const std::string_view flag : {"sort", "limit", "group-by-shape"}) {
      if (parsed.has(flag)) {
        return make_error(ExitCode::usage, "diagnose.needs_table", {{"flag", std::string(flag)}});
      }
    }
    return {};
  }
  if (*name != "operators" && *name != "modules" && *name != "annotations") {
    for (const std::string_view flag : {"sort", "group-by-shape"}) {
      if (parsed.has(flag)) {
        return make_error(
            ExitCode::usage, "diagnose.not_this_table", {{"flag", std::string(flag)}, {"table", *name}});
      }
    }
  }
  std::optional<std::int64_t> limit;
  if (auto taken = take_integer(parsed, "limit", limit); !taken) {
    return taken;
  }
  options.table = report::TableOptions{
      *name, parsed.has("group-by-shape"), parsed.get("sort").value_or(""), limit.value_or(-1)};
  return {};
}

/// Flags of which one would be ignored.
core::Status check_pairs(const Parsed& parsed) {
  const auto both = [](const char* flag, const char* other) {
    return make_error(
        ExitCode::usage, "diagnose.not_both", {{"flag", std::string(flag)}, {"other", std::string(other)}});
  };
  if (parsed.has("step") && parsed.has("window")) {
    return both("step", "window");
  }
  if (parsed.has("table") && parsed.has("compare")) {
    return both("table", "compare");
  }
  if (parsed.get("export") && parsed.get("export") == parsed.get("json")) {
    return both("export", "json");
  }
  return {};
}

}  // namespace

core::Result<DiagnoseOptions> diagnose_options(const Parsed& parsed) {
  DiagnoseOptions options;
  options.paths = parsed.operands;
  options.explain = parsed.has("explain");
  options.compare = parsed.get("compare");
  options.export_to = parsed.get("export");
  for (const core::Status& taken : {take_integer(parsed, "step", options.step),
                                    take_integer(parsed, "gpu", options.gpu),
                                    take_window(parsed, options),
                                    take_table(parsed, options),
                                    check_pairs(parsed)}) {
    if (!taken) {
      return taken.error();
    }
  }
  if (parsed.has("fail-on")) {
    for (const std::string& item : split_list(*parsed.get("fail-on"))) {
      auto condition = fail_on(item);
      if (!condition) {
        return condition.error();
      }
      options.fail_on.push_back(*condition);
    }
  }
  if (options.paths.empty() && !options.explain) {
    return make_error(ExitCode::usage,
                      "cli.operand_missing",
                      {{"operand", std::string("FILE")}, {"command", std::string("diagnose")}});
  }
  return options;
}

}  // namespace jissoku::cli
