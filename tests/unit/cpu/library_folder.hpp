// A folder of its own for a test, with libraries that pretend to be OpenBLAS.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace jissoku::tests {

class LibraryFolder {
 public:
  LibraryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "jissoku_libraries_XXXXXX").string();
    path_ = mkdtemp(pattern.data()) != nullptr ? pattern : "";
  }
  ~LibraryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  LibraryFolder(const LibraryFolder&) = delete;
  LibraryFolder& operator=(const LibraryFolder&) = delete;

  const std::string& path() const { return path_; }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name) << text;
  }

  /// Compiles `source` (a path) to the library `name`; false if this machine has no C compiler.
  bool compile(const std::string& source, const std::string& name, const std::string& options) const {
    const std::string command =
        "cc -O1 -shared -fPIC " + options + " -o '" + path_ + "/" + name + "' '" + source + "' 2>/dev/null";
    return std::system(command.c_str()) == 0;
  }

  bool pretend_openblas(const std::string& options) const {
    return compile(
        std::string(JISSOKU_SOURCE_DIR) + "/tests/unit/cpu/pretend_openblas.c", "libopenblas.so.0", options);
  }

 private:
  std::string path_;
};

}  // namespace jissoku::tests
