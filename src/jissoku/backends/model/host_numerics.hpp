// The numbers of a modelled device, computed by a real one on the host.
#pragma once

#include <memory>
#include <mutex>

#include "jissoku/backends/model/backend.hpp"

namespace jissoku::backends::model {

/// Shared by all models of a backend; calls exclude each other.
class HostNumerics {
 public:
  explicit HostNumerics(Inject inject) : inject_(std::move(inject)) {}

  /// Whether the numbers of an operation with sound layout can be had; pointers are not looked at. May open
  /// the injected device.
  device::Support supports(const device::Operation& operation);

  /// Precondition: supports() and validate() are ok, buffers have a host_data().
  core::Status compute(const device::Operation& operation);

 private:
  core::Result<device::Device*> opened();
  core::Status run(const device::Operation& operation);
  core::Status multiply(const device::Gemm& gemm);

  Inject inject_;
  std::mutex mutex_;
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<device::Stream> stream_;  // goes before its device
};

}  // namespace jissoku::backends::model
