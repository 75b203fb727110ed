// An OpenCL device as a Device: one context, in-order queues, markers for events.
#pragma once

#include <atomic>
#include <memory>

#include "jissoku/backends/opencl/clblast_gemm.hpp"
#include "jissoku/backends/opencl/memory.hpp"
#include "jissoku/backends/opencl/own_gemm.hpp"
#include "jissoku/device/device.hpp"

namespace jissoku::backends::opencl {

class OpenClDevice final : public device::Device {
 public:
  /// `clblast_library` is what dlopen takes; where there is none, its variant is refused with the reason.
  static core::Result<std::unique_ptr<device::Device>> open(device::Info info,
                                                            std::shared_ptr<Runtime> runtime,
                                                            const std::string& clblast_library);

  const device::Info& info() const override { return info_; }
  device::Support supports(const device::Operation& operation) const override;
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
  device::Telemetry telemetry() override { return {}; }  // OpenCL has none that is portable
  /// The device's profiling clock is compared with the host's, which waits for a few markers.
  void set_recorder(device::Recorder* recorder) override;
  std::optional<std::int64_t> host_minus_device_ns() const override { return host_minus_device_ns_; }

 private:
  OpenClDevice(device::Info info, std::shared_ptr<Runtime> runtime, Handle<cl_command_queue> queue);

  device::Support supports_gemm(const device::Gemm& gemm) const;
  void compare_clocks();
  core::Status enqueue(OpenClStream& stream, const device::Operation& operation, Commands& commands);
  core::Status enqueue_copy(OpenClStream& stream, const device::CopyRange& range, Commands& commands);
  template <typename Work>
  core::Status recorded(OpenClStream& stream, device::Activity activity, const std::string& name, Work work);

  device::Info info_;
  std::shared_ptr<Runtime> runtime_;
  Handle<cl_command_queue> mapping_queue_;  ///< for new buffers that the host addresses
  std::unique_ptr<OwnGemm> own_;
  core::Result<std::unique_ptr<Clblast>> clblast_ = core::Error{};
  std::atomic<std::int64_t> in_use_bytes_ = 0;
  device::Recorder* recorder_ = nullptr;
  std::optional<std::int64_t> host_minus_device_ns_;
  std::int64_t correlation_ = 0;
};

}  // namespace jissoku::backends::opencl
