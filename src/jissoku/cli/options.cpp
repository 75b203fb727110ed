#include "jissoku/cli/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <regex>

namespace jissoku::cli {
namespace {

using core::Error;
using core::ExitCode;
using core::make_error;
using core::Result;

constexpr double kMaxBudgetSeconds = 7 * 24 * 3600.0;

Result<double> number(std::string_view flag, const std::string& text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return make_error(ExitCode::usage, "cli.not_a_number", {{"flag", std::string(flag)}, {"text", text}});
  }
  return value;
}

/// alpha and beta: within what FP32 holds after any sum, else right results would overflow or vanish.
Result<double> factor(const Parsed& parsed, std::string_view flag) {
  constexpr double kMost = 1e28;
  const std::string text = parsed.get_or_default(flag);
  auto value = number(flag, text);
  if (value && *value != 0 && (std::abs(*value) > kMost || std::abs(*value) < 1 / kMost)) {
    return make_error(ExitCode::usage, "cli.factor_beyond", {{"flag", std::string(flag)}, {"text", text}});
  }
  return value;
}

Result<std::int64_t> budget_ns(const Parsed& parsed) {
  const std::string text = parsed.get("budget").value_or(std::string(parsed.command->default_budget));
  const auto seconds = number("budget", text);
  if (!seconds || !(*seconds > 0) || *seconds > kMaxBudgetSeconds) {
    return make_error(ExitCode::usage,
                      "cli.bad_budget",
                      {{"text", text}, {"most", static_cast<std::int64_t>(kMaxBudgetSeconds)}});
  }
  return static_cast<std::int64_t>(std::ceil(*seconds * 1e9));
}

Result<std::vector<device::Selection>> selections(const Parsed& parsed, const device::Registry& registry) {
  std::vector<device::Selection> out;
  if (const auto list = parsed.get("device")) {
    for (const std::string& item : split_list(*list)) {
      auto selection = registry.parse(item);
      if (!selection) {
        return selection.error();
      }
      out.push_back(std::move(*selection));
    }
    return out;
  }
  for (const device::Backend& backend : registry.backends()) {
    if (backend.oracle) {
      continue;
    }
    for (const device::Info& info : backend.list().devices) {
      // A model answers "what if", and the host's CPU by a longer way is no accelerator: by name only.
      if (!info.modelled && !(info.is_host && info.queued)) {
        out.push_back({info.id, ""});
      }
    }
  }
  if (out.empty()) {
    return make_error(ExitCode::unavailable, "cli.no_device");
  }
  return out;
}

Result<std::function<bool(const std::string&)>> filter(const Parsed& parsed) {
  const auto text = parsed.get("filter");
  if (!text) {
    return std::function<bool(const std::string&)>();
  }
  try {
    const auto expression = std::make_shared<const std::regex>(*text);
    return std::function<bool(const std::string&)>(
        [expression](const std::string& id) { return std::regex_search(id, *expression); });
  } catch (const std::regex_error&) {
    return make_error(ExitCode::usage, "cli.bad_filter", {{"text", *text}});
  }
}

Result<std::vector<core::Shape>> shapes(const Parsed& parsed) {
  std::vector<core::Shape> out;
  if (parsed.has("n") || !parsed.has("shape")) {
    for (const std::string& item : split_list(parsed.get_or_default("n"))) {
      const auto size = core::parse_size(item, "--n", kMaxDimension);
      if (!size) {
        return size.error();
      }
      out.push_back({*size, *size, *size});
    }
  }
  if (const auto list = parsed.get("shape")) {
    for (const std::string& item : split_list(*list)) {
      const auto shape = core::parse_shape(item, "--shape", kMaxDimension);
      if (!shape) {
        return shape.error();
      }
      out.push_back(*shape);
    }
  }
  return out;
}

}  // namespace

Result<std::int64_t> integer(const Parsed& parsed,
                             std::string_view flag,
                             std::int64_t least,
                             std::int64_t most) {
  const std::string text = parsed.get_or_default(flag);
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    return make_error(ExitCode::usage,
                      "cli.not_an_integer",
                      {{"flag", std::string(flag)}, {"text", text}, {"least", least}, {"most", most}});
  }
  return value;
}

