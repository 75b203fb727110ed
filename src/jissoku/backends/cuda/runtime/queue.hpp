// Streams and events.
#pragma once

#include <atomic>
#include <memory>

#include "jissoku/device/device.hpp"

struct CUstream_st;  // cudaStream_t points to it
struct CUevent_st;   // cudaEvent_t points to it

namespace jissoku::backends::cuda {

/// Does not wait for the default stream, nor it for this one.
class CudaStream final : public device::Stream {
 public:
  /// The device of that ordinal is current. `in_use_bytes` counts the workspace and must outlive the stream.
  static core::Result<std::unique_ptr<device::Stream>> create(int ordinal,
                                                              std::atomic<std::int64_t>& in_use_bytes);
  ~CudaStream() override;
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  CUstream_st* handle() const { return handle_; }
  int ordinal() const { return ordinal_; }
  /// Device memory that one kernel of this stream after the other may use; allocated once, at the first
  /// call, and kept. Never shared between streams, whose kernels may run at the same time.
  core::Result<void*> workspace(std::int64_t size_bytes);

 private:
  CudaStream(int ordinal, CUstream_st* handle, std::atomic<std::int64_t>& in_use_bytes)
      : ordinal_(ordinal), handle_(handle), in_use_bytes_(in_use_bytes) {}

  int ordinal_;
  CUstream_st* handle_;
  std::atomic<std::int64_t>& in_use_bytes_;
  void* workspace_ = nullptr;
  std::int64_t workspace_bytes_ = 0;
};

class CudaEvent final : public device::Event {
 public:
  static core::Result<std::unique_ptr<CudaEvent>> create();
  ~CudaEvent() override;
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  CUevent_st* handle() const { return handle_; }
  core::Status record(CudaStream& stream);
  bool recorded() const { return recorded_; }

 private:
  explicit CudaEvent(CUevent_st* handle) : handle_(handle) {}

  CUevent_st* handle_;
  bool recorded_ = false;
};

/// Device time between two events whose work is done. CUDA states a resolution of about 0.5 us. Fails (usage)
/// for events never recorded, and (unavailable) for work that is not done yet.
core::Result<double> elapsed_ns(const CudaEvent& start, const CudaEvent& stop);

}  // namespace jissoku::backends::cuda
