// The buffers of an operation as OpenCL sees them.
#pragma once

#include <array>

#include "jissoku/backends/opencl/memory.hpp"
#include "jissoku/backends/opencl/stream.hpp"
#include "jissoku/device/operation.hpp"

namespace jissoku::backends::opencl {

/// The memory objects of an operation's tensors, taken from the host for the time that it runs.
class Operands {
 public:
  /// Fails (usage) if a tensor is in memory that kernels cannot take; enqueues the unmapping of mapped ones.
  static core::Result<Operands> take(OpenClStream& stream, const device::Operation& operation);
  /// Enqueues their mapping again; the host may touch them after the stream is synchronised.
  core::Status give_back(OpenClStream& stream);

  /// In the order of device::views_of.
  cl_mem operator[](std::size_t index) const { return memory_.at(index); }

 private:
  std::array<cl_mem, 4> memory_{};
  std::vector<OpenClBuffer*> mapped_;
};

/// Fills through the host, so that data are the same on every device: blocks until it is done.
core::Status fill(OpenClStream& stream, const device::Fill& fill, Commands& commands);

}  // namespace jissoku::backends::opencl
