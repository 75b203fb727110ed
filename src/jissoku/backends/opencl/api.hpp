// The OpenCL calls that can fail while a device is used, as a table: tests put failing ones in.
#pragma once

#include <CL/cl.h>
#include <utility>

namespace jissoku::backends::opencl {

struct Api {
  decltype(&clCreateContext) create_context = clCreateContext;
  decltype(&clCreateCommandQueue) create_queue = clCreateCommandQueue;
  decltype(&clCreateBuffer) create_buffer = clCreateBuffer;
  decltype(&clSetMemObjectDestructorCallback) on_destroyed = clSetMemObjectDestructorCallback;
  decltype(&clCreateProgramWithSource) create_program = clCreateProgramWithSource;
  decltype(&clBuildProgram) build_program = clBuildProgram;
  decltype(&clCreateKernel) create_kernel = clCreateKernel;
  decltype(&clSetKernelArg) set_argument = clSetKernelArg;
  decltype(&clEnqueueNDRangeKernel) enqueue_kernel = clEnqueueNDRangeKernel;
  decltype(&clEnqueueReadBuffer) enqueue_read = clEnqueueReadBuffer;
  decltype(&clEnqueueWriteBuffer) enqueue_write = clEnqueueWriteBuffer;
  decltype(&clEnqueueCopyBuffer) enqueue_copy = clEnqueueCopyBuffer;
  decltype(&clEnqueueMapBuffer) enqueue_map = clEnqueueMapBuffer;
  decltype(&clEnqueueUnmapMemObject) enqueue_unmap = clEnqueueUnmapMemObject;
  decltype(&clEnqueueMarkerWithWaitList) enqueue_marker = clEnqueueMarkerWithWaitList;
  decltype(&clEnqueueBarrierWithWaitList) enqueue_barrier = clEnqueueBarrierWithWaitList;
  decltype(&clFlush) flush = clFlush;
  decltype(&clFinish) finish = clFinish;
  decltype(&clWaitForEvents) wait_for_events = clWaitForEvents;
  decltype(&clGetEventInfo) event_info = clGetEventInfo;
  decltype(&clGetEventProfilingInfo) event_profiling = clGetEventProfilingInfo;
};

inline void release(cl_context context) {
  clReleaseContext(context);
}
inline void release(cl_command_queue queue) {
  clReleaseCommandQueue(queue);
}
inline void release(cl_mem memory) {
  clReleaseMemObject(memory);
}
inline void release(cl_program program) {
  clReleaseProgram(program);
}
inline void release(cl_kernel kernel) {
  clReleaseKernel(kernel);
}
inline void release(cl_event event) {
  clReleaseEvent(event);
}

/// Owns one reference of an OpenCL object, or none.
template <typename T>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T object) : object_(object) {}
  ~Handle() { reset(); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      object_ = std::exchange(other.object_, nullptr);
    }
    return *this;
  }

  T get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  void reset() {
    if (object_ != nullptr) {
      release(std::exchange(object_, nullptr));
    }
  }

 private:
  T object_ = nullptr;
};

}  // namespace jissoku::backends::opencl
