// What a device says of itself, and what we make of it: pure, so that devices that are not here can be
// tested.
#pragma once

#include <cstdint>
#include <string>

#include "jissoku/device/device.hpp"

namespace jissoku::backends::opencl {

struct Facts {
  std::string platform_name, platform_version;  ///< "Portable Computing Language", "OpenCL 3.0 PoCL 3.1..."
  std::string name, vendor, driver_version, device_version, extensions;
  bool is_cpu = false;
  bool available = true, compiler = true;
  int compute_units = 0;
  int max_work_group = 1;
  std::int64_t memory_bytes = 0, max_allocation_bytes = 0;
  int float_width = 1, double_width = 0;  ///< native vector widths; 0: not supported
  bool fused = false;                     ///< fma() on FP32 is a hardware instruction

  bool is_pocl() const;
  /// cl_khr_fp64, as an extension or as the widths say.
  bool has_f64() const;
  bool has_f16() const;
};

/// Whether a space-separated list of extensions has `name`.
bool has_extension(const std::string& extensions, const std::string& name);

/// "OpenCL 1.1 CUDA" -> 101; 0 if it does not begin like that.
int opencl_version(const std::string& text);

/// "Intel(R) Xeon(R) Processor" of PoCL's "pthread-skylake-avx512-Intel(R) Xeon(R) Processor"; others as they
/// are, with runs of blanks as one.
std::string readable_name(const Facts& facts);

/// The device as `opencl:<index>`.
device::Info describe(const Facts& facts, int index);

/// Why it cannot be used, or an empty message.
core::Message unusable(const Facts& facts, int index);

}  // namespace jissoku::backends::opencl
