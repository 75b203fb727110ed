// The OpenMP run-time library that an engine brings along, found through the engine's own handle. We
// link none: its environment is read when it loads, which must be after we set it.
#pragma once

#include <optional>
#include <vector>

#include "jissoku/backends/cpu/library_places.hpp"

namespace jissoku::backends::cpu {

class OpenMp {
 public:
  /// nullopt: the library uses no OpenMP (or one without GNU's entry points).
  static std::optional<OpenMp> find(const core::SharedLibrary& library);

  /// For parallel regions that the calling thread starts from now on.
  void set_threads(int threads) const;
  /// Pins each thread of a team of cpus.size() to its CPU, and reads back where they may run: true if
  /// all obey. Pins the calling thread too, being the first of the team; the caller restores it.
  bool pin_team(const std::vector<int>& cpus) const;

 private:
  OpenMp() = default;

  void (*set_num_threads_)(int) = nullptr;
  void (*set_dynamic_)(int) = nullptr;
  int (*thread_number_)() = nullptr;
  void (*parallel_)(void (*body)(void*), void* data, unsigned threads, unsigned flags) = nullptr;
};

}  // namespace jissoku::backends::cpu
