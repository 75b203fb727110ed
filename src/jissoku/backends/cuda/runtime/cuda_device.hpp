// An NVIDIA GPU as a Device. Work goes to non-blocking streams; events carry the GPU's clock.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "jissoku/backends/cuda/rules/versions.hpp"
#include "jissoku/backends/cuda/runtime/gemm_engine.hpp"
#include "jissoku/backends/cuda/runtime/kernels.hpp"
#include "jissoku/backends/cuda/runtime/nvml.hpp"
#include "jissoku/backends/cuda/runtime/work_log.hpp"
#include "jissoku/device/device.hpp"

namespace jissoku::backends::cuda {

/// A device as it was listed.
struct DeviceFacts {
  device::Info info;
  int ordinal = 0;
  ComputeCapability capability;
  int multiprocessors = 1;
  std::string pci_address;  ///< "" unknown
};

class CudaDevice final : public device::Device {
 public:
  /// Creates the process's context on the device, which takes some tenths of a second the first time.
  static core::Result<std::unique_ptr<device::Device>> open(DeviceFacts facts);
  ~CudaDevice() override;
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  const device::Info& info() const override { return facts_.info; }
  /// For products this opens cuBLASLt, if nothing has yet (about half a second).
  device::Support supports(const device::Operation& operation) const override;
  /// The kernel of a product is named once it was multiplied; ask again then.
  std::vector<device::Variant> variants(const device::Operation& operation) const override;

  core::Result<std::unique_ptr<device::Buffer>> allocate(std::size_t size_bytes,
                                                         device::MemoryKind kind) override;
  core::Result<std::unique_ptr<device::Stream>> create_stream() override;
  core::Result<std::unique_ptr<device::Event>> create_event() override;

  core::Status launch(device::Stream& stream, const device::Operation& operation) override;
  core::Status copy(device::Stream& stream, const device::CopyRange& range) override;
  core::Status record(device::Stream& stream, device::Event& event) override;
  core::Status wait(device::Stream& stream, device::Event& event) override;
  core::Status synchronise(device::Stream& stream) override;
  core::Result<double> elapsed_ns(const device::Event& start, const device::Event& stop) override;

  std::int64_t memory_in_use_bytes() const override { return in_use_bytes_; }
  device::Telemetry telemetry() override;
  /// Device times count from this call; it waits for a marker.
  void set_recorder(device::Recorder* recorder) override;
  std::optional<std::int64_t> host_minus_device_ns() const override { return log_.host_minus_device_ns(); }

 private:
  explicit CudaDevice(DeviceFacts facts);

  /// The stream as ours, with this device current.
  core::Result<CudaStream*> enter(device::Stream& stream) const;
  core::Status enqueue(CudaStream& stream, const device::Operation& operation);
  core::Status fill(CudaStream& stream, const device::Fill& fill);
  core::Status multiply(CudaStream& stream, const device::Gemm& gemm);
  core::Status triad(CudaStream& stream, const device::MemoryTriad& triad);
  core::Status bias_activation(CudaStream& stream, const device::BiasActivation& operation);
  /// Address of the view's first element on the device. Fails for memory that this device cannot address.
  core::Result<void*> address_of(const device::TensorView& view, const char* tensor) const;

  DeviceFacts facts_;
  std::atomic<std::int64_t> in_use_bytes_{0};
  std::atomic<std::int64_t> pageable_bytes_{0};
  std::unique_ptr<GemmEngine> engine_;
  std::unique_ptr<Nvml> nvml_;  ///< nullptr where there is none
  WorkLog log_;
};

}  // namespace jissoku::backends::cuda
