// `./dev bench overheads`: what the product adds to what it measures, beside the limits it is to keep.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/overheads/harness.hpp"
#include "bench/overheads/program.hpp"
#include "bench/overheads/report.hpp"

namespace jissoku::bench {
namespace {

const char* const kUsage =
    "./dev bench overheads [--quick]: what harness, device interface, verification and program start cost,\n"
    "beside their limits. Takes about seven minutes, since it measures six ordinary runs of matmul;\n"
    "--quick leaves these out. The exit code is 0 whether limits are met or not, 3 if a part cannot run.\n";

void print(const std::vector<Overhead>& overheads) {
  fmt::print("{}\n", text_table(overheads));
  std::fflush(stdout);
}

constexpr int kUsageError = 2, kUnavailable = 3;

/// `arguments`: the program to measure, then options.
int run(const std::vector<std::string>& arguments) {
  bool quick = false;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i] == "--help" || arguments[i] == "-h") {
      fmt::print("{}", kUsage);
      return 0;
    }
    if (arguments[i] != "--quick") {
      fmt::print(stderr, "bench overheads: no option '{}'; see --help\n", arguments[i]);
      return kUsageError;
    }
    quick = true;
  }
  if (arguments.empty()) {
    fmt::print(stderr, "{}", kUsage);
    return kUsageError;
  }
  const std::string& program = arguments.front();
  std::vector<std::string> missing;
  print(harness_overheads());
  print(interface_overheads(missing));
  print(start_overheads(program, missing));
  if (!quick) {
    print(verification_overheads(program, missing));
  }
  for (const std::string& line : missing) {
    fmt::print("not measured: {}\n", line);
  }
  return missing.empty() ? 0 : kUnavailable;
}

}  // namespace
}  // namespace jissoku::bench

int main(int argc, char** argv) {
  try {
    return jissoku::bench::run(std::vector<std::string>(argv + (argc > 1 ? 1 : argc), argv + argc));
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench overheads: %s\n", failure.what());
    return jissoku::bench::kUnavailable;
  }
}
