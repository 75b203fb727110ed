#include "jissoku/cli/signals.hpp"

#include <csignal>
#include <memory>
#include <unistd.h>
#include <utility>

#include "jissoku/core/result.hpp"

namespace jissoku::cli {
namespace {

struct Target {
  core::StopFlag flag;
  std::string notice;
};

// A signal handler has no argument: what it acts on must be reachable from here.
std::unique_ptr<Target> target;

extern "C" void handle_interrupt(int) {
  if (target->flag.requested()) {
    ::_exit(static_cast<int>(core::ExitCode::interrupted));
  }
  target->flag.request();
  const auto written = ::write(STDERR_FILENO, target->notice.data(), target->notice.size());
  static_cast<void>(written);
}

void set_handlers(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard(std::string notice) {
  target = std::make_unique<Target>();
  target->notice = std::move(notice);
  set_handlers(handle_interrupt);
}

InterruptGuard::~InterruptGuard() {
  set_handlers(SIG_DFL);
  target.reset();
}

const core::StopFlag& InterruptGuard::flag() const {
  return target->flag;
}

}  // namespace jissoku::cli
