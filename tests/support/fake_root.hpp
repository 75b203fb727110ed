// A folder that stands for "/", with the files of /proc and /sys that a test needs.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "support/temporary_folder.hpp"

namespace jissoku::tests {

class FakeRoot {
 public:
  /// `name` is absolute within the root; folders are made as needed.
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path() + name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  const std::string& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace jissoku::tests
