#include "jissoku/backends/opencl/errors.hpp"

#include <CL/cl.h>
#include <array>
#include <clblast_c.h>

namespace jissoku::backends::opencl {
namespace {

struct Name {
  int code;
  const char* name;
};

#define JISSOKU_NAME(code) \
  { code, #code }
constexpr Name kNames[] = {JISSOKU_NAME(CL_SUCCESS),
                           JISSOKU_NAME(CL_DEVICE_NOT_FOUND),
                           JISSOKU_NAME(CL_DEVICE_NOT_AVAILABLE),
                           JISSOKU_NAME(CL_COMPILER_NOT_AVAILABLE),
                           JISSOKU_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
                           JISSOKU_NAME(CL_OUT_OF_RESOURCES),
                           JISSOKU_NAME(CL_OUT_OF_HOST_MEMORY),
                           JISSOKU_NAME(CL_PROFILING_INFO_NOT_AVAILABLE),
                           JISSOKU_NAME(CL_MEM_COPY_OVERLAP),
                           JISSOKU_NAME(CL_BUILD_PROGRAM_FAILURE),
                           JISSOKU_NAME(CL_MAP_FAILURE),
                           JISSOKU_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET),
                           JISSOKU_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
                           JISSOKU_NAME(CL_COMPILE_PROGRAM_FAILURE),
                           JISSOKU_NAME(CL_LINKER_NOT_AVAILABLE),
                           JISSOKU_NAME(CL_LINK_PROGRAM_FAILURE),
                           JISSOKU_NAME(CL_INVALID_VALUE),
                           JISSOKU_NAME(CL_INVALID_DEVICE_TYPE),
                           JISSOKU_NAME(CL_INVALID_PLATFORM),
                           JISSOKU_NAME(CL_INVALID_DEVICE),
                           JISSOKU_NAME(CL_INVALID_CONTEXT),
                           JISSOKU_NAME(CL_INVALID_QUEUE_PROPERTIES),
                           JISSOKU_NAME(CL_INVALID_COMMAND_QUEUE),
                           JISSOKU_NAME(CL_INVALID_HOST_PTR),
                           JISSOKU_NAME(CL_INVALID_MEM_OBJECT),
                           JISSOKU_NAME(CL_INVALID_BINARY),
                           JISSOKU_NAME(CL_INVALID_BUILD_OPTIONS),
                           JISSOKU_NAME(CL_INVALID_PROGRAM),
                           JISSOKU_NAME(CL_INVALID_PROGRAM_EXECUTABLE),
                           JISSOKU_NAME(CL_INVALID_KERNEL_NAME),
                           JISSOKU_NAME(CL_INVALID_KERNEL_DEFINITION),
                           JISSOKU_NAME(CL_INVALID_KERNEL),
                           JISSOKU_NAME(CL_INVALID_ARG_INDEX),
                           JISSOKU_NAME(CL_INVALID_ARG_VALUE),
                           JISSOKU_NAME(CL_INVALID_ARG_SIZE),
                           JISSOKU_NAME(CL_INVALID_KERNEL_ARGS),
                           JISSOKU_NAME(CL_INVALID_WORK_DIMENSION),
                           JISSOKU_NAME(CL_INVALID_WORK_GROUP_SIZE),
                           JISSOKU_NAME(CL_INVALID_WORK_ITEM_SIZE),
                           JISSOKU_NAME(CL_INVALID_GLOBAL_OFFSET),
                           JISSOKU_NAME(CL_INVALID_EVENT_WAIT_LIST),
                           JISSOKU_NAME(CL_INVALID_EVENT),
                           JISSOKU_NAME(CL_INVALID_OPERATION),
                           JISSOKU_NAME(CL_INVALID_BUFFER_SIZE),
                           JISSOKU_NAME(CL_INVALID_GLOBAL_WORK_SIZE),
                           JISSOKU_NAME(CL_INVALID_PROPERTY),
                           {-1001, "CL_PLATFORM_NOT_FOUND_KHR"}};

constexpr Name kClblastNames[] = {JISSOKU_NAME(CLBlastNotImplemented),
                                  JISSOKU_NAME(CLBlastInvalidMatrixA),
                                  JISSOKU_NAME(CLBlastInvalidMatrixB),
                                  JISSOKU_NAME(CLBlastInvalidMatrixC),
                                  JISSOKU_NAME(CLBlastInvalidDimension),
                                  JISSOKU_NAME(CLBlastInvalidLeadDimA),
                                  JISSOKU_NAME(CLBlastInvalidLeadDimB),
                                  JISSOKU_NAME(CLBlastInvalidLeadDimC),
                                  JISSOKU_NAME(CLBlastInsufficientMemoryA),
                                  JISSOKU_NAME(CLBlastInsufficientMemoryB),
                                  JISSOKU_NAME(CLBlastInsufficientMemoryC),
                                  JISSOKU_NAME(CLBlastInsufficientMemoryTemp),
                                  JISSOKU_NAME(CLBlastInvalidBatchCount),
                                  JISSOKU_NAME(CLBlastInvalidLocalMemUsage),
                                  JISSOKU_NAME(CLBlastNoHalfPrecision),
                                  JISSOKU_NAME(CLBlastNoDoublePrecision),
                                  JISSOKU_NAME(CLBlastDatabaseError),
                                  JISSOKU_NAME(CLBlastUnknownError),
                                  JISSOKU_NAME(CLBlastUnexpectedError)};
#undef JISSOKU_NAME

template <typename Names>
const char* find(const Names& names, int code) {
  for (const Name& name : names) {
    if (name.code == code) {
      return name.name;
    }
  }
  return nullptr;
}

std::string name_or_number(const char* name, int code) {
  return name != nullptr ? name : "error " + std::to_string(code);
}

const char* id_of(int code) {
  switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE:
      return "opencl.no_memory";
    case CL_OUT_OF_RESOURCES:
      return "opencl.no_resources";
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_DEVICE_NOT_FOUND:
      return "opencl.lost";
    default:
      return "opencl.call_failed";
  }
}

}  // namespace

std::string error_name(int code) {
  return name_or_number(find(kNames, code), code);
}

std::string clblast_error_name(int code) {
  const char* const own = find(kClblastNames, code);
  return name_or_number(own != nullptr ? own : find(kNames, code), code);
}

core::Error call_error(const std::string& device, const std::string& call, int code) {
  return core::make_error(core::ExitCode::unavailable,
                          id_of(code),
                          {{"device", device}, {"call", call}, {"error", error_name(code)}});
}

}  // namespace jissoku::backends::opencl
