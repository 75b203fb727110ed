// OpenCL devices fail by the table of functions they are given. The plugin's code is linked in here for that.
#include <chrono>
#include <thread>

#include "faults.hpp"
#include "jissoku/backends/opencl/discovery.hpp"
#include "jissoku/backends/opencl/opencl_device.hpp"
#include "support/failing_opencl.hpp"

namespace jissoku::tests {
namespace {

using namespace backends::opencl;

/// Contexts that were made, kept once more: whatever belongs to one keeps it, too.
std::vector<cl_context>& contexts() {
  static std::vector<cl_context> made;
  return made;
}

cl_uint references(cl_context context) {
  cl_uint count = 0;
  clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, nullptr);
  return count;
}

class OpenClInjector final : public FaultInjector {
 public:
  /// Told that it is no CPU, a device has memory of the driver's and one candidate for products. As a CPU it
  /// tries several out, which takes long and is left to the unit tests.
  OpenClInjector(const FoundDevice& found, bool as_cpu) : found_(found), api_(failing_opencl()) {
    found_.facts.is_cpu = as_cpu;
    static decltype(api_.create_context) create;  // the table's entries are plain functions
    create = api_.create_context;
    api_.create_context = [](const cl_context_properties* properties,
                             cl_uint count,
                             const cl_device_id* devices,
                             void(CL_CALLBACK * notify)(const char*, const void*, std::size_t, void*),
                             void* data,
                             cl_int* code) {
      cl_context context = create(properties, count, devices, notify, data, code);
      if (context != nullptr && clRetainContext(context) == CL_SUCCESS) {
        contexts().push_back(context);
      }
      return context;
    };
  }

  std::string name() const override { return found_.facts.is_cpu ? "as_cpu" : "as_accelerator"; }
  bool multiplies() const override { return !found_.facts.is_cpu; }
  /// Of the CPU only what is different from others: where memory comes from.
  std::vector<Fault> faults() const override {
    Fault memory = fault("out_of_memory", CL_MEM_OBJECT_ALLOCATION_FAILURE, "opencl.no_memory");
    memory.sites = {Site::allocator, Site::driver};
    memory.restarts = false;
    memory.fewest_calls = 60;
    if (found_.facts.is_cpu) {
      return {memory};
    }
    Fault setup = fault("out_of_memory_at_setup", CL_OUT_OF_HOST_MEMORY, "opencl.no_memory");
    setup.sites = {Site::setup, Site::compiler};
    setup.fewest_calls = 8;
    Fault build = fault("build_failure", CL_BUILD_PROGRAM_FAILURE, "opencl.build_failed");
    build.sites = {Site::compiler};
    build.fewest_calls = 2;
    Fault lost = fault("lost_device", CL_DEVICE_NOT_AVAILABLE, "opencl.lost");
    lost.sites = {Site::driver, Site::setup, Site::compiler};
    lost.loses_device = true;
    lost.restarts = false;
    lost.fewest_calls = 60;
    Fault lost_early = lost;
    lost_early.name = "lost_device_at_setup";
    lost_early.sites = {Site::setup, Site::compiler};
    lost_early.restarts = true;
    lost_early.fewest_calls = 8;
    return {memory, setup, build, lost, lost_early};
  }

  /// As the plugin does, which keeps one context for the life of the process.
  core::Result<std::unique_ptr<device::Device>> open() override {
    if (runtime_ == nullptr) {
      auto created = Runtime::create(found_, api_);
      if (!created) {
        return created.error();
      }
      runtime_ = std::move(*created);
    }
    return OpenClDevice::open(describe(found_.facts, 0), runtime_, "no_such_library.so");
  }
  void arm(const Fault& fault, long at) override {
    failing_code = fault.code;
    FaultInjector::arm(fault, at);
  }
  long restart() override {
    runtime_.reset();
    long kept = 0;
    for (cl_context context : contexts()) {
      // Threads of the driver let go of a command a little after they said that it is done.
      for (int look = 0; look < 1000 && references(context) > 1; ++look) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      kept += static_cast<long>(references(context)) - 1;
      clReleaseContext(context);
    }
    contexts().clear();
    return kept + live_mappings();
  }

 private:
  static Fault fault(std::string name, cl_int code, std::string message) {
    Fault fault;
    fault.name = std::move(name);
    fault.code = code;
    fault.message = std::move(message);
    return fault;
  }

  FoundDevice found_;
  Api api_;
  std::shared_ptr<Runtime> runtime_;
};

const bool kOffered = offer_injectors([](const std::string& device) {
  FaultInjectors injectors;
  if (device.rfind("opencl:", 0) != 0) {
    return injectors;  // and no driver is loaded
  }
  for (const FoundDevice& found : discover().devices) {
    if (found.id == device && found.unusable.empty()) {
      injectors.push_back(std::make_unique<OpenClInjector>(found, false));
      if (found.facts.is_cpu) {
        injectors.push_back(std::make_unique<OpenClInjector>(found, true));
      }
    }
  }
  return injectors;
});

}  // namespace
}  // namespace jissoku::tests
