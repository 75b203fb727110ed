// The product as a program meets it whose data live in host memory: A and B copied to the device,
// multiplied there, C copied back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "jissoku/experiments/matmul/operands.hpp"
#include "jissoku/experiments/session.hpp"

namespace jissoku::experiments::matmul {

class RoundTrip {
 public:
  /// Host copies of the operands: in pinned memory where the device has it, else in pageable memory. The
  /// session and `gemm`'s buffers must outlive this.
  static core::Result<RoundTrip> allocate(Session& session, const device::Gemm& gemm);

  /// Takes A, B and, where the product reads it, C from the device; poisons the host's C otherwise.
  core::Status take_operands();
  /// One round trip with this variant of the product, in order; C is copied in too where it is read.
  std::vector<Step> steps(const device::Gemm& gemm) const;

  const std::string& memory() const { return memory_; }
  /// C as it came back; to be read only after synchronising.
  device::Buffer& c() const { return *c_; }
  /// Before a proof, so that a copy that never happens is seen. Only where C is not read.
  void poison_c() const;

 private:
  explicit RoundTrip(Session& session) : session_(&session) {}

  Session* session_;
  device::Gemm gemm_;
  std::string memory_;  ///< "pinned" or "pageable"
  std::unique_ptr<device::Buffer> a_, b_, c_;
};

}  // namespace jissoku::experiments::matmul
