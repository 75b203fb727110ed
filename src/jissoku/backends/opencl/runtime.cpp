#include "jissoku/backends/opencl/runtime.hpp"

#include <sstream>
#include <utility>

#include "jissoku/backends/opencl/errors.hpp"

namespace jissoku::backends::opencl {
namespace {

/// What the compiler said of the program; "" if the driver does not tell.
std::string build_log(cl_program program, cl_device_id device) {
  std::size_t size = 0;
  if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS) {
    return {};
  }
  std::string log(size, '\0');
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  return log.substr(0, log.find('\0'));
}

}  // namespace

std::string first_lines(const std::string& log, int most) {
  std::istringstream stream(log);
  std::string joined;
  int lines = 0;
  for (std::string line; lines < most && std::getline(stream, line);) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) {
      joined += (joined.empty() ? "" : " | ") + line;
      ++lines;
    }
  }
  return joined;
}

core::Result<std::shared_ptr<Runtime>> Runtime::create(const FoundDevice& found, const Api& api) {
  std::shared_ptr<Runtime> runtime(new Runtime(found, api));
  const cl_context_properties properties[] = {
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(found.platform), 0};
  cl_int code = CL_SUCCESS;
  runtime->context_ =
      Handle<cl_context>(api.create_context(properties, 1, &found.device, nullptr, nullptr, &code));
  if (auto created = runtime->check("clCreateContext", code); !created) {
    return created.error();
  }
  return runtime;
}

core::Status Runtime::check(const char* call, cl_int code) const {
  if (code == CL_SUCCESS) {
    return {};
  }
  return call_error(id(), call, code);
}

core::Result<Handle<cl_command_queue>> Runtime::create_queue() const {
  cl_int code = CL_SUCCESS;
  Handle<cl_command_queue> queue(api_.create_queue(context(), device(), CL_QUEUE_PROFILING_ENABLE, &code));
  if (auto created = check("clCreateCommandQueue", code); !created) {
    return created.error();
  }
  return queue;
}

core::Result<Runtime::Program*> Runtime::program(std::string_view source, const std::string& options) {
  const std::pair<const char*, std::string> key(source.data(), options);
  if (const auto known = programs_.find(key); known != programs_.end()) {
    return &known->second;
  }
  const char* text = source.data();
  const std::size_t length = source.size();
  cl_int code = CL_SUCCESS;
  Handle<cl_program> program(api_.create_program(context(), 1, &text, &length, &code));
  if (auto created = check("clCreateProgramWithSource", code); !created) {
    return created.error();
  }
  code = api_.build_program(program.get(), 1, &found_.device, options.c_str(), nullptr, nullptr);
  if (code == CL_BUILD_PROGRAM_FAILURE) {
    return core::make_error(core::ExitCode::unavailable,
                            "opencl.build_failed",
                            {{"device", id()}, {"log", first_lines(build_log(program.get(), device()), 3)}});
  }
  if (auto built = check("clBuildProgram", code); !built) {
    return built.error();
  }
  Program& kept = programs_[key];
  kept.program = std::move(program);
  return &kept;
}

core::Result<cl_kernel> Runtime::kernel(std::string_view source,
                                        const std::string& options,
                                        const std::string& name) {
  auto built = program(source, options);
  if (!built) {
    return built.error();
  }
  Handle<cl_kernel>& kept = (*built)->kernels[name];
  if (!kept) {
    cl_int code = CL_SUCCESS;
    kept = Handle<cl_kernel>(api_.create_kernel((*built)->program.get(), name.c_str(), &code));
    if (auto created = check("clCreateKernel", code); !created) {
      return created.error();
    }
  }
  return kept.get();
}

core::Result<std::shared_ptr<Runtime>> shared_runtime(const FoundDevice& found) {
  // Never destroyed: drivers tear themselves down at exit, in an order of their own.
  static auto* const kRuntimes = new std::map<std::string, std::shared_ptr<Runtime>>;
  std::shared_ptr<Runtime>& known = (*kRuntimes)[found.id];
  if (known == nullptr) {
    auto created = Runtime::create(found, Api{});
    if (!created) {
      return created.error();
    }
    known = std::move(*created);
  }
  return known;
}

}  // namespace jissoku::backends::opencl
