// The matrices of one problem on one device.
#pragma once

#include <cstdint>
#include <memory>

#include "jissoku/experiments/matmul/matmul.hpp"
#include "jissoku/experiments/session.hpp"
#include "jissoku/numerics/verification.hpp"

namespace jissoku::experiments::matmul {

/// Type that products of `input` are summed in, and that C has unless it is FP64.
numerics::DataType accumulator_of(numerics::DataType input);
numerics::DataType output_of(numerics::DataType input);

/// The operation without buffers: enough for Device::supports and Device::variants.
device::Gemm describe_gemm(const Problem& problem, const Params& params);

/// Bytes of A, B and C, and of the copy of C that a product with beta != 0 is checked against.
std::int64_t operand_bytes(const Problem& problem, const Params& params);

/// What is filled into A and B (and into C where beta != 0).
struct Filling {
  numerics::Data data = numerics::Data::normal;
  int magnitude = 1;  ///< of integers
  std::uint64_t seed = 0;
};

class RoundTrip;

class Operands {
 public:
  /// Buffers on the session's device, which must outlive this; touched, not filled.
  static core::Result<Operands> allocate(Session& session, const Problem& problem, const Params& params);

  core::Status fill(const Filling& filling);
  /// The product through one variant, C poisoned first (or filled again where beta != 0), and checked.
  /// `exact`: the filling holds integers whose sums are exact. With a round trip, what comes back by it is
  /// checked. Errors are the device's; a wrong result is a finding of the verification.
  core::Result<numerics::Verification> verify(const device::Gemm& gemm,
                                              bool exact,
                                              int threads,
                                              RoundTrip* trip = nullptr);

  const device::Gemm& gemm() const { return gemm_; }
  /// What pages back A: "huge_pages", "base_pages", "".
  std::string paging() const { return a_->paging(); }

 private:
  explicit Operands(Session& session) : session_(&session) {}
  struct HostMatrix;
  core::Status place_on_host(const device::TensorView& view, HostMatrix& out);
  core::Status multiply(const device::Gemm& gemm, RoundTrip* trip);
  core::Status reset_c();

  Session* session_;
  device::Gemm gemm_;
  Filling filling_;
  std::unique_ptr<device::Buffer> a_, b_, c_;
};

}  // namespace jissoku::experiments::matmul
