// Backends that are shared objects of their own (see device/plugin.hpp): opened when devices are first asked
// for, so that the program starts without them and without the driver they need.
#pragma once

#include <string>
#include <vector>

#include "jissoku/device/backend.hpp"

namespace jissoku::cli {

/// A backend that lists what the plugin lists or, where there is none that can be used, no device and why:
/// the driver's library is missing, this build has no such plugin, it does not load, or it is of another
/// version. `driver` is the library that people have to install for it.
device::Backend plugin_backend(const std::string& name,
                               const std::string& driver,
                               const std::vector<std::string>& plugin_folders,
                               const std::vector<std::string>& driver_folders);

/// Where plugins lie: the folders of JISSOKU_PLUGIN_PATH (by colon) if it is set, else beside the program:
/// plugins/ in a build folder (../plugins/ for its tests), ../lib/jissoku/plugins/ where it is installed.
std::vector<std::string> plugin_folders();

/// Where the loader looks for libraries: LD_LIBRARY_PATH, then the usual folders.
std::vector<std::string> library_folders();

}  // namespace jissoku::cli
