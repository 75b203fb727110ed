// `./dev bench gemm`: every GEMM engine of this CPU, side by side. Libraries fix their threads when they
// start, so each thread count is measured by a process of its own, which this program starts.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "bench/gemm/contest.hpp"
#include "bench/gemm/table.hpp"
#include "jissoku/cli/registration.hpp"
#include "jissoku/core/catalogue.hpp"
#include "jissoku/core/machine.hpp"

namespace jissoku::embedded {
extern const std::string_view messages_en;
}

namespace jissoku::bench {
namespace {

constexpr int kOk = 0, kWrong = 1, kUsageError = 2, kUnavailable = 3, kUnwritable = 5;

void say(const std::string& line) {
  std::fprintf(stderr, "bench gemm: %s\n", line.c_str());
}

/// This program again with other arguments; its exit code.
int run_again(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "gemm");
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) {
    argv.push_back(argument.data());
  }
  argv.push_back(nullptr);
  pid_t process = -1;
  if (const int fault = posix_spawn(&process, "/proc/self/exe", nullptr, nullptr, argv.data(), environ)) {
    say(fmt::format("cannot start a process: {}", std::strerror(fault)));
    return kUnavailable;
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status)) {
    say(fmt::format("the process was ended by signal {}", WTERMSIG(status)));
    return kUnavailable;
  }
  return WEXITSTATUS(status);
}

bool write_csv(const Options& options, const std::vector<Cell>& cells) {
  if (options.csv.empty()) {
    return true;
  }
  std::ofstream file(options.csv, options.append ? std::ios::app : std::ios::trunc);
  file << (options.append ? "" : csv_header()) << csv_rows(cells);
  file.flush();
  if (!file) {
    say(fmt::format("cannot write {}", options.csv));
  }
  return file.good();
}

void print_head(const core::Machine& machine, const Rivals& rivals, int threads) {
  fmt::print("{}, {} of {} CPUs{}\n",
             machine.cpu_model,
             threads,
             machine.usable_threads,
             machine.virtualisation.empty() ? "" : ", virtual machine (" + machine.virtualisation + ")");
  for (const std::string& missing : rivals.missing) {
    fmt::print("{}\n", missing);
  }
  fmt::print("\n");
}

int measure_all(const Options& options, const core::Machine& machine, int threads, const Words& words) {
  measure::SystemClock clock;
  device::OpenOptions open;
  open.threads = threads;
  auto session = experiments::open_session(cli::make_registry(), "cpu", open);
  if (!session) {
    say(words(session.error().message));
    return kUnavailable;
  }
  const Rivals rivals = options.rivals ? find_rivals(threads, clock) : Rivals();
  print_head(machine, rivals, threads);
  Contest contest(*session, rivals, threads, clock, words);
  const measure::Plan plan = contest.plan(options);
  int exit_code = kOk;
  bool written = true;
  std::size_t number = 0;
  Options target = options;
  for (const numerics::DataType type : options.types) {
    std::vector<Cell> cells;
    for (const core::Shape& shape : options.shapes) {
      const measure::PlannedCase& planned = plan.cases[number++];
      say(fmt::format(
          "[{}/{}] {} {}, {} t", number, plan.cases.size(), numerics::to_string(type), planned.id, threads));
      cells.push_back(contest.measure(shape, type, planned));
      exit_code = has_wrong_result(cells.back()) ? kWrong : exit_code;
    }
    fmt::print("{}\n", text_table(cells));
    std::fflush(stdout);
    written = write_csv(target, cells) && written;
    target.append = true;
  }
  return written || exit_code != kOk ? exit_code : kUnwritable;
}

int run(const std::vector<std::string>& arguments) {
  std::string fault;
  const auto options = parse_options(arguments, fault);
  if (!options) {
    say(fault + "; see ./dev bench gemm --help");
    return kUsageError;
  }
  if (options->help) {
    fmt::print("{}", kUsage);
    return kOk;
  }
  const auto catalogue = core::Catalogue::parse(embedded::messages_en);
  const Words words = [&catalogue](const core::Message& message) {
    return catalogue ? catalogue->render(message) : message.id;
  };
  const core::Machine machine = core::probe_machine();
  std::vector<int> threads = options->threads;
  if (threads.empty()) {
    threads = machine.usable_threads > 1 ? std::vector{1, machine.usable_threads} : std::vector{1};
  }
  if (threads.size() == 1) {
    return measure_all(*options, machine, threads.front(), words);
  }
  int worst = kOk;
  const double share_s = options->budget_s / static_cast<double>(threads.size());
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const int code = run_again(arguments_for(*options, threads[i], share_s, options->append || i > 0));
    worst = code == kWrong || worst == kOk ? code : worst;
  }
  return worst;
}

}  // namespace
}  // namespace jissoku::bench

int main(int argc, char** argv) {
  try {
    return jissoku::bench::run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench gemm: %s\n", failure.what());
    return jissoku::bench::kUnavailable;
  }
}
