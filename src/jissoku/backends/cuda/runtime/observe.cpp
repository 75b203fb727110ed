#include "jissoku/backends/cuda/runtime/observe.hpp"

#include <cctype>
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <unistd.h>

#include "jissoku/backends/cuda/rules/versions.hpp"
#include "jissoku/backends/cuda/runtime/nvml.hpp"
#include "jissoku/core/shared_library.hpp"

namespace jissoku::backends::cuda {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// Calls visit(path) for what the folder holds; for nothing if it is not there.
template <typename Visit>
void for_each_entry(const char* folder, Visit visit) {
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    visit(entry->path());
  }
}

/// Display controllers (PCI class 03) of NVIDIA (vendor 10de).
int count_pci_gpus() {
  int count = 0;
  for_each_entry("/sys/bus/pci/devices", [&](const fs::path& device) {
    const bool is_gpu =
        text_of(device / "vendor").starts_with("0x10de") && text_of(device / "class").starts_with("0x03");
    count += is_gpu ? 1 : 0;
  });
  return count;
}

bool is_numbered_node(const std::string& name) {
  return name.starts_with("nvidia") && name.size() > 6 &&
         std::isdigit(static_cast<unsigned char>(name[6])) != 0;
}

void look_at_nodes(Facts& facts) {
  for_each_entry("/dev", [&](const fs::path& path) {
    const std::string name = path.filename().string();
    const bool is_device = is_numbered_node(name) || name == "dxg";  // WSL has the latter alone
    const bool matters = is_device || name == "nvidiactl" || name == "nvidia-uvm";
    facts.device_nodes += is_device ? 1 : 0;
    if (matters && access(path.c_str(), R_OK | W_OK) != 0) {
      facts.forbidden_nodes.push_back(path.string());
    }
  });
}

void open_driver(Facts& facts) {
  const auto library = core::SharedLibrary::open("libcuda.so.1");
  if (library) {
    facts.driver_library = library->file();
  } else {
    facts.driver_library_error = core::loaders_words(library.error());
  }
}

void ask_driver(Facts& facts) {
  cudaRuntimeGetVersion(&facts.runtime_version);
  if (cudaDriverGetVersion(&facts.driver_version) != cudaSuccess) {
    facts.driver_version = 0;
  }
  const cudaError_t counted = cudaGetDeviceCount(&facts.device_count);
  facts.count_error = counted;
  facts.count_error_text = cudaGetErrorString(counted);
  cudaGetLastError();
  if (counted != cudaSuccess) {
    facts.device_count = 0;
  }
}

}  // namespace

Facts observe() {
  Facts facts;
  facts.kernel_driver = parse_driver_version(text_of("/proc/driver/nvidia/version"));
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
    facts.visible_devices = visible;
  }
  open_driver(facts);
  if (facts.driver_library.empty()) {
    facts.pci_gpus = count_pci_gpus();
    return facts;
  }
  ask_driver(facts);
  if (facts.device_count == 0) {
    look_at_nodes(facts);
    if (const auto nvml = facts.kernel_driver.empty() ? nullptr : Nvml::open()) {
      facts.mig_gpus = nvml->partitioned_gpus();
    }
  }
  return facts;
}

}  // namespace jissoku::backends::cuda