Result<OutputOptions> output_options(const Parsed& parsed) {
  OutputOptions options;
  if (parsed.command == nullptr || parsed.command->takes(*find_flag("out"))) {
    options.folder = parsed.get("out");
  }
  options.json = parsed.get("json");
  options.csv = parsed.get("csv");
  options.markdown = parsed.get("markdown");
  options.quiet = parsed.has("quiet");
  std::string first;
  for (const std::string_view flag : {"json", "csv", "markdown"}) {
    if (parsed.get(flag) != "-") {
      continue;
    }
    if (!first.empty()) {
      return make_error(
          ExitCode::usage, "cli.two_on_stdout", {{"first", first}, {"second", std::string(flag)}});
    }
    first = flag;
  }
  return options;
}

ColorMode color_mode(const Parsed& parsed) {
  const std::string text = parsed.get_or_default("color");
  if (text == "auto") {
    return ColorMode::automatic;
  }
  return text == "always" ? ColorMode::always : ColorMode::never;
}

Result<MeasureOptions> measure_options(const Parsed& parsed,
                                       const device::Registry& registry,
                                       const core::Machine& machine) {
  MeasureOptions options;
  const auto seed = integer(parsed, "seed", 0, std::numeric_limits<std::int64_t>::max());
  if (!seed) {
    return seed.error();
  }
  options.seed = *seed;
  if (parsed.has("threads")) {
    // More threads than the hardware has measure the scheduler, not the device.
    const std::int64_t most = std::max(machine.hardware_threads, machine.usable_threads);
    const auto threads = integer(parsed, "threads", 1, most);
    if (!threads) {
      return threads.error();
    }
    options.threads = static_cast<int>(*threads);
  }
  const Command& command = *parsed.command;
  if (command.takes(*find_flag("budget"))) {
    const auto budget = budget_ns(parsed);
    if (!budget) {
      return budget.error();
    }
    options.budget_ns = *budget;
  }
  auto selected = filter(parsed);
  if (!selected) {
    return selected.error();
  }
  options.selected = std::move(*selected);
  if (command.takes(*find_flag("device"))) {
    auto devices = selections(parsed, registry);
    if (!devices) {
      return devices.error();
    }
    options.devices = std::move(*devices);
  }
  return options;
}

Result<experiments::matmul::Params> matmul_params(const Parsed& parsed, const MeasureOptions& measure) {
  experiments::matmul::Params params;
  auto sizes = shapes(parsed);
  if (!sizes) {
    return sizes.error();
  }
  std::vector<numerics::DataType> types;
  for (const std::string& item : split_list(parsed.get_or_default("dtype"))) {
    const auto type = numerics::parse_data_type(item, "--dtype");
    if (!type) {
      return type.error();
    }
    types.push_back(*type);
  }
  std::vector<numerics::Data> fillings;
  for (const std::string& item : split_list(parsed.get_or_default("data"))) {
    const auto data = numerics::parse_data(item, "--data");
    if (!data) {
      return data.error();
    }
    fillings.push_back(*data);
  }
  for (const core::Shape& shape : *sizes) {
    for (const numerics::DataType type : types) {
      for (const numerics::Data data : fillings) {
        params.problems.push_back({shape, type, data});
      }
    }
  }
  const std::string transposes = parsed.get_or_default("transpose");
  params.transpose_a = transposes[0] == 't';
  params.transpose_b = transposes[1] == 't';
  const auto alpha = factor(parsed, "alpha");
  if (!alpha) {
    return alpha.error();
  }
  if (*alpha == 0) {
    return make_error(ExitCode::usage, "cli.alpha_zero");
  }
  const auto beta = factor(parsed, "beta");
  if (!beta) {
    return beta.error();
  }
  params.alpha = *alpha;
  params.beta = *beta;
  params.devices = measure.devices;
  params.seed = measure.seed;
  params.threads = measure.threads;
  params.budget_ns = measure.budget_ns;
  params.selected = measure.selected;
  return params;
}

}  // namespace jissoku::cli
