#include "jissoku/backends/cuda/rules/reasons.hpp"

#include "jissoku/backends/cuda/rules/errors.hpp"
#include "jissoku/backends/cuda/rules/versions.hpp"

namespace jissoku::backends::cuda {
namespace {

using core::Message;
using core::message;

Message no_library(const Facts& facts) {
  const bool absent = facts.driver_library_error.find("No such file") != std::string::npos ||
                      facts.driver_library_error.empty();
  if (!absent) {
    return message("cuda.driver_unloadable", {{"why", facts.driver_library_error}});
  }
  if (!facts.kernel_driver.empty()) {
    return message("cuda.driver_outside", {{"version", facts.kernel_driver}});
  }
  if (facts.pci_gpus > 0) {
    return message("cuda.gpu_without_driver", {{"gpus", std::int64_t{facts.pci_gpus}}});
  }
  return message("cuda.no_driver_library");
}

Message too_old(const Facts& facts) {
  if (facts.driver_version == 0) {
    return message("cuda.driver_silent", {{"file", facts.driver_library}});
  }
  return message("cuda.driver_too_old",
                 {{"driver", format_cuda_version(facts.driver_version)},
                  {"runtime", format_cuda_version(facts.runtime_version)},
                  {"minimum", std::int64_t{minimum_driver(facts.runtime_version)}},
                  {"installed", facts.kernel_driver.empty() ? std::string("?") : facts.kernel_driver}});
}

Message nothing_found(const Facts& facts) {
  if (facts.visible_devices) {
    return message("cuda.hidden", {{"value", *facts.visible_devices}});
  }
  if (facts.mig_gpus > 0) {
    return message("cuda.mig_empty", {{"gpus", std::int64_t{facts.mig_gpus}}});
  }
  if (facts.device_nodes == 0 && !facts.kernel_driver.empty()) {
    return message("cuda.no_device_nodes", {{"version", facts.kernel_driver}});
  }
  return message("cuda.no_device");
}

Message forbidden(const Facts& facts) {
  std::string nodes;
  for (const std::string& node : facts.forbidden_nodes) {
    nodes += (nodes.empty() ? "" : ", ") + node;
  }
  return message("cuda.no_permission", {{"nodes", nodes}});
}

/// Of the driver's answer to "how many devices?", which was an error or none.
Message answer(const Facts& facts) {
  if (facts.count_error == error_code::kStubLibrary || is_stub_file(facts.driver_library)) {
    return message("cuda.stub_driver", {{"file", facts.driver_library}});
  }
  if (!facts.forbidden_nodes.empty()) {
    return forbidden(facts);
  }
  switch (facts.count_error) {
    case 0:
    case error_code::kNoDevice:
      return nothing_found(facts);
    case error_code::kInsufficientDriver:
      return too_old(facts);
    default:
      return describe_failure({facts.count_error, facts.count_error_text, "cudaGetDeviceCount", {}, {}})
          .message;
  }
}

}  // namespace

bool is_stub_file(const std::string& resolved_file) {
  return resolved_file.find("/stubs/") != std::string::npos;
}

std::vector<Message> reasons_of(const Facts& facts) {
  if (facts.driver_library.empty()) {
    return {no_library(facts)};
  }
  if (facts.count_error == 0 && facts.device_count > 0) {
    return {};
  }
  return {answer(facts)};
}

}  // namespace jissoku::backends::cuda
