// The program's version, from CMake's project(), the only place it is written.
#pragma once

#include <string>

namespace jissoku::cli {

std::string version();

}  // namespace jissoku::cli
