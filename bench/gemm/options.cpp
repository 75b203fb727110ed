#include "bench/gemm/options.hpp"

#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace jissoku::bench {
namespace {

constexpr std::int64_t kLargest = 65536;
constexpr int kMostThreads = 4096;
constexpr double kQuickBudget = 45;  // seconds; probes and starts come on top, under 60 in all

const char* const kAll =
    "64,96,128,192,256,384,512,768,1024,1536,2048,3072,4096,32x10x128,8192x128x128,128x128x16384,"
    "64x4096x4096,"
    "1x4096x4096,4096x1x4096";
const char* const kQuick = "64,256,1024,1x4096x4096,32x10x128,8192x128x128";

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (std::size_t end = 0; end != std::string_view::npos; start = end + 1) {
    end = text.find(',', start);
    parts.emplace_back(text.substr(start, end == std::string_view::npos ? end : end - start));
  }
  return parts;
}

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// "1024" is square; else "MxNxK".
std::optional<core::Shape> parse_one_shape(const std::string& text) {
  if (text.find('x') != std::string::npos) {
    const auto shape = core::parse_shape(text, "--sizes", kLargest);
    return shape ? std::optional(*shape) : std::nullopt;
  }
  const auto size = core::parse_size(text, "--sizes", kLargest);
  return size ? std::optional(core::Shape{*size, *size, *size}) : std::nullopt;
}

bool set_shapes(Options& options, const std::string& text) {
  options.shapes.clear();
  for (const std::string& part : split(text)) {
    const auto shape = parse_one_shape(part);
    if (!shape) {
      return false;
    }
    options.shapes.push_back(*shape);
  }
  return true;
}

bool set_types(Options& options, const std::string& text) {
  options.types.clear();
  for (const std::string& part : split(text)) {
    const auto type = numerics::parse_data_type(part, "--types");
    if (!type || (*type != numerics::DataType::f32 && *type != numerics::DataType::f64)) {
      return false;
    }
    options.types.push_back(*type);
  }
  return true;
}

bool set_threads(Options& options, const std::string& text) {
  options.threads.clear();
  for (const std::string& part : split(text)) {
    const auto count = parse_number<int>(part);
    if (!count || *count < 1 || *count > kMostThreads) {
      return false;
    }
    options.threads.push_back(*count);
  }
  return true;
}

bool set_budget(Options& options, const std::string& text) {
  const auto seconds = parse_number<double>(text);
  if (!seconds || !std::isfinite(*seconds) || *seconds <= 0) {
    return false;
  }
  options.budget_s = *seconds;
  return true;
}

bool set_csv(Options& options, const std::string& text) {
  options.csv = text;
  return !text.empty();
}

struct Flag {
  std::string_view name;
  bool (*set)(Options&, const std::string&);
};
constexpr Flag kFlags[] = {{"--sizes", set_shapes},
                           {"--types", set_types},
                           {"--threads", set_threads},
                           {"--budget", set_budget},
                           {"--csv", set_csv}};

/// Options without a value; false if there is none of that name.
bool set_switch(Options& options, std::string_view name) {
  if (name == "--help" || name == "-h") {
    return options.help = true;
  }
  if (name == "--rivals") {
    return options.rivals = true;
  }
  if (name == "--append") {
    return options.append = true;
  }
  if (name == "--quick") {
    options.budget_s = kQuickBudget;
    return set_shapes(options, kQuick);
  }
  return false;
}

const Flag* find_flag(std::string_view name) {
  for (const Flag& flag : kFlags) {
    if (flag.name == name) {
      return &flag;
    }
  }
  return nullptr;
}

}  // namespace

const char* const kUsage =
    "./dev bench gemm [OPTIONS]: every GEMM engine of the CPU, side by side in the same rounds, each result\n"
    "verified before it is timed.\n"
    "  --sizes LIST     N or MxNxK, separated by commas (default: 64 to 4096 and six skinny shapes)\n"
    "  --types LIST     f32, f64 (default: both)\n"
    "  --threads LIST   thread counts, one process each (default: 1 and all usable)\n"
    "  --budget SECONDS for all of it (default: 240); what does not fit is left out and named\n"
    "  --quick          fewer sizes, under a minute\n"
    "  --rivals         also Eigen, libxsmm and PyTorch (./dev setup rivals installs them)\n"
    "  --csv FILE       the same as a table for programs\n"
    "Exit code: 0, or 1 if an engine gave a wrong result, 2 for wrong options, 3 if nothing can run.\n";

std::optional<Options> parse_options(const std::vector<std::string>& arguments, std::string& fault) {
  Options options;
  set_shapes(options, kAll);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    const Flag* flag = find_flag(name);
    if (flag == nullptr) {
      if (!set_switch(options, name)) {
        fault = fmt::format("no option '{}'", name);
        return std::nullopt;
      }
      continue;
    }
    if (++i == arguments.size()) {
      fault = fmt::format("{} needs a value", name);
      return std::nullopt;
    }
    if (!flag->set(options, arguments[i])) {
      fault = fmt::format("{} cannot be '{}'", name, arguments[i]);
      return std::nullopt;
    }
  }
  return options;
}

std::string to_string(const core::Shape& shape) {
  return fmt::format("{}x{}x{}", shape.m, shape.n, shape.k);
}

std::vector<std::string> arguments_for(const Options& options, int threads, double budget_s, bool append) {
  const auto join = [](const auto& items, const auto& text_of) {
    std::string joined;
    for (const auto& item : items) {
      joined += joined.empty() ? "" : ",";
      joined += text_of(item);
    }
    return joined;
  };
  std::vector<std::string> arguments = {
      "--sizes",
      join(options.shapes, [](const core::Shape& shape) { return to_string(shape); }),
      "--types",
      join(options.types, [](numerics::DataType type) { return numerics::to_string(type); }),
      "--threads",
      std::to_string(threads),
      "--budget",
      fmt::format("{}", budget_s)};
  if (!options.csv.empty()) {
    arguments.insert(arguments.end(), {"--csv", options.csv});
  }
  if (append) {
    arguments.emplace_back("--append");
  }
  if (options.rivals) {
    arguments.emplace_back("--rivals");
  }
  return arguments;
}

}  // namespace jissoku::bench
