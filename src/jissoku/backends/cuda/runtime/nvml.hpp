// NVML, NVIDIA's management library, opened at run time: clocks, power, temperature, link, MIG. It comes with
// the driver. Reads only; nothing here changes a setting of the card.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "jissoku/device/device.hpp"

namespace jissoku::backends::cuda {

class Nvml {
 public:
  /// nullptr where the library is not there or does not start. Never closed.
  static std::unique_ptr<Nvml> open();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Of the GPU at that PCI address ("0000:65:00.0"); what cannot be read is absent.
  device::Telemetry read(const std::string& pci_address) const;
  bool is_partitioned(const std::string& pci_address) const;
  /// GPUs of the machine in MIG mode.
  int partitioned_gpus() const;

 private:
  struct Functions;
  explicit Nvml(std::unique_ptr<Functions> functions);

  std::unique_ptr<Functions> functions_;
};

}  // namespace jissoku::backends::cuda
