// What a recorder is told: each call as the program made it, and the work's time on the device, bracketed by
// events. Until CUPTI takes this over, device times include the gap between two events (about a microsecond)
// and only exist while a recorder is set.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jissoku/backends/cuda/runtime/queue.hpp"

namespace jissoku::backends::cuda {

class WorkLog {
 public:
  /// nullptr stops; work not yet reported is forgotten. Not owned. Device times count from this call.
  void set_recorder(device::Recorder* recorder);

  /// What to add to device times to have them on the host's clock; nullopt without an origin.
  std::optional<std::int64_t> host_minus_device_ns() const { return origin_host_ns_; }

  /// Does `work`, which enqueues on the stream, and records it if a recorder is set.
  template <typename Work>
  core::Status call(device::Activity activity, const std::string& name, CudaStream& stream, Work work) {
    if (recorder_ == nullptr) {
      return work();
    }
    const Call begun = begin(activity, name, stream);
    core::Status done = work();
    end(begun, stream, done.ok());
    return done;
  }
  /// Tells the recorder of the stream's finished work. Precondition: the stream was just synchronised.
  void report(const CudaStream& stream);

 private:
  struct Call {
    device::Activity activity = device::Activity::launch;
    std::string name;
    std::int64_t correlation = 0, start_ns = 0;
    const CudaStream* stream = nullptr;
    std::shared_ptr<CudaEvent> start, stop;
  };
  Call begin(device::Activity activity, const std::string& name, CudaStream& stream);
  void end(const Call& call, CudaStream& stream, bool succeeded);

  device::Recorder* recorder_ = nullptr;
  std::int64_t correlation_ = 0;
  std::unique_ptr<device::Stream> origin_stream_;
  std::unique_ptr<CudaEvent> origin_;
  std::optional<std::int64_t> origin_host_ns_;  ///< when the origin was, by the host's clock
  std::atomic<std::int64_t> unused_{0};
  std::vector<Call> pending_;
};

}  // namespace jissoku::backends::cuda
