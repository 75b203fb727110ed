// Finding and opening shared libraries by full path, and their symbols by name. By path, since a
// distribution decides what a bare name means, and changes it when a package is installed.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "jissoku/core/result.hpp"

namespace jissoku::backends::cpu {

class SharedLibrary {
 public:
  /// RTLD_LOCAL: engines that define the same names do not see each other. Fails (unavailable) with the
  /// loader's words. Never closed again: their threads would lose the code they run.
  static core::Result<SharedLibrary> open(const std::string& file);

  /// Sets `function`; false if the library has no symbol of that name.
  template <typename Function>
  bool find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(symbol(name));
    return function != nullptr;
  }
  /// Path with all links resolved.
  const std::string& file() const { return file_; }

 private:
  SharedLibrary(void* handle, std::string file) : handle_(handle), file_(std::move(file)) {}
  void* symbol(const char* name) const;

  void* handle_;
  std::string file_;
};

/// Folders in which libraries may lie, in the order they are searched: those of the environment
/// variable JISSOKU_LIBRARY_PATH (separated by colons), then the system's. A value that starts with
/// "only:" leaves the system's out. `variable` is its value or nullptr.
std::vector<std::string> library_folders(const char* variable);

/// The first of `names` (relative paths) in the first folder that has one; "" if none has.
std::string find_library(const std::vector<std::string>& folders, const std::vector<std::string>& names);

}  // namespace jissoku::backends::cpu
