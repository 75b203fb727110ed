// OpenCL's functions as the plugin calls them, each of which fails where the tripwire says so.
#pragma once

#include <cstddef>
#include <tuple>

#include "jissoku/backends/opencl/api.hpp"
#include "support/tripwire.hpp"

namespace jissoku::tests {

/// What a call that fails returns.
inline cl_int failing_code = CL_OUT_OF_RESOURCES;

namespace detail {

/// Calls that return a code.
template <auto kCall, Site kSite, typename... Arguments>
cl_int coded(Arguments... arguments) {
  return tripwire().trips(kSite) ? failing_code : kCall(arguments...);
}
/// Calls that return an object, and their code through the last argument.
template <auto kCall, Site kSite, typename Object, typename... Arguments>
Object made(Arguments... arguments) {
  if (!tripwire().trips(kSite)) {
    return kCall(arguments...);
  }
  cl_int* const code = std::get<sizeof...(Arguments) - 1>(std::tuple<Arguments...>(arguments...));
  *code = failing_code;
  return Object{};
}

template <auto kCall, Site kSite = Site::driver, typename... Arguments>
void wrap(cl_int (*&entry)(Arguments...)) {
  entry = coded<kCall, kSite, Arguments...>;
}
template <auto kCall, Site kSite = Site::driver, typename Object, typename... Arguments>
void wrap(Object* (*&entry)(Arguments...)) {
  entry = made<kCall, kSite, Object*, Arguments...>;
}

}  // namespace detail

inline backends::opencl::Api failing_opencl() {
  using detail::wrap;
  backends::opencl::Api api;
  wrap<clCreateContext, Site::setup>(api.create_context);
  wrap<clCreateCommandQueue>(api.create_queue);
  wrap<clCreateBuffer>(api.create_buffer);
  wrap<clSetMemObjectDestructorCallback>(api.on_destroyed);
  wrap<clCreateProgramWithSource, Site::setup>(api.create_program);
  wrap<clBuildProgram, Site::compiler>(api.build_program);
  wrap<clCreateKernel, Site::setup>(api.create_kernel);
  wrap<clSetKernelArg>(api.set_argument);
  wrap<clEnqueueNDRangeKernel>(api.enqueue_kernel);
  wrap<clEnqueueReadBuffer>(api.enqueue_read);
  wrap<clEnqueueWriteBuffer>(api.enqueue_write);
  wrap<clEnqueueCopyBuffer>(api.enqueue_copy);
  wrap<clEnqueueMapBuffer>(api.enqueue_map);
  wrap<clEnqueueUnmapMemObject>(api.enqueue_unmap);
  wrap<clEnqueueMarkerWithWaitList>(api.enqueue_marker);
  wrap<clEnqueueBarrierWithWaitList>(api.enqueue_barrier);
  wrap<clFlush>(api.flush);
  wrap<clFinish>(api.finish);
  wrap<clWaitForEvents>(api.wait_for_events);
  wrap<clGetEventInfo>(api.event_info);
  wrap<clGetEventProfilingInfo>(api.event_profiling);
  return api;
}

}  // namespace jissoku::tests
