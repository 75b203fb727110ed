// Everything an experiment is given, on a fake clock: fake devices, a document in memory, a machine.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "jissoku/document/journal.hpp"
#include "jissoku/experiments/context.hpp"
#include "support/fake_clock.hpp"
#include "support/fake_device.hpp"

namespace jissoku::tests {

class ExperimentBench {
 public:
  explicit ExperimentBench(std::vector<FakeDeviceOptions> devices) {
    for (FakeDeviceOptions& options : devices) {
      registry_.add(make_fake_backend(clock_, {std::move(options)}, calls_));
    }
    machine_.usable_threads = machine_.hardware_threads = 2;
    machine_.memory_bytes = machine_.memory_available_bytes = std::int64_t{1} << 33;
    machine_.caches = {{1, 32 << 10, 1}};
  }

  experiments::Context context() {
    experiments::Context context;
    context.registry = &registry_;
    context.machine = &machine_;
    context.clock = &clock_;
    context.sink = sink_.get();
    context.stop = &stop_;
    context.on_progress = on_progress;
    return context;
  }

  const document::Document& found() const { return sink_->document(); }
  /// The row of that device in the first case, or nullptr.
  const document::Row* row(const std::string& device) const {
    for (const document::Row& row : found().rows) {
      if (row.device == device) {
        return &row;
      }
    }
    return nullptr;
  }
  const document::Finding* finding(const std::string& id_start) const {
    for (const document::Finding& finding : found().findings) {
      if (finding.id.rfind(id_start, 0) == 0) {
        return &finding;
      }
    }
    return nullptr;
  }

  FakeClock& clock() { return clock_; }
  device::Registry& registry() { return registry_; }
  core::Machine& machine() { return machine_; }
  core::StopFlag& stop() { return stop_; }
  document::Journal& sink() { return *sink_; }
  FakeJournal& calls() { return *calls_; }

  std::function<void(const experiments::ProgressEvent&)> on_progress;

 private:
  FakeClock clock_;
  device::Registry registry_;
  core::Machine machine_;
  core::StopFlag stop_;
  std::unique_ptr<document::Journal> sink_ = document::Journal::in_memory({});
  std::shared_ptr<FakeJournal> calls_ = std::make_shared<FakeJournal>();
};

}  // namespace jissoku::tests
