#include "jissoku/backends/opencl/stream.hpp"

#include <algorithm>
#include <utility>

#include "jissoku/backends/opencl/errors.hpp"
#include "jissoku/backends/opencl/memory.hpp"

namespace jissoku::backends::opencl {
namespace {

/// Finished work is dropped when there is more than this, so that a stream that is never synchronised does
/// not grow.
constexpr std::size_t kKeptWorks = 1024;

core::Result<std::int64_t> profiled_ns(const Runtime& runtime, cl_event event, cl_profiling_info what) {
  cl_ulong time = 0;
  const cl_int code = runtime.api().event_profiling(event, what, sizeof time, &time, nullptr);
  if (auto asked = runtime.check("clGetEventProfilingInfo", code); !asked) {
    return asked.error();
  }
  return static_cast<std::int64_t>(time);
}

cl_int status_of(const Runtime& runtime, cl_event event) {
  cl_int status = CL_COMPLETE;
  const cl_int code =
      runtime.api().event_info(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  return code == CL_SUCCESS ? status : code;
}

}  // namespace

OpenClStream::~OpenClStream() {
  clFinish(queue());
}

core::Status OpenClStream::queued(const char* call, cl_int code, cl_event event, Commands& commands) {
  if (auto done = runtime_->check(call, code); !done) {
    return done;
  }
  commands.emplace_back(event);
  return {};
}

core::Status OpenClStream::run(cl_kernel kernel, const Range& range, Commands& commands) {
  cl_event event = nullptr;
  const cl_int code = runtime_->api().enqueue_kernel(
      queue(), kernel, 3, nullptr, range.global.data(), range.local.data(), 0, nullptr, &event);
  return queued("clEnqueueNDRangeKernel", code, event, commands);
}

core::Status OpenClStream::read(
    cl_mem from, std::size_t offset, void* to, std::size_t size, Commands& commands) {
  cl_event event = nullptr;
  const cl_int code =
      runtime_->api().enqueue_read(queue(), from, CL_FALSE, offset, size, to, 0, nullptr, &event);
  return queued("clEnqueueReadBuffer", code, event, commands);
}

core::Status OpenClStream::write(
    cl_mem to, std::size_t offset, const void* from, std::size_t size, Commands& commands) {
  cl_event event = nullptr;
  const cl_int code =
      runtime_->api().enqueue_write(queue(), to, CL_FALSE, offset, size, from, 0, nullptr, &event);
  return queued("clEnqueueWriteBuffer", code, event, commands);
}

core::Status OpenClStream::copy(cl_mem to,
                                std::size_t to_offset,
                                cl_mem from,
                                std::size_t from_offset,
                                std::size_t size,
                                Commands& commands) {
  cl_event event = nullptr;
  const cl_int code =
      runtime_->api().enqueue_copy(queue(), from, to, from_offset, to_offset, size, 0, nullptr, &event);
  return queued("clEnqueueCopyBuffer", code, event, commands);
}

core::Status OpenClStream::marker(Commands& commands) {
  cl_event event = nullptr;
  const cl_int code = runtime_->api().enqueue_marker(queue(), 0, nullptr, &event);
  return queued("clEnqueueMarkerWithWaitList", code, event, commands);
}

core::Status OpenClStream::wait_for(cl_event event) {
  return runtime_->check("clEnqueueBarrierWithWaitList",
                         runtime_->api().enqueue_barrier(queue(), 1, &event, nullptr));
}

void OpenClStream::keep(device::Activity activity,
                        const std::string& name,
                        std::int64_t correlation,
                        bool recorded,
                        Commands commands) {
  if (works_.size() >= kKeptWorks) {
    drop_finished();
  }
  works_.push_back({activity, name, correlation, recorded, std::move(commands)});
}

void OpenClStream::drop_finished() {
  const auto finished = [&](const Work& work) {
    const cl_int failure = failure_of(work);
    failure_ = failure_ == CL_SUCCESS ? failure : failure_;
    return !work.recorded && (work.commands.empty() || failure != CL_SUCCESS ||
                              status_of(*runtime_, work.commands.back().get()) == CL_COMPLETE);
  };
  works_.erase(std::remove_if(works_.begin(), works_.end(), finished), works_.end());
}

cl_int OpenClStream::failure_of(const Work& work) const {
  for (const Handle<cl_event>& event : work.commands) {
    if (const cl_int status = status_of(*runtime_, event.get()); status < 0) {
      return status;
    }
  }
  return CL_SUCCESS;
}

void OpenClStream::report(const Work& work, device::Recorder& recorder) const {
  if (!work.recorded || work.commands.empty()) {
    return;
  }
  const auto start = profiled_ns(*runtime_, work.commands.front().get(), CL_PROFILING_COMMAND_START);
  const auto end = profiled_ns(*runtime_, work.commands.back().get(), CL_PROFILING_COMMAND_END);
  if (start && end) {
    recorder.device_work(work.activity, work.name, work.correlation, *start, std::max(*start, *end));
  }
}

core::Status OpenClStream::synchronise(device::Recorder* recorder) {
  const std::vector<Work> works = std::exchange(works_, {});
  cl_int failure = std::exchange(failure_, CL_SUCCESS);
  if (auto finished = finish(); !finished) {
    return finished;
  }
  for (const Work& work : works) {
    const cl_int status = failure == CL_SUCCESS ? failure_of(work) : CL_SUCCESS;
    failure = failure == CL_SUCCESS ? status : failure;
    if (recorder != nullptr) {
      report(work, *recorder);
    }
  }
  return runtime_->check("a command in the queue", failure);
}

core::Result<cl_mem> OpenClStream::scratch(std::size_t slot, std::size_t size_bytes) {
  Scratch& kept = scratch_.at(slot);
  if (kept.size_bytes < size_bytes) {
    kept.memory.reset();  // the driver keeps it until the last command that uses it is done
    kept.size_bytes = 0;
    auto memory = create_device_memory(*runtime_, size_bytes);
    if (!memory) {
      return memory.error();
    }
    kept.memory = std::move(*memory);
    kept.size_bytes = size_bytes;
  }
  return kept.memory.get();
}

core::Status OpenClEvent::record(OpenClStream& stream) {
  Commands commands;
  if (auto marked = stream.marker(commands); !marked) {
    return marked;
  }
  marker_ = std::move(commands.front());
  return stream.flush();  // others may wait for it
}

core::Status OpenClEvent::make_wait(OpenClStream& stream) const {
  return recorded() ? stream.wait_for(marker_.get()) : core::Status();
}

core::Result<std::int64_t> OpenClEvent::time_ns() const {
  const cl_event event = marker_.get();
  if (auto waited = runtime_->check("clWaitForEvents", runtime_->api().wait_for_events(1, &event)); !waited) {
    return waited.error();
  }
  return profiled_ns(*runtime_, event, CL_PROFILING_COMMAND_END);
}

}  // namespace jissoku::backends::opencl
