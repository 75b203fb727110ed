// Where the engines' libraries may lie. Found by full path, since a distribution decides what a bare name
// means, and changes it when a package is installed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jissoku/core/shared_library.hpp"

namespace jissoku::backends::cpu {

/// Folders in which libraries may lie, in the order they are searched: those of the environment
/// variable JISSOKU_LIBRARY_PATH (separated by colons), then the system's. A value that starts with
/// "only:" leaves the system's out. `variable` is its value or nullptr.
std::vector<std::string> library_folders(const char* variable);

/// The first of `names` (relative paths) in the first folder that has one; "" if none has.
std::string find_library(const std::vector<std::string>& folders, const std::vector<std::string>& names);

}  // namespace jissoku::backends::cpu
