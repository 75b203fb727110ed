// A shared library opened at run time, and its functions by name: the one way in which the product meets
// libraries that it is not linked with.
#pragma once

#include <string>
#include <utility>

#include "jissoku/core/result.hpp"

namespace jissoku::core {

class SharedLibrary {
 public:
  /// By full path, or by the name that the loader knows; by path wherever a distribution decides what a
  /// name means. RTLD_LOCAL: libraries that define the same names do not see each other. Never closed again:
  /// their threads would lose the code they run. Fails (unavailable) with the loader's words as the argument
  /// "why" of core.library_not_loaded.
  static Result<SharedLibrary> open(const std::string& name);

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

/// The loader's words of such an error; "" where there are none.
std::string loaders_words(const Error& error);

}  // namespace jissoku::core
