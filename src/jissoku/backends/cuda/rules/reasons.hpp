// Why there is no CUDA device: chosen from what was observed, by a pure function.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jissoku/core/message.hpp"

namespace jissoku::backends::cuda {

/// What was seen while looking for devices, without judgement.
struct Facts {
  std::string driver_library;  ///< resolved path of libcuda.so.1 as the loader opened it; "" if it did not
  std::string driver_library_error;  ///< the loader's words where it did not
  std::string kernel_driver;         ///< "580.65.06", the version of the loaded kernel module; "" if none is
  int pci_gpus = 0;                  ///< display controllers of NVIDIA on the PCI bus
  std::vector<std::string> forbidden_nodes;    ///< /dev/nvidia* that this user may not read and write
  int device_nodes = 0;                        ///< /dev/nvidia<N> and WSL's /dev/dxg
  std::optional<std::string> visible_devices;  ///< CUDA_VISIBLE_DEVICES, if it is set
  int mig_gpus = 0;                            ///< GPUs that NVML says are partitioned (MIG)

  int runtime_version = 0;  ///< of this build, 13000
  int driver_version = 0;   ///< newest CUDA that the driver does; 0 if there is none
  int count_error = 0;      ///< cudaError_t of cudaGetDeviceCount
  std::string count_error_text;
  int device_count = 0;
};

/// A file that only pretends to be the driver, for linking: NVIDIA keeps them in folders named stubs.
bool is_stub_file(const std::string& resolved_file);

/// One reason, the one that must be mended first; none if there are devices.
std::vector<core::Message> reasons_of(const Facts& facts);

}  // namespace jissoku::backends::cuda
