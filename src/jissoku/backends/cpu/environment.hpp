// Environment variables that libraries read while they load. Changed only for that time, so that our
// settings do not look like the user's the next time.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace jissoku::backends::cpu {

/// Sets or (nullopt) removes variables, and puts the old values back at the end. Not while other threads
/// read the environment.
class ScopedEnvironment {
 public:
  using Setting = std::pair<std::string, std::optional<std::string>>;
  explicit ScopedEnvironment(const std::vector<Setting>& settings);
  ~ScopedEnvironment();
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;

 private:
  std::vector<Setting> before_;
};

/// What makes the threads of the libraries, OpenMP's included, follow us: their number and their CPUs
/// (empty: not pinned), against whatever the user's environment says.
std::vector<ScopedEnvironment::Setting> thread_settings(int threads, const std::vector<int>& cpus);

/// Those of the above that the user has set to something else, for a note; comma-separated.
std::string overridden_by(const std::vector<ScopedEnvironment::Setting>& settings);

}  // namespace jissoku::backends::cpu
