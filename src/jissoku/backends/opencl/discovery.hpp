// Which OpenCL devices there are, asked once per process.
#pragma once

#include <CL/cl.h>
#include <string>
#include <vector>

#include "jissoku/backends/opencl/facts.hpp"

namespace jissoku::backends::opencl {

struct FoundDevice {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  Facts facts;
  std::string id;
  core::Message unusable;  ///< why it is listed and cannot be opened; empty: it can
};

struct Discovery {
  std::vector<FoundDevice> devices;    ///< in the order of platforms and devices: opencl:0, opencl:1, ...
  std::vector<core::Message> reasons;  ///< why there is none, and drivers that do not load
};

/// Loads the drivers at the first call (about 0.1 s) and keeps what it found. Never fails.
const Discovery& discover();

/// One reason for each file of the loader's that names a driver which cannot be opened. `folder_or_file` is
/// what OCL_ICD_VENDORS may be: a folder of *.icd files, or one of them.
std::vector<core::Message> broken_drivers(const std::string& folder_or_file);

/// The folder (or file) where the loader looks: OCL_ICD_VENDORS if set, else /etc/OpenCL/vendors.
std::string vendors_folder();

}  // namespace jissoku::backends::opencl
