// A stream is an in-order queue with profiling, an event is a marker in it. Every command's OpenCL event is
// kept until the stream is synchronised: for errors of work that failed after it was queued, and for
// recorders.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "jissoku/backends/opencl/runtime.hpp"
#include "jissoku/device/device.hpp"

namespace jissoku::backends::opencl {

/// The commands of one launch or copy, in order.
using Commands = std::vector<Handle<cl_event>>;

/// Work-items in total and per group.
struct Range {
  std::array<std::size_t, 3> global{1, 1, 1};
  std::array<std::size_t, 3> local{1, 1, 1};
};

class OpenClStream final : public device::Stream {
 public:
  OpenClStream(std::shared_ptr<Runtime> runtime, Handle<cl_command_queue> queue)
      : runtime_(std::move(runtime)), queue_(std::move(queue)) {}
  ~OpenClStream() override;
  OpenClStream(const OpenClStream&) = delete;
  OpenClStream& operator=(const OpenClStream&) = delete;

  cl_command_queue queue() const { return queue_.get(); }
  Runtime& runtime() const { return *runtime_; }

  /// Enqueue; errors carry the name of the OpenCL function.
  core::Status run(cl_kernel kernel, const Range& range, Commands& commands);
  core::Status read(cl_mem from, std::size_t offset, void* to, std::size_t size, Commands& commands);
  core::Status write(cl_mem to, std::size_t offset, const void* from, std::size_t size, Commands& commands);
  core::Status copy(cl_mem to,
                    std::size_t to_offset,
                    cl_mem from,
                    std::size_t from_offset,
                    std::size_t size,
                    Commands& commands);
  core::Status marker(Commands& commands);
  core::Status wait_for(cl_event event);
  core::Status flush() { return runtime_->check("clFlush", runtime_->api().flush(queue())); }
  /// Blocks until all is done, without looking at how the commands ended.
  core::Status finish() { return runtime_->check("clFinish", runtime_->api().finish(queue())); }
  /// After a failure, before host memory goes that commands may still use: blocks as well as it can.
  void abandon() const { clFinish(queue()); }

  /// Keeps what was queued until synchronise. `recorded`: a recorder is to hear of it.
  void keep(device::Activity activity,
            const std::string& name,
            std::int64_t correlation,
            bool recorded,
            Commands commands);
  /// Blocks; the first error of work since the last call, and the work's times to the recorder.
  core::Status synchronise(device::Recorder* recorder);

  /// Scratch memory `slot`, at least that large, for commands of this stream only; it may wait for them when
  /// it grows. Contents are undefined.
  core::Result<cl_mem> scratch(std::size_t slot, std::size_t size_bytes);

 private:
  struct Work {
    device::Activity activity;
    std::string name;
    std::int64_t correlation;
    bool recorded;
    Commands commands;
  };
  struct Scratch {
    Handle<cl_mem> memory;
    std::size_t size_bytes = 0;
  };

  core::Status queued(const char* call, cl_int code, cl_event event, Commands& commands);
  /// The first negative status among its commands.
  cl_int failure_of(const Work& work) const;
  void report(const Work& work, device::Recorder& recorder) const;
  void drop_finished();

  std::shared_ptr<Runtime> runtime_;
  Handle<cl_command_queue> queue_;
  std::vector<Work> works_;
  cl_int failure_ = CL_SUCCESS;  ///< of work that is not kept any more
  std::array<Scratch, 2> scratch_;
};

class OpenClEvent final : public device::Event {
 public:
  explicit OpenClEvent(std::shared_ptr<Runtime> runtime) : runtime_(std::move(runtime)) {}

  core::Status record(OpenClStream& stream);
  core::Status make_wait(OpenClStream& stream) const;
  bool recorded() const { return static_cast<bool>(marker_); }
  const Runtime& runtime() const { return *runtime_; }
  /// On the device's profiling clock; waits until it has passed.
  core::Result<std::int64_t> time_ns() const;

 private:
  std::shared_ptr<Runtime> runtime_;
  Handle<cl_event> marker_;
};

}  // namespace jissoku::backends::opencl
