// A backend as a shared object of its own, for those that link a vendor's library: the program starts
// without that library, and says what is missing. Program and plugin share this interface as C++, so
// they must come from one build: the loader compares version and interface before it calls anything.
#pragma once

#include <cstdint>

#include "jissoku/device/backend.hpp"

namespace jissoku::device {

/// What a plugin exports as `extern "C" const Plugin* jissoku_plugin()`. The members up to `interface` keep
/// their place in all versions, so that any version can refuse any other.
struct Plugin {
  std::uint64_t magic = kMagic;
  const char* version = JISSOKU_VERSION;             ///< of the program
  const char* interface = JISSOKU_PLUGIN_INTERFACE;  ///< hash of the headers that both sides see
  void (*make_backend)(Backend& backend) = nullptr;  ///< fills it in; called once

  static constexpr std::uint64_t kMagic = 0x6a6973736f6b7531;  // "jissoku1"
};

/// The type of the exported function, and its name.
using PluginEntry = const Plugin* (*)();
inline constexpr char kPluginEntry[] = "jissoku_plugin";

}  // namespace jissoku::device
