#include "jissoku/backends/opencl/discovery.hpp"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <unistd.h>

#include "jissoku/backends/opencl/errors.hpp"

namespace jissoku::backends::opencl {
namespace {

std::string platform_text(cl_platform_id platform, cl_platform_info what) {
  std::size_t size = 0;
  if (clGetPlatformInfo(platform, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) {
    return {};
  }
  std::string text(size, '\0');
  clGetPlatformInfo(platform, what, size, text.data(), nullptr);
  text.resize(text.find('\0') == std::string::npos ? size : text.find('\0'));
  return text;
}

std::string device_text(cl_device_id device, cl_device_info what) {
  std::size_t size = 0;
  if (clGetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) {
    return {};
  }
  std::string text(size, '\0');
  clGetDeviceInfo(device, what, size, text.data(), nullptr);
  text.resize(text.find('\0') == std::string::npos ? size : text.find('\0'));
  return text;
}

/// 0 where the device does not know the question.
template <typename T>
T device_number(cl_device_id device, cl_device_info what) {
  T value{};
  return clGetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : T{};
}

Facts facts_of(cl_platform_id platform, cl_device_id device) {
  Facts facts;
  facts.platform_name = platform_text(platform, CL_PLATFORM_NAME);
  facts.platform_version = platform_text(platform, CL_PLATFORM_VERSION);
  facts.name = device_text(device, CL_DEVICE_NAME);
  facts.vendor = device_text(device, CL_DEVICE_VENDOR);
  facts.driver_version = device_text(device, CL_DRIVER_VERSION);
  facts.device_version = device_text(device, CL_DEVICE_VERSION);
  facts.extensions = device_text(device, CL_DEVICE_EXTENSIONS);
  facts.is_cpu = (device_number<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
  facts.available = device_number<cl_bool>(device, CL_DEVICE_AVAILABLE) != CL_FALSE;
  facts.compiler = device_number<cl_bool>(device, CL_DEVICE_COMPILER_AVAILABLE) != CL_FALSE;
  facts.compute_units = static_cast<int>(device_number<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS));
  facts.max_work_group = static_cast<int>(
      std::min<std::size_t>(device_number<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE), 1 << 20));
  facts.memory_bytes = static_cast<std::int64_t>(device_number<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE));
  facts.max_allocation_bytes =
      static_cast<std::int64_t>(device_number<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  facts.float_width =
      std::max(1, static_cast<int>(device_number<cl_uint>(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT)));
  facts.double_width = static_cast<int>(device_number<cl_uint>(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE));
  facts.fused = (device_number<cl_device_fp_config>(device, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_FMA) != 0;
  return facts;
}

/// PoCL's threads wander, and now and then two of them share a CPU for a long while. It reads its settings
/// when its devices are first asked for. Only where the process may use all CPUs: PoCL numbers them from 0.
void pin_pocl_threads() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 &&
      CPU_COUNT(&allowed) == sysconf(_SC_NPROCESSORS_CONF)) {
    setenv("POCL_AFFINITY", "1", 0);
  }
}

void add_devices(cl_platform_id platform, Discovery& found) {
  cl_uint count = 0;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS || count == 0) {
    found.reasons.push_back(
        core::message("opencl.platform_empty", {{"platform", platform_text(platform, CL_PLATFORM_NAME)}}));
    return;
  }
  std::vector<cl_device_id> devices(count);
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr) != CL_SUCCESS) {
    return;
  }
  for (cl_device_id device : devices) {
    const int index = static_cast<int>(found.devices.size());
    FoundDevice one;
    one.platform = platform;
    one.device = device;
    one.facts = facts_of(platform, device);
    one.id = "opencl:" + std::to_string(index);
    one.unusable = unusable(one.facts, index);
    found.devices.push_back(std::move(one));
  }
}

Discovery ask() {
  Discovery found;
  pin_pocl_threads();
  cl_uint count = 0;
  const cl_int status = clGetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> platforms(status == CL_SUCCESS ? count : 0);
  if (!platforms.empty() && clGetPlatformIDs(count, platforms.data(), nullptr) == CL_SUCCESS) {
    for (cl_platform_id platform : platforms) {
      add_devices(platform, found);
    }
  }
  for (core::Message& broken : broken_drivers(vendors_folder())) {
    found.reasons.push_back(std::move(broken));
  }
  if (platforms.empty()) {
    found.reasons.push_back(
        core::message("opencl.no_platform", {{"folder", vendors_folder()}, {"error", error_name(status)}}));
  }
  return found;
}

}  // namespace

std::string vendors_folder() {
  const char* const variable = std::getenv("OCL_ICD_VENDORS");
  return variable != nullptr && *variable != '\0' ? variable : "/etc/OpenCL/vendors";
}

std::vector<core::Message> broken_drivers(const std::string& folder_or_file) {
  std::vector<std::filesystem::path> files;
  std::error_code failed;
  if (std::filesystem::is_directory(folder_or_file, failed)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_or_file, failed)) {
      files.push_back(entry.path());
    }
  } else {
    files.emplace_back(folder_or_file);
  }
  std::sort(files.begin(), files.end());
  std::vector<core::Message> reasons;
  for (const std::filesystem::path& file : files) {
    std::ifstream stream(file);
    std::string library;
    if (file.extension() != ".icd" || !stream) {
      continue;
    }
    std::getline(stream, library);
    library.erase(library.find_last_not_of(" \t\r") + 1);
    void* const handle = library.empty() ? nullptr : dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (handle != nullptr) {
      dlclose(handle);
      continue;
    }
    const char* const said = library.empty() ? "it names no library" : dlerror();
    reasons.push_back(core::message(
        "opencl.broken_driver",
        {{"file", file.string()}, {"why", std::string(said != nullptr ? said : "unknown reason")}}));
  }
  return reasons;
}

const Discovery& discover() {
  static const Discovery* const kFound = new Discovery(ask());  // outlives whatever the driver does at exit
  return *kFound;
}

}  // namespace jissoku::backends::opencl
