// A device's context and the programs built for it, kept for the life of the process, so that nothing is
// compiled twice however often the device is opened.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "jissoku/backends/opencl/api.hpp"
#include "jissoku/backends/opencl/discovery.hpp"
#include "jissoku/core/result.hpp"

namespace jissoku::backends::opencl {

class Runtime {
 public:
  /// A context of its own. Fails (unavailable) with the driver's error.
  static core::Result<std::shared_ptr<Runtime>> create(const FoundDevice& found, const Api& api);

  const Api& api() const { return api_; }
  cl_context context() const { return context_.get(); }
  cl_device_id device() const { return found_.device; }
  const Facts& facts() const { return found_.facts; }
  const std::string& id() const { return found_.id; }

  /// An in-order queue with profiling.
  core::Result<Handle<cl_command_queue>> create_queue() const;

  /// The kernel `name` of `source` built with `options`; built at the first call for the pair, or at each
  /// while that fails. The kernel belongs to the runtime. `source` must outlive it.
  core::Result<cl_kernel> kernel(std::string_view source,
                                 const std::string& options,
                                 const std::string& name);

  /// ok, or the error of the OpenCL function `call`.
  core::Status check(const char* call, cl_int code) const;

 private:
  struct Program {
    Handle<cl_program> program;
    std::map<std::string, Handle<cl_kernel>> kernels;
  };

  Runtime(const FoundDevice& found, const Api& api) : found_(found), api_(api) {}
  core::Result<Program*> program(std::string_view source, const std::string& options);

  FoundDevice found_;
  Api api_;
  Handle<cl_context> context_;
  std::map<std::pair<const char*, std::string>, Program> programs_;
};

/// The process's runtime of a device, made at the first call.
core::Result<std::shared_ptr<Runtime>> shared_runtime(const FoundDevice& found);

/// The first lines of a compiler's log, joined to one line; at most `most` of them that are not blank.
std::string first_lines(const std::string& log, int most);

/// Sets all arguments of a kernel in order; ok, or the first error.
template <typename... Arguments>
core::Status set_arguments(const Runtime& runtime, cl_kernel kernel, const Arguments&... arguments) {
  cl_uint index = 0;
  cl_int code = CL_SUCCESS;
  const auto set = [&](const auto& argument) {
    // NOLINTNEXTLINE(bugprone-sizeof-expression): of memory the handle is passed, which is a pointer
    code = runtime.api().set_argument(kernel, index++, sizeof argument, &argument);
    return code == CL_SUCCESS;
  };
  static_cast<void>((set(arguments) && ...));
  return runtime.check("clSetKernelArg", code);
}

}  // namespace jissoku::backends::opencl
