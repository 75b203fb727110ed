// The reference as a Device: one thread, host memory, everything done when the call returns.
#pragma once

#include <atomic>

#include "jissoku/device/device.hpp"

namespace jissoku::backends::reference {

class ReferenceDevice final : public device::Device {
 public:
  static device::Info describe();

  const device::Info& info() const override { return info_; }
  device::Support supports(const device::Operation& operation) const override;
  std::vector<device::Variant> variants(const device::Operation&) const override { return {}; }

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
  device::Telemetry telemetry() override { return {}; }
  void set_recorder(device::Recorder* recorder) override { recorder_ = recorder; }

 private:
  template <typename Work>
  void recorded(device::Activity activity, const std::string& name, Work work);

  device::Info info_ = describe();
  std::atomic<std::int64_t> in_use_bytes_ = 0;
  device::Recorder* recorder_ = nullptr;
  std::int64_t correlation_ = 0;
};

}  // namespace jissoku::backends::reference
