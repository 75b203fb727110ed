// An opened device with a stream to work on, and the one way in which experiments time its work.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "jissoku/device/backend.hpp"
#include "jissoku/measure/clock.hpp"
#include "jissoku/measure/sampler.hpp"

namespace jissoku::experiments {

struct Session {
  std::unique_ptr<device::Device> device;
  std::unique_ptr<device::Stream> stream;
  std::unique_ptr<device::Event> start, stop;

  const device::Info& info() const { return device->info(); }
};

core::Result<Session> open_session(const device::Registry& registry,
                                   const std::string& id,
                                   const device::OpenOptions& options);

/// The variants a device offers for an operation; one nameless variant where it has one way only.
std::vector<device::Variant> ways_of(const device::Device& device, const device::Operation& operation);

/// Launches one operation and waits for it.
core::Status launch_and_wait(Session& session, const device::Operation& operation);

/// Copies `size_bytes` from `src` to `dst`, both from their start, and waits.
core::Status copy_and_wait(Session& session,
                           device::Buffer& dst,
                           device::Buffer& src,
                           std::size_t size_bytes);

/// What a launch may consist of.
using Step = std::variant<device::Operation, device::CopyRange>;

core::Status enqueue(Session& session, const Step& step);

/// Work as something to be timed: on the host's clock, and by events on the device's own where work is
/// queued to it. The session and all buffers must outlive it.
class DeviceSubject final : public measure::Subject {
 public:
  /// One launch is all steps, in order.
  DeviceSubject(Session& session, std::vector<Step> steps, measure::Clock& clock)
      : session_(session), steps_(std::move(steps)), clock_(clock) {}
  DeviceSubject(Session& session, device::Operation operation, measure::Clock& clock)
      : session_(session), clock_(clock) {
    steps_.emplace_back(std::move(operation));
  }
  core::Result<measure::BatchTiming> run(std::int64_t launches) override;

 private:
  Session& session_;
  std::vector<Step> steps_;
  measure::Clock& clock_;
};

}  // namespace jissoku::experiments
