// OpenCL's and CLBlast's status codes as names, and as errors that say what to do.
#pragma once

#include <string>

#include "jissoku/core/result.hpp"

namespace jissoku::backends::opencl {

/// "CL_OUT_OF_RESOURCES"; "error -9999" for codes that OpenCL 1.2 and the ICD loader do not have.
std::string error_name(int code);

/// The same for CLBlast, which shares OpenCL's codes and has its own below -1000.
std::string clblast_error_name(int code);

/// What failed on which device, by class of code: no memory, no resources, device lost, anything else.
/// `call` is the OpenCL function, `code` what it returned. Exit code `unavailable`.
core::Error call_error(const std::string& device, const std::string& call, int code);

}  // namespace jissoku::backends::opencl
