// Products by our own kernel, kernels/gemm.cl.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "jissoku/backends/opencl/gemm_config.hpp"
#include "jissoku/backends/opencl/stream.hpp"

namespace jissoku::backends::opencl {

/// The memory objects of A, B and C.
struct GemmMemory {
  cl_mem a = nullptr, b = nullptr, c = nullptr;
};

class OwnGemm {
 public:
  explicit OwnGemm(std::shared_ptr<Runtime> runtime) : runtime_(std::move(runtime)) {}

  /// Sizes and formats; layout and variant are the device's to check.
  device::Support supports(const device::Gemm& gemm) const;
  /// What computes products of these formats, after prepare(), with the time that took as a note.
  device::Variant variant(const device::Gemm& gemm);
  /// Compiles for the formats of `gemm` (which must be supported) and, where several block sizes suit the
  /// device, times them on a small product. Once for each format.
  core::Status prepare(const device::Gemm& gemm);
  /// Enqueues the product.
  core::Status launch(OpenClStream& stream,
                      const device::Gemm& gemm,
                      const GemmMemory& memory,
                      Commands& commands);

 private:
  struct Prepared {
    GemmConfig config;
    cl_kernel pack = nullptr, multiply = nullptr;
    cl_kernel multiply_in_place = nullptr;  ///< reads A where it lies; null where that does not suit
    double compile_ns = 0;
    double trial_ns = 0;  ///< 0 if it is the only candidate
  };
  using Candidates = std::vector<Prepared>;

  core::Result<Prepared> build(const GemmConfig& config, const GemmTypes& types);
  core::Result<Candidates> build_all(const GemmTypes& types);
  /// The candidate that should be quickest for the shape: its time on trial, less what it wasted on edges
  /// there, and with what it wastes here. Precondition: prepare() was right for the formats.
  const Prepared& choose(const device::Gemm& gemm) const;
  /// The shortest of a few launches of a product of zeros; the first one, which may compile too, adds to
  /// prepared.compile_ns and is not counted.
  core::Result<double> try_out(Prepared& prepared, const GemmTypes& types);
  static core::Status enqueue(OpenClStream& stream,
                              const Prepared& prepared,
                              const device::Gemm& gemm,
                              const GemmMemory& memory,
                              Commands& commands);

  std::shared_ptr<Runtime> runtime_;
  std::map<std::pair<numerics::DataType, numerics::DataType>, Candidates> prepared_;
};

}  // namespace jissoku::backends::opencl
