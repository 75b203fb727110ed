#include "bench/overheads/null_device.hpp"

#include "jissoku/device/host_memory.hpp"

namespace jissoku::bench {
namespace {

core::Error not_offered() {
  return core::make_error(core::ExitCode::unavailable, "bench.null_device");
}

class NullDevice final : public device::Device {
 public:
  NullDevice() { info_.is_host = true; }
  const device::Info& info() const override { return info_; }
  device::Support supports(const device::Operation& /*operation*/) const override {
    return {true, false, {}};
  }
  std::vector<device::Variant> variants(const device::Operation& /*operation*/) const override { return {}; }
  core::Result<std::unique_ptr<device::Buffer>> allocate(std::size_t /*size_bytes*/,
                                                         device::MemoryKind /*kind*/) override {
    return not_offered();
  }
  core::Result<std::unique_ptr<device::Stream>> create_stream() override {
    return std::unique_ptr<device::Stream>(std::make_unique<device::ImmediateStream>());
  }
  core::Result<std::unique_ptr<device::Event>> create_event() override {
    return std::unique_ptr<device::Event>(std::make_unique<device::HostEvent>());
  }
  core::Status launch(device::Stream& /*stream*/, const device::Operation& /*operation*/) override {
    return {};
  }
  core::Status copy(device::Stream& /*stream*/, const device::CopyRange& /*range*/) override {
    return not_offered();
  }
  core::Status record(device::Stream& /*stream*/, device::Event& /*event*/) override { return {}; }
  core::Status wait(device::Stream& /*stream*/, device::Event& /*event*/) override { return {}; }
  core::Status synchronise(device::Stream& /*stream*/) override { return {}; }
  core::Result<double> elapsed_ns(const device::Event& start, const device::Event& stop) override {
    return device::host_elapsed_ns(start, stop);
  }
  std::int64_t memory_in_use_bytes() const override { return 0; }
  device::Telemetry telemetry() override { return {}; }
  void set_recorder(device::Recorder* /*recorder*/) override {}

 private:
  device::Info info_;
};

}  // namespace

experiments::Session null_session() {
  experiments::Session session;
  session.device = std::make_unique<NullDevice>();
  session.stream = std::make_unique<device::ImmediateStream>();
  session.start = std::make_unique<device::HostEvent>();
  session.stop = std::make_unique<device::HostEvent>();
  return session;
}

}  // namespace jissoku::bench
