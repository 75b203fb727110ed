// A library opened at run time, by path or by the name the loader knows.
#pragma once

#include <string>
#include <utility>

#include "jissoku/core/result.hpp"

namespace jissoku::backends::cuda {

class SharedObject {
 public:
  /// RTLD_LOCAL, and never closed: drivers keep threads that run its code. Fails (unavailable) with the
  /// loader's words as the argument "why" of cuda.driver_unloadable.
  static core::Result<SharedObject> open(const std::string& name);

  /// Sets `function`; false if the library has no symbol of that name.
  template <typename Function>
  bool find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(symbol(name));
    return function != nullptr;
  }
  /// Path with all links resolved.
  const std::string& file() const { return file_; }

 private:
  SharedObject(void* handle, std::string file) : handle_(handle), file_(std::move(file)) {}
  void* symbol(const char* name) const;

  void* handle_;
  std::string file_;
};

}  // namespace jissoku::backends::cuda
