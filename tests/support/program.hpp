// Runs the built program as a user would: arguments, environment, and where its streams go.
#pragma once

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <poll.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace jissoku::tests {

/// False in a container without /dev/pts: tests that need a terminal skip there.
inline bool has_pseudo_terminals() {
  const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master >= 0) {
    close(master);
  }
  return master >= 0;
}

enum class StandardOutput { captured, closed, full_disk, reader_gone };

struct Invocation {
  std::string program;  ///< its path; the tests have it as JISSOKU_BINARY
  std::vector<std::string> arguments = {};
  /// All of it, but for what the sanitizers of the build are told.
  std::vector<std::string> environment = {"PATH=/usr/bin:/bin"};
  StandardOutput standard_output = StandardOutput::captured;
  bool terminal_on_stderr = false;
  std::string working_folder = "/";
  /// Called with what stderr held so far and the process id, after every piece that arrives.
  std::function<void(const std::string& standard_error, pid_t process)> on_stderr = {};
};

struct Outcome {
  int exit_code = -1;  ///< -1: ended by a signal
  std::string standard_output, standard_error;
};

namespace detail {

struct Pipe {
  int read_end = -1, write_end = -1;
};

inline Pipe make_pipe() {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  return {ends[0], ends[1]};
}

inline Pipe make_terminal() {
  const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  EXPECT_EQ(grantpt(master), 0);
  EXPECT_EQ(unlockpt(master), 0);
  std::array<char, 128> name{};
  EXPECT_EQ(ptsname_r(master, name.data(), name.size()), 0);
  return {master, open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC)};
}

[[noreturn]] inline void become(const Invocation& invocation, const Pipe& out, const Pipe& err) {
  switch (invocation.standard_output) {
    case StandardOutput::closed:
      close(STDOUT_FILENO);
      break;
    case StandardOutput::full_disk:
      dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO);
      break;
    default:
      dup2(out.write_end, STDOUT_FILENO);
  }
  dup2(err.write_end, STDERR_FILENO);
  std::vector<std::string> arguments = invocation.arguments;
  arguments.insert(arguments.begin(), invocation.program);
  std::vector<std::string> environment = invocation.environment;
  for (const char* name : {"ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"}) {
    if (const char* value = std::getenv(name); value != nullptr) {
      environment.push_back(std::string(name) + "=" + value);
    }
  }
  std::vector<char*> argv, envp;
  for (std::string& argument : arguments) {
    argv.push_back(argument.data());
  }
  for (std::string& variable : environment) {
    envp.push_back(variable.data());
  }
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  if (chdir(invocation.working_folder.c_str()) == 0) {
    execve(invocation.program.c_str(), argv.data(), envp.data());
  }
  _exit(126);
}

/// Appends what is there; false at the end.
inline bool drain(int descriptor, std::string& into) {
  std::array<char, 65536> buffer{};
  const ssize_t count = read(descriptor, buffer.data(), buffer.size());
  if (count > 0) {
    into.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return count > 0;  // a terminal whose other side is closed gives an error, a pipe 0
}

}  // namespace detail

inline Outcome run_program(const Invocation& invocation) {
  detail::Pipe out = detail::make_pipe();
  const detail::Pipe err = invocation.terminal_on_stderr ? detail::make_terminal() : detail::make_pipe();
  if (invocation.standard_output == StandardOutput::reader_gone) {
    close(out.read_end);
    out.read_end = -1;
  }
  const pid_t process = fork();
  if (process == 0) {
    detail::become(invocation, out, err);
  }
  close(out.write_end);
  close(err.write_end);
  Outcome outcome;
  std::array<pollfd, 2> waited{{{out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}}};
  while (waited[0].fd >= 0 || waited[1].fd >= 0) {
    poll(waited.data(), waited.size(), -1);
    if (waited[0].fd >= 0 && waited[0].revents != 0 &&
        !detail::drain(waited[0].fd, outcome.standard_output)) {
      waited[0].fd = -1;
    }
    if (waited[1].fd >= 0 && waited[1].revents != 0) {
      if (!detail::drain(waited[1].fd, outcome.standard_error)) {
        waited[1].fd = -1;
      } else if (invocation.on_stderr) {
        invocation.on_stderr(outcome.standard_error, process);
      }
    }
  }
  int status = 0;
  waitpid(process, &status, 0);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (out.read_end >= 0) {
    close(out.read_end);
  }
  close(err.read_end);
  return outcome;
}

inline Outcome run_program(const std::string& program, const std::vector<std::string>& arguments) {
  Invocation invocation;
  invocation.program = program;
  invocation.arguments = arguments;
  return run_program(invocation);
}

}  // namespace jissoku::tests
