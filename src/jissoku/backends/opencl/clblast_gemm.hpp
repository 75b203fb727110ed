// Products by CLBlast, opened at run time where it is installed. Its tuned parameters are left as they are:
// an override once returned success and wrong numbers.
#pragma once

#include <clblast_c.h>
#include <memory>
#include <string>

#include "jissoku/backends/opencl/own_gemm.hpp"

namespace jissoku::backends::opencl {

class Clblast {
 public:
  /// `name` is what dlopen takes. Fails (unavailable) if it is not installed or lacks a function.
  static core::Result<std::unique_ptr<Clblast>> open(const std::string& name);

  device::Support supports(const device::Gemm& gemm, const Runtime& runtime) const;
  device::Variant variant() const;
  core::Status launch(OpenClStream& stream,
                      const device::Gemm& gemm,
                      const GemmMemory& memory,
                      Commands& commands) const;

 private:
  decltype(&CLBlastSgemm) sgemm_ = nullptr;
  decltype(&CLBlastDgemm) dgemm_ = nullptr;
  decltype(&CLBlastSgemmStridedBatched) sgemm_batched_ = nullptr;
  decltype(&CLBlastDgemmStridedBatched) dgemm_batched_ = nullptr;
  std::string file_;  ///< behind symbolic links
};

/// "1.5.3" of ".../libclblast.so.1.5.3"; "" if the name ends otherwise.
std::string library_version(const std::string& file);

}  // namespace jissoku::backends::opencl
