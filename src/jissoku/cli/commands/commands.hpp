// The commands' functions; registration.cpp gives them their names and flags.
#pragma once

#include "jissoku/cli/invocation.hpp"

namespace jissoku::cli {

core::Result<core::ExitCode> run_devices(Invocation& invocation);
core::Result<core::ExitCode> run_everything(Invocation& invocation);
core::Result<core::ExitCode> run_matmul(Invocation& invocation);
core::Result<core::ExitCode> run_profile(Invocation& invocation);
core::Result<core::ExitCode> run_diagnose(Invocation& invocation);
core::Result<core::ExitCode> run_report(Invocation& invocation);
core::Result<core::ExitCode> run_help(Invocation& invocation);

}  // namespace jissoku::cli
