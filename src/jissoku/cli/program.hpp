// The program behind main(): from arguments to exit code.
#pragma once

#include <span>
#include <string>

#include "jissoku/core/result.hpp"

namespace jissoku::cli {

/// `arguments`: without the program's name. Standard streams must be prepared (streams.hpp).
core::ExitCode run_program(std::span<const std::string> arguments);

}  // namespace jissoku::cli
