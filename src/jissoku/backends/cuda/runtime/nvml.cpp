#include "jissoku/backends/cuda/runtime/nvml.hpp"

#include "jissoku/backends/cuda/rules/telemetry.hpp"
#include "jissoku/core/shared_library.hpp"

namespace jissoku::backends::cuda {
namespace {

// From nvml.h of NVML 11 and later, which not every toolkit has.
struct NvmlDevice;
using Handle = NvmlDevice*;
using Return = int;
constexpr Return kSuccess = 0;
constexpr unsigned kClockSm = 1;
constexpr unsigned kClockMemory = 2;
constexpr unsigned kTemperatureGpu = 0;
constexpr unsigned kEnabled = 1;

/// What the function says; nullopt if it fails or is not there.
std::optional<double> number(Return (*function)(Handle, unsigned*), Handle handle) {
  unsigned value = 0;
  if (function == nullptr || function(handle, &value) != kSuccess) {
    return std::nullopt;
  }
  return static_cast<double>(value);
}
std::optional<double> number(Return (*function)(Handle, unsigned, unsigned*), Handle handle, unsigned which) {
  unsigned value = 0;
  if (function == nullptr || function(handle, which, &value) != kSuccess) {
    return std::nullopt;
  }
  return static_cast<double>(value);
}

}  // namespace

struct Nvml::Functions {
  Return (*initialise)() = nullptr;
  Return (*handle_by_pci)(const char*, Handle*) = nullptr;
  Return (*handle_by_index)(unsigned, Handle*) = nullptr;
  Return (*count)(unsigned*) = nullptr;
  // Absent in some versions of the library: each may be nullptr.
  Return (*clock)(Handle, unsigned, unsigned*) = nullptr;
  Return (*power)(Handle, unsigned*) = nullptr;
  Return (*temperature)(Handle, unsigned, unsigned*) = nullptr;
  Return (*throttling)(Handle, unsigned long long*) = nullptr;
  Return (*link_generation)(Handle, unsigned*) = nullptr;
  Return (*link_width)(Handle, unsigned*) = nullptr;
  Return (*mig_mode)(Handle, unsigned*, unsigned*) = nullptr;

  bool find(const core::SharedLibrary& library) {
    library.find("nvmlDeviceGetClockInfo", clock);
    library.find("nvmlDeviceGetPowerUsage", power);
    library.find("nvmlDeviceGetTemperature", temperature);
    if (!library.find("nvmlDeviceGetCurrentClocksEventReasons", throttling)) {
      library.find("nvmlDeviceGetCurrentClocksThrottleReasons", throttling);  // its name before R535
    }
    library.find("nvmlDeviceGetCurrPcieLinkGeneration", link_generation);
    library.find("nvmlDeviceGetCurrPcieLinkWidth", link_width);
    library.find("nvmlDeviceGetMigMode", mig_mode);
    return library.find("nvmlInit_v2", initialise) &&
           library.find("nvmlDeviceGetHandleByPciBusId_v2", handle_by_pci) &&
           library.find("nvmlDeviceGetHandleByIndex_v2", handle_by_index) &&
           library.find("nvmlDeviceGetCount_v2", count);
  }

  bool is_partitioned(Handle handle) const {
    unsigned current = 0, pending = 0;
    return mig_mode != nullptr && mig_mode(handle, &current, &pending) == kSuccess && current == kEnabled;
  }
};

std::unique_ptr<Nvml> Nvml::open() {
  const auto library = core::SharedLibrary::open("libnvidia-ml.so.1");
  if (!library) {
    return nullptr;
  }
  auto functions = std::make_unique<Functions>();
  if (!functions->find(*library) || functions->initialise() != kSuccess) {
    return nullptr;
  }
  return std::unique_ptr<Nvml>(new Nvml(std::move(functions)));
}

Nvml::Nvml(std::unique_ptr<Functions> functions) : functions_(std::move(functions)) {}

Nvml::~Nvml() = default;

device::Telemetry Nvml::read(const std::string& pci_address) const {
  device::Telemetry telemetry;
  Handle handle = nullptr;
  if (functions_->handle_by_pci(pci_address.c_str(), &handle) != kSuccess) {
    return telemetry;
  }
  telemetry.clock_mhz = number(functions_->clock, handle, kClockSm);
  telemetry.memory_clock_mhz = number(functions_->clock, handle, kClockMemory);
  telemetry.temperature_c = number(functions_->temperature, handle, kTemperatureGpu);
  if (const auto milliwatts = number(functions_->power, handle)) {
    telemetry.power_watts = *milliwatts / 1000;
  }
  if (unsigned long long bits = 0;
      functions_->throttling != nullptr && functions_->throttling(handle, &bits) == kSuccess) {
    telemetry.throttle_reasons = throttle_reasons(bits);
  }
  const double generation = number(functions_->link_generation, handle).value_or(0);
  const double width = number(functions_->link_width, handle).value_or(0);
  telemetry.link = link_text(static_cast<unsigned>(generation), static_cast<unsigned>(width));
  return telemetry;
}

bool Nvml::is_partitioned(const std::string& pci_address) const {
  Handle handle = nullptr;
  return functions_->handle_by_pci(pci_address.c_str(), &handle) == kSuccess &&
         functions_->is_partitioned(handle);
}

int Nvml::partitioned_gpus() const {
  unsigned gpus = 0;
  if (functions_->count(&gpus) != kSuccess) {
    return 0;
  }
  int partitioned = 0;
  for (unsigned i = 0; i < gpus; ++i) {
    Handle handle = nullptr;
    if (functions_->handle_by_index(i, &handle) == kSuccess && functions_->is_partitioned(handle)) {
      ++partitioned;
    }
  }
  return partitioned;
}

}  // namespace jissoku::backends::cuda
