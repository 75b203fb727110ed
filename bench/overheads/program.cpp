#include "bench/overheads/program.hpp"

#include <array>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "jissoku/measure/clock.hpp"
#include "jissoku/numerics/statistics.hpp"

namespace jissoku::bench {
namespace {

struct Ended {
  bool ok = false;
  std::string output;
  double wall_ns = 0;
};

/// In single quotes for sh.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char character : text) {
    out += character == '\'' ? "'\\''" : std::string(1, character);
  }
  return out + "'";
}

/// With sh's exec, so that no shell waits beside the program.
Ended run(const std::string& program, const std::string& arguments) {
  measure::SystemClock clock;
  Ended ended;
  const std::string command = "exec " + quoted(program) + " " + arguments + " 2>/dev/null";
  const std::int64_t start_ns = clock.now_ns();
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) {
    return ended;
  }
  std::array<char, 65536> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    ended.output.append(buffer.data(), count);
  }
  ended.ok = pclose(pipe) == 0;
  ended.wall_ns = static_cast<double>(clock.now_ns() - start_ns);
  return ended;
}

}  // namespace

std::vector<Overhead> start_overheads(const std::string& program, std::vector<std::string>& missing) {
  struct Case {
    const char* arguments;
    double limit_ms;
  };
  std::vector<Overhead> found;
  for (const Case& one : {Case{"devices", 300}, Case{"--help", 50}, Case{"--version", 50}}) {
    constexpr int kRuns = 10;
    bool ok = run(program, one.arguments).ok;  // warm: its files are in memory
    std::vector<double> times;
    for (int i = 0; i < kRuns && ok; ++i) {
      const Ended ended = run(program, one.arguments);
      ok = ended.ok;
      times.push_back(ended.wall_ns / 1e6);
    }
    if (ok) {
      found.push_back(
          {fmt::format("jissoku {}", one.arguments), numerics::median(times), "ms", one.limit_ms});
    } else {
      missing.push_back(fmt::format("jissoku {}: it failed", one.arguments));
    }
  }
  return found;
}

std::vector<Overhead> verification_overheads(const std::string& program, std::vector<std::string>& missing) {
  constexpr double kLimitPercent = 5;
  std::vector<Overhead> found;
  for (const char* type : {"f32", "f64"}) {
    for (const int n : {1024, 2048, 4096}) {
      const std::string arguments =
          fmt::format("matmul --n {} --dtype {} --device cpu --json - --quiet", n, type);
      const Ended ended = run(program, arguments);
      const auto costs = ended.ok ? verification_costs(ended.output) : std::nullopt;
      if (!costs || costs->empty()) {
        missing.push_back(fmt::format("jissoku {}: no rows", arguments));
        continue;
      }
      found.push_back({fmt::format("verification, matmul --n {} --dtype {}", n, type),
                       100 * verification_share(*costs),
                       "%",
                       kLimitPercent});
    }
  }
  return found;
}

}  // namespace jissoku::bench
