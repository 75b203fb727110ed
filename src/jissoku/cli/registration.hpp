// The one place where the program's parts are named: backends and commands. To add one, add a line
// in registration.cpp.
#pragma once

#include <span>

#include "jissoku/cli/command.hpp"
#include "jissoku/device/backend.hpp"

namespace jissoku::cli {

/// All backends of this build, and by name those it was built without, with the reason.
device::Registry make_registry();

/// In the order in which help lists them.
std::span<const Command> commands();

}  // namespace jissoku::cli
