// A folder of its own for a test, with libraries that pretend to be OpenBLAS.
#pragma once

#include <cstdlib>
#include <string>

#include "support/temporary_folder.hpp"

namespace jissoku::tests {

class LibraryFolder {
 public:
  const std::string& path() const { return folder_.path(); }

  void write(const std::string& name, const std::string& text) const { folder_.put(name, text); }

  /// Compiles `source` (a path) to the library `name`; false if this machine has no C compiler.
  bool compile(const std::string& source, const std::string& name, const std::string& options) const {
    const std::string command =
        "cc -O1 -shared -fPIC " + options + " -o '" + folder_.file(name) + "' '" + source + "' 2>/dev/null";
    return std::system(command.c_str()) == 0;
  }

  bool pretend_openblas(const std::string& options) const {
    return compile(
        std::string(JISSOKU_SOURCE_DIR) + "/tests/unit/cpu/pretend_openblas.c", "libopenblas.so.0", options);
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace jissoku::tests
