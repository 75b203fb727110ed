// Facts of two devices: PoCL as it is on an AVX-512 machine, and a GPU without FP64.
#pragma once

#include "jissoku/backends/opencl/facts.hpp"

namespace jissoku::backends::opencl {

inline Facts pocl() {
  Facts facts;
  facts.platform_name = "Portable Computing Language";
  facts.platform_version = "OpenCL 3.0 PoCL 3.1+debian";
  facts.name = "pthread-skylake-avx512-Intel(R)  Xeon(R) Processor";
  facts.vendor = "GenuineIntel";
  facts.driver_version = "3.1+debian";
  facts.device_version = "OpenCL 3.0 PoCL HSTR: pthread-x86_64-pc-linux-gnu-skylake-avx512";
  facts.extensions = "cl_khr_icd cl_khr_fp64";
  facts.is_cpu = true;
  facts.compute_units = 2;
  facts.max_work_group = 4096;
  facts.memory_bytes = facts.max_allocation_bytes = std::int64_t{4} << 30;
  facts.float_width = 16;
  facts.double_width = 8;
  facts.fused = true;
  return facts;
}

inline Facts gpu() {
  Facts facts;
  facts.platform_name = "Vendor OpenCL";
  facts.platform_version = facts.device_version = "OpenCL 1.2 Vendor";
  facts.name = "Some GPU 9000";
  facts.vendor = "Vendor Inc.";
  facts.driver_version = "1.2.3";
  facts.compute_units = 32;
  facts.max_work_group = 256;
  facts.memory_bytes = std::int64_t{8} << 30;
  facts.max_allocation_bytes = std::int64_t{2} << 30;
  return facts;
}

}  // namespace jissoku::backends::opencl
