// A modelled accelerator: streams are in-order queues with a time until which they are busy, the host's
// time passes by calls and waiting, and numbers are computed when something is launched.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "jissoku/backends/model/host_numerics.hpp"
#include "jissoku/backends/model/table.hpp"
#include "jissoku/backends/model/timing.hpp"

namespace jissoku::backends::model {

/// The host's clock; starts at 0.
class HostTime final : public device::VirtualTime {
 public:
  std::int64_t now_ns() const override { return now_ns_; }
  void advance_ns(std::int64_t duration_ns) override { now_ns_ += duration_ns; }

 private:
  std::atomic<std::int64_t> now_ns_ = 0;
};

class ModelDevice final : public device::Device {
 public:
  /// Neither may be null, except `numerics` where the model does not compute.
  ModelDevice(Model model, std::shared_ptr<HostTime> time, std::shared_ptr<HostNumerics> numerics);

  const device::Info& info() const override { return model_.info; }
  device::VirtualTime* virtual_time() override { return time_.get(); }
  device::Support supports(const device::Operation& operation) const override;
  std::vector<device::Variant> variants(const device::Operation&) const override { return {}; }

  core::Result<std::unique_ptr<device::Buffer>> allocate(std::size_t size_bytes,
                                                         device::MemoryKind kind) override;
  core::Result<std::unique_ptr<device::Stream>> create_stream() override;
  core::Result<std::unique_ptr<device::Event>> create_event() override;

  core::Status launch(device::Stream& stream, const device::Operation& operation) override;
  /// From or to pageable memory it returns when it is done, as on a real card.
  core::Status copy(device::Stream& stream, const device::CopyRange& range) override;
  core::Status record(device::Stream& stream, device::Event& event) override;
  core::Status wait(device::Stream& stream, device::Event& event) override;
  core::Status synchronise(device::Stream& stream) override;
  core::Result<double> elapsed_ns(const device::Event& start, const device::Event& stop) override;

  std::int64_t memory_in_use_bytes() const override { return in_use_bytes_; }
  device::Telemetry telemetry() override;
  std::optional<std::int64_t> host_minus_device_ns() const override {
    return -model_.parameters.clock_offset_ns;
  }
  void set_recorder(device::Recorder* recorder) override { recorder_ = recorder; }

  /// Launches whose numbers were computed, repetitions not counted: for tests.
  std::int64_t computations() const { return computations_; }

 private:
  core::Status check(const device::Operation& operation) const;
  core::Status compute(const device::Operation& operation);
  core::Status move_bytes(const device::CopyRange& range);
  void enqueue(device::Stream& stream,
               device::Activity activity,
               const std::string& name,
               const Work& work,
               bool blocking);

  Model model_;
  std::shared_ptr<HostTime> time_;
  std::shared_ptr<HostNumerics> numerics_;
  std::atomic<std::int64_t> in_use_bytes_ = 0;
  device::Recorder* recorder_ = nullptr;
  std::int64_t correlation_ = 0;
  std::uint64_t works_ = 0;
  std::int64_t computations_ = 0;
};

}  // namespace jissoku::backends::model
