#include "jissoku/backends/cuda/runtime/backend.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>

#include "jissoku/backends/cuda/rules/reasons.hpp"
#include "jissoku/backends/cuda/rules/support.hpp"
#include "jissoku/backends/cuda/rules/telemetry.hpp"
#include "jissoku/backends/cuda/runtime/cuda_device.hpp"
#include "jissoku/backends/cuda/runtime/observe.hpp"
#include "jissoku/backends/cuda/runtime/status.hpp"

namespace jissoku::backends::cuda {
namespace {

using core::ExitCode;
using core::message;

const char kName[] = "cuda";

/// Settings of the environment that change what is measured, and that people forget they made.
void add_notes(const Facts& facts, DeviceFacts& device) {
  if (facts.visible_devices) {
    device.info.notes.push_back(message("cuda.visible", {{"value", *facts.visible_devices}}));
  }
  if (const char* value = std::getenv("NVIDIA_TF32_OVERRIDE")) {
    device.info.notes.push_back(message("cuda.tf32_override", {{"value", std::string(value)}}));
  }
  if (device.info.name.find("MIG") != std::string::npos) {
    device.info.notes.push_back(message("cuda.mig"));
  }
  if (!kernels_cover(JISSOKU_CUDA_ARCHITECTURES, device.capability)) {
    device.info.notes.push_back(message(
        "cuda.no_kernels",
        {{"capability", to_string(device.capability)}, {"built", std::string(JISSOKU_CUDA_ARCHITECTURES)}}));
  }
}

core::Result<DeviceFacts> describe(int ordinal, const Facts& facts) {
  cudaDeviceProp properties{};
  if (const core::Status read =
          check(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties");
      !read) {
    return read.error();
  }
  DeviceFacts device;
  device.ordinal = ordinal;
  device.capability = {properties.major, properties.minor};
  device.multiprocessors = properties.multiProcessorCount;
  std::array<char, 32> address{};
  if (cudaDeviceGetPCIBusId(address.data(), static_cast<int>(address.size()), ordinal) == cudaSuccess) {
    device.pci_address = address.data();
  }
  device::Info& info = device.info;
  info.id = kName + (":" + std::to_string(ordinal));
  info.name = properties.name;
  info.backend = kName;
  unsigned char uuid[16];
  static_assert(sizeof uuid == sizeof properties.uuid.bytes);
  std::memcpy(uuid, properties.uuid.bytes, sizeof uuid);
  info.fingerprint = uuid_text(uuid);
  info.driver = "driver " + (facts.kernel_driver.empty() ? std::string("?") : facts.kernel_driver) +
                ", runtime " + format_cuda_version(facts.runtime_version) + ", compute capability " +
                to_string(device.capability);
  info.queued = true;
  info.compute_units = device.multiprocessors;
  info.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  info.variant_names = {kGemmVariant};
  add_notes(facts, device);
  return device;
}

device::Listing list() {
  const Facts facts = observe();
  device::Listing listing;
  listing.reasons = reasons_of(facts);
  for (int ordinal = 0; ordinal < facts.device_count; ++ordinal) {
    if (auto device = describe(ordinal, facts)) {
      listing.devices.push_back(std::move(device->info));
    } else {
      listing.reasons.push_back(device.error().message);
    }
  }
  return listing;
}

core::Result<std::unique_ptr<device::Device>> open(const std::string& id, const device::OpenOptions&) {
  const Facts facts = observe();
  const std::size_t colon = id.find(':');
  int ordinal = -1;
  if (colon != std::string::npos) {
    std::from_chars(id.data() + colon + 1, id.data() + id.size(), ordinal);
  }
  if (ordinal < 0 || ordinal >= facts.device_count) {
    return core::make_error(ExitCode::unavailable, "cuda.gone", {{"device", id}});
  }
  auto device = describe(ordinal, facts);
  if (!device) {
    return device.error();
  }
  if (!kernels_cover(JISSOKU_CUDA_ARCHITECTURES, device->capability)) {
    return core::make_error(
        ExitCode::unavailable,
        "cuda.no_kernels",
        {{"capability", to_string(device->capability)}, {"built", std::string(JISSOKU_CUDA_ARCHITECTURES)}});
  }
  return CudaDevice::open(std::move(*device));
}

}  // namespace

device::Backend make_backend() {
  device::Backend backend;
  backend.name = kName;
  backend.list = list;
  backend.open = open;
  return backend;
}

}  // namespace jissoku::backends::cuda
