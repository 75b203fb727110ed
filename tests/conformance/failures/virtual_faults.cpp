// Modelled devices fail in the device that computes their numbers, here a fake one, and both they and the
// fakes of the tests for want of host memory.
#include <optional>
#include <utility>

#include "../device/harness.hpp"
#include "faults.hpp"
#include "jissoku/backends/model/backend.hpp"
#include "jissoku/experiments/datasheet.hpp"

namespace jissoku::tests {
namespace {

/// What a fake's calls fail with: the errors of a real driver.
core::Error error_of(const Fault& fault) {
  const core::Argument device{"device", std::string("fake")};
  if (fault.name == "out_of_memory") {
    return core::make_error(
        core::ExitCode::unavailable, "device.out_of_memory", {{"size", 1024.0}, {"available", 0.0}});
  }
  if (fault.name == "build_failure") {
    return core::make_error(core::ExitCode::unavailable,
                            "opencl.build_failed",
                            {device, {"log", std::string("no such register")}});
  }
  return core::make_error(core::ExitCode::unavailable,
                          "opencl.lost",
                          {device, {"call", std::string("clFinish")}, {"error", std::string("it is gone")}});
}

class FakeInjector : public FaultInjector {
 public:
  std::string name() const override { return "fake"; }
  std::vector<Fault> faults() const override {
    Fault memory;
    memory.name = "out_of_memory";
    memory.sites = {Site::allocator, Site::driver};
    memory.message = "device.out_of_memory";
    memory.fewest_calls = fewest_calls_;
    Fault build;
    build.name = "build_failure";
    build.sites = {Site::compiler};
    build.message = "opencl.build_failed";
    Fault lost;
    lost.name = "lost_device";
    lost.sites = {Site::driver, Site::compiler};
    lost.message = "opencl.lost";
    lost.loses_device = true;
    lost.fewest_calls = 4;
    return {memory, build, lost};
  }
  core::Result<std::unique_ptr<device::Device>> open() override { return fakes_.open(options_.id, {}); }
  void arm(const Fault& fault, long at) override {
    fault_ = fault;
    FaultInjector::arm(fault, at);
  }

 protected:
  FakeInjector(FakeDeviceOptions options, long fewest_calls)
      : fewest_calls_(fewest_calls), options_(std::move(options)) {
    options_.fault = [this](FakeCall call) -> std::optional<core::Error> {
      // A launch is where a driver compiles.
      const bool failed =
          tripwire().trips(Site::driver) || (call == FakeCall::launch && tripwire().trips(Site::compiler));
      return failed ? std::optional(error_of(fault_)) : std::nullopt;
    };
    fakes_ = make_fake_backend(clock_, {options_});
  }
  core::Result<std::unique_ptr<device::Device>> open_fake() { return fakes_.open(options_.id, {}); }

 private:
  long fewest_calls_;
  Fault fault_;
  FakeClock clock_;
  FakeDeviceOptions options_;
  device::Backend fakes_;
};

class ListedFakeInjector final : public FakeInjector {
 public:
  ListedFakeInjector(const std::string& device, bool is_host) : FakeInjector(options(device, is_host), 40) {}

 private:
  static FakeDeviceOptions options(const std::string& device, bool is_host) {
    FakeDeviceOptions options;
    options.id = device;
    options.is_host = is_host;
    return options;
  }
};

class ModelInjector final : public FakeInjector {
 public:
  explicit ModelInjector(std::string device) : FakeInjector({}, 12), device_(std::move(device)) {}
  std::string name() const override { return "numerics"; }
  long restart() override {
    models_ =
        backends::model::make_backend(experiments::embedded_datasheet_text(), [this] { return open_fake(); });
    return live_mappings();
  }
  core::Result<std::unique_ptr<device::Device>> open() override { return models_.open(device_, {}); }

 private:
  std::string device_;
  device::Backend models_;
};

const bool kOffered = offer_injectors([](const std::string& device) {
  FaultInjectors injectors;
  if (device.rfind("fake:", 0) == 0) {
    injectors.push_back(std::make_unique<ListedFakeInjector>(device, device == "fake:host"));
  } else if (device.rfind("model:", 0) == 0) {
    injectors.push_back(std::make_unique<ModelInjector>(device));
  }
  return injectors;
});

}  // namespace
}  // namespace jissoku::tests
