#include "jissoku/backends/cuda/runtime/work_log.hpp"

#include <cuda_runtime_api.h>

#include "jissoku/device/host_memory.hpp"

namespace jissoku::backends::cuda {

using device::Activity;

void WorkLog::set_recorder(device::Recorder* recorder) {
  pending_.clear();
  origin_.reset();
  origin_stream_.reset();
  origin_host_ns_.reset();
  recorder_ = recorder;
  if (recorder == nullptr) {
    return;
  }
  // Without an origin (no memory for an event) host calls are still told.
  auto stream = CudaStream::create(0, unused_);
  auto origin = CudaEvent::create();
  if (!stream || !origin) {
    return;
  }
  auto& queue = static_cast<CudaStream&>(**stream);
  const std::int64_t before_ns = device::host_clock_ns();
  if ((*origin)->record(queue) && cudaStreamSynchronize(queue.handle()) == cudaSuccess) {
    origin_host_ns_ = before_ns + (device::host_clock_ns() - before_ns) / 2;
    origin_stream_ = std::move(*stream);
    origin_ = std::move(*origin);
  }
}

WorkLog::Call WorkLog::begin(Activity activity, const std::string& name, CudaStream& stream) {
  Call call{activity, name, ++correlation_, device::host_clock_ns(), &stream, nullptr, nullptr};
  if (activity == Activity::synchronise || origin_ == nullptr) {
    return call;
  }
  auto start = CudaEvent::create();
  auto stop = CudaEvent::create();
  if (start && stop && (*start)->record(stream)) {
    call.start = std::move(*start);
    call.stop = std::move(*stop);
  }
  return call;
}

void WorkLog::end(const Call& call, CudaStream& stream, bool succeeded) {
  recorder_->host_call(call.activity, call.name, call.correlation, call.start_ns, device::host_clock_ns());
  if (succeeded && call.stop != nullptr && call.stop->record(stream)) {
    pending_.push_back(call);
  }
}

void WorkLog::report(const CudaStream& stream) {
  std::vector<Call> others;
  for (const Call& call : pending_) {
    if (call.stream != &stream) {
      others.push_back(call);
      continue;
    }
    const auto start_ns = elapsed_ns(*origin_, *call.start);
    const auto stop_ns = elapsed_ns(*origin_, *call.stop);
    if (start_ns && stop_ns) {
      recorder_->device_work(call.activity,
                             call.name,
                             call.correlation,
                             static_cast<std::int64_t>(*start_ns),
                             static_cast<std::int64_t>(*stop_ns));
    }
  }
  pending_ = std::move(others);
}

}  // namespace jissoku::backends::cuda
