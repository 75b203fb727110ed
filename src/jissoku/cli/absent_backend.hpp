// Backends that people ask for by name and this version lacks: they list no device and say why.
#pragma once

#include <string>
#include <vector>

#include "jissoku/device/backend.hpp"

namespace jissoku::cli {

/// The reason tells apart whether the driver's library is missing or only our support for it.
device::Backend absent_backend(const std::string& name,
                               const std::string& library,
                               const std::vector<std::string>& folders);

/// Where the loader looks for libraries: LD_LIBRARY_PATH, then the usual folders.
std::vector<std::string> library_folders();

}  // namespace jissoku::cli
