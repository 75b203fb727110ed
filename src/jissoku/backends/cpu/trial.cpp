#include "jissoku/backends/cpu/trial.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace jissoku::backends::cpu {
namespace {

long long now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Fields end with a zero byte: kernel, message id, then name and text of each argument.
std::string encode(const TrialOutcome& outcome) {
  std::string bytes = outcome.kernel + '\0' + outcome.reason.id + '\0';
  for (const core::Argument& argument : outcome.reason.args) {
    if (const auto* text = std::get_if<std::string>(&argument.value)) {
      bytes += argument.name + '\0' + *text + '\0';
    }
  }
  return bytes;
}

/// False if the child ended before it had written all.
bool decode(const std::string& bytes, TrialOutcome& outcome) {
  std::vector<std::string> fields;
  for (std::size_t start = 0; start < bytes.size();) {
    const std::size_t end = bytes.find('\0', start);
    if (end == std::string::npos) {
      return false;
    }
    fields.push_back(bytes.substr(start, end - start));
    start = end + 1;
  }
  if (fields.size() < 2 || fields.size() % 2 != 0) {
    return false;
  }
  outcome.kernel = fields[0];
  outcome.reason.id = fields[1];
  for (std::size_t i = 2; i < fields.size(); i += 2) {
    outcome.reason.args.push_back({fields[i], fields[i + 1]});
  }
  return true;
}

/// A crash is expected here: no handler of the program (or of a sanitizer) may report it, no core file
/// may be written, and what the library prints is not for the user.
void prepare_to_crash() {
  for (const int signal : {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGTRAP, SIGTERM, SIGINT}) {
    std::signal(signal, SIG_DFL);
  }
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nowhere = open("/dev/null", O_RDWR);
  if (nowhere >= 0) {
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
  }
}

TrialOutcome try_engine(const Trial::Load& load) {
  TrialOutcome outcome;
  auto engine = load();
  if (!engine) {
    outcome.reason = engine.error().message;
    return outcome;
  }
  outcome.kernel = (*engine)->variant().kernel;
  if (const core::Status right = check_engine(**engine); !right) {
    outcome.reason = right.error().message;
  }
  return outcome;
}

[[noreturn]] void run_child(const Trial::Load& load, int out) {
  prepare_to_crash();
  const std::string bytes = encode(try_engine(load));
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t count = write(out, bytes.data() + sent, bytes.size() - sent);
    if (count <= 0) {
      break;
    }
    sent += static_cast<std::size_t>(count);
  }
  _exit(0);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

core::Message crashed(int status) {
  if (WIFSIGNALED(status)) {
    const char* name = sigabbrev_np(WTERMSIG(status));
    std::string signal = "SIG";
    signal += name != nullptr ? name : "?";
    return core::message("cpu.trial_crashed", {{"signal", std::move(signal)}});
  }
  return core::message("cpu.trial_ended", {{"status", std::int64_t{WEXITSTATUS(status)}}});
}

}  // namespace

Trial::Trial(const Load& load) : start_ns_(now_ns()) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return;
  }
  child_ = fork();
  if (child_ == 0) {
    run_child(load, ends[1]);
  }
  close(ends[1]);
  pipe_ = ends[0];
}

Trial::~Trial() {
  if (pipe_ >= 0) {
    close(pipe_);
  }
  if (child_ > 0) {
    kill(child_, SIGKILL);
    wait_for(child_);
  }
}

TrialOutcome Trial::wait(int timeout_ms) {
  TrialOutcome outcome;
  if (child_ <= 0) {
    outcome.reason = core::message("cpu.trial_not_started", {{"why", std::string(std::strerror(errno))}});
    return outcome;
  }
  std::string bytes;
  while (true) {
    const long long left_ms = timeout_ms - (now_ns() - start_ns_) / 1'000'000;
    pollfd readable{pipe_, POLLIN, 0};
    const int ready = poll(&readable, 1, static_cast<int>(std::max(0LL, left_ms)));
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    std::array<char, 4096> part{};
    const ssize_t count = ready > 0 ? read(pipe_, part.data(), part.size()) : -1;
    if (count > 0) {
      bytes.append(part.data(), static_cast<std::size_t>(count));
      continue;
    }
    if (count < 0) {
      outcome.reason = core::message("cpu.trial_hung", {{"seconds", timeout_ms / 1000.0}});
      return outcome;  // the destructor ends the child
    }
    break;
  }
  const int status = wait_for(child_);
  child_ = -1;
  if (!decode(bytes, outcome)) {
    outcome.reason = crashed(status);
  }
  return outcome;
}

}  // namespace jissoku::backends::cpu
