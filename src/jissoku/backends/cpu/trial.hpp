// Trying an engine in a child process before this one loads it: a library that crashes, hangs or
// multiplies wrongly on this CPU becomes a sentence and not the end of the program.
#pragma once

#include <functional>
#include <string>
#include <sys/types.h>

#include "jissoku/backends/cpu/engine.hpp"

namespace jissoku::backends::cpu {

/// What the child found. `reason` is empty if the engine may be used.
struct TrialOutcome {
  core::Message reason;
  std::string kernel;  ///< Variant::kernel of the engine that was tried
};

/// A trial that runs. Starting several before the first is awaited runs them side by side.
class Trial {
 public:
  using Load = std::function<core::Result<std::unique_ptr<Engine>>()>;

  /// Forks a child that calls `load` and checks the engine. The engine should use one thread.
  explicit Trial(const Load& load);
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  /// Waits until `timeout_ms` after the start, then ends the child. Call once.
  TrialOutcome wait(int timeout_ms = 5000);

 private:
  pid_t child_ = -1;
  int pipe_ = -1;
  long long start_ns_ = 0;
};

/// Small products with exact results, on all paths an engine has: matrix and vector shapes, transposes,
/// alpha and beta, NaN in c with beta = 0. The error (check_failed) says which type and shape was wrong.
core::Status check_engine(Engine& engine);

}  // namespace jissoku::backends::cpu
