// Ctrl-C: the first one asks for an end after the current sample, the second ends at once.
#pragma once

#include <string>

#include "jissoku/core/stop_flag.hpp"

namespace jissoku::cli {

/// While it lives, SIGINT and SIGTERM set the flag and write `notice` to standard error; a second
/// signal leaves the program with exit code 130. At most one at a time.
class InterruptGuard {
 public:
  explicit InterruptGuard(std::string notice);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  const core::StopFlag& flag() const;
};

}  // namespace jissoku::cli
