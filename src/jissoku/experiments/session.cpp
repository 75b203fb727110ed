#include "jissoku/experiments/session.hpp"

namespace jissoku::experiments {

core::Result<Session> open_session(const device::Registry& registry,
                                   const std::string& id,
                                   const device::OpenOptions& options) {
  auto device = registry.open(id, options);
  if (!device) {
    return device.error();
  }
  auto stream = (*device)->create_stream();
  if (!stream) {
    return stream.error();
  }
  auto start = (*device)->create_event();
  if (!start) {
    return start.error();
  }
  auto stop = (*device)->create_event();
  if (!stop) {
    return stop.error();
  }
  return Session{std::move(*device), std::move(*stream), std::move(*start), std::move(*stop)};
}

std::vector<device::Variant> ways_of(const device::Device& device, const device::Operation& operation) {
  std::vector<device::Variant> variants = device.variants(operation);
  if (variants.empty()) {
    variants.emplace_back();
  }
  return variants;
}

core::Status launch_and_wait(Session& session, const device::Operation& operation) {
  if (auto launched = session.device->launch(*session.stream, operation); !launched) {
    return launched;
  }
  return session.device->synchronise(*session.stream);
}

core::Status copy_and_wait(Session& session,
                           device::Buffer& dst,
                           device::Buffer& src,
                           std::size_t size_bytes) {
  device::CopyRange range;
  range.dst = &dst;
  range.src = &src;
  range.size_bytes = size_bytes;
  if (auto copied = session.device->copy(*session.stream, range); !copied) {
    return copied;
  }
  return session.device->synchronise(*session.stream);
}

core::Status enqueue(Session& session, const Step& step) {
  if (const auto* range = std::get_if<device::CopyRange>(&step)) {
    return session.device->copy(*session.stream, *range);
  }
  return session.device->launch(*session.stream, std::get<device::Operation>(step));
}

core::Result<measure::BatchTiming> DeviceSubject::run(std::int64_t launches) {
  device::Device& device = *session_.device;
  device::Stream& stream = *session_.stream;
  const bool own_clock = session_.info().queued;
  measure::BatchTiming timing;
  const std::int64_t start_ns = clock_.now_ns();
  if (own_clock) {
    if (auto recorded = device.record(stream, *session_.start); !recorded) {
      return recorded.error();
    }
  }
  for (std::int64_t i = 0; i < launches; ++i) {
    for (const Step& step : steps_) {
      if (auto queued = enqueue(session_, step); !queued) {
        return queued.error();
      }
    }
  }
  if (own_clock) {
    if (auto recorded = device.record(stream, *session_.stop); !recorded) {
      return recorded.error();
    }
  }
  if (auto done = device.synchronise(stream); !done) {
    return done.error();
  }
  timing.host_ns = static_cast<double>(clock_.now_ns() - start_ns);
  if (own_clock) {
    const auto elapsed = device.elapsed_ns(*session_.start, *session_.stop);
    if (!elapsed) {
      return elapsed.error();
    }
    timing.device_ns = *elapsed;
  }
  return timing;
}

}  // namespace jissoku::experiments
