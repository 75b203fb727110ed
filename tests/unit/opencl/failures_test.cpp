// Every OpenCL call fails once, in turn: each time there is a message, nothing leaks and nothing ends the
// program.
#include <functional>

#include "jissoku/backends/opencl/errors.hpp"
#include "opened_device.hpp"

namespace jissoku::backends::opencl {
namespace {

/// The call that fails, counted from 1 (0: none), with which code; and how many there were.
struct Fault {
  int at = 0, calls = 0;
  cl_int code = CL_OUT_OF_RESOURCES;
  bool strikes() { return ++calls == at; }
};
Fault fault;

/// Calls that return a code.
template <auto kCall, typename... Arguments>
cl_int coded(Arguments... arguments) {
  return fault.strikes() ? fault.code : kCall(arguments...);
}
/// Calls that return an object, and their code through the last argument.
template <auto kCall, typename Object, typename... Arguments>
Object made(Arguments... arguments) {
  if (!fault.strikes()) {
    return kCall(arguments...);
  }
  cl_int* const code = std::get<sizeof...(Arguments) - 1>(std::tuple<Arguments...>(arguments...));
  *code = fault.code;
  return Object{};
}

template <auto kCall, typename... Arguments>
void wrap(cl_int (*&entry)(Arguments...)) {
  entry = coded<kCall, Arguments...>;
}
template <auto kCall, typename Object, typename... Arguments>
void wrap(Object* (*&entry)(Arguments...)) {
  entry = made<kCall, Object*, Arguments...>;
}

Api failing_api() {
  Api api;
  wrap<clCreateContext>(api.create_context);
  wrap<clCreateCommandQueue>(api.create_queue);
  wrap<clCreateBuffer>(api.create_buffer);
  wrap<clCreateProgramWithSource>(api.create_program);
  wrap<clBuildProgram>(api.build_program);
  wrap<clCreateKernel>(api.create_kernel);
  wrap<clSetKernelArg>(api.set_argument);
  wrap<clEnqueueNDRangeKernel>(api.enqueue_kernel);
  wrap<clEnqueueReadBuffer>(api.enqueue_read);
  wrap<clEnqueueWriteBuffer>(api.enqueue_write);
  wrap<clEnqueueCopyBuffer>(api.enqueue_copy);
  wrap<clEnqueueUnmapMemObject>(api.enqueue_unmap);
  wrap<clEnqueueMarkerWithWaitList>(api.enqueue_marker);
  wrap<clEnqueueBarrierWithWaitList>(api.enqueue_barrier);
  wrap<clFlush>(api.flush);
  wrap<clFinish>(api.finish);
  wrap<clGetEventInfo>(api.event_info);
  wrap<clGetEventProfilingInfo>(api.event_profiling);
  api.enqueue_map = [](cl_command_queue queue,
                       cl_mem memory,
                       cl_bool blocking,
                       cl_map_flags flags,
                       std::size_t offset,
                       std::size_t size,
                       cl_uint count,
                       const cl_event* waits,
                       cl_event* event,
                       cl_int* code) -> void* {
    if (fault.strikes()) {
      *code = fault.code;
      return nullptr;
    }
    return clEnqueueMapBuffer(queue, memory, blocking, flags, offset, size, count, waits, event, code);
  };
  return api;
}

device::TensorView square(device::Buffer* buffer) {
  device::TensorView view;
  view.buffer = buffer;
  view.rows = view.columns = view.leading_dimension = 16;
  return view;
}

device::Gemm product(device::Buffer* a, device::Buffer* b, device::Buffer* c) {
  device::Gemm gemm;
  gemm.a = square(a);
  gemm.b = square(b);
  gemm.c = square(c);
  return gemm;
}

/// Everything an experiment does with a device; the first error ends it.
core::Status use(device::Device& device) {
  auto stream = device.create_stream();
  auto other = device.create_stream();
  auto start = device.create_event();
  auto stop = device.create_event();
  auto memory = device.allocate(1024, device::MemoryKind::device);
  auto result = device.allocate(1024, device::MemoryKind::device);
  auto mapped = device.allocate(1024, device::MemoryKind::mapped);
  auto host = device.allocate(1024, device::MemoryKind::pageable);
  for (const core::Error* error : {stream ? nullptr : &stream.error(),
                                   other ? nullptr : &other.error(),
                                   start ? nullptr : &start.error(),
                                   stop ? nullptr : &stop.error(),
                                   memory ? nullptr : &memory.error(),
                                   result ? nullptr : &result.error(),
                                   mapped ? nullptr : &mapped.error(),
                                   host ? nullptr : &host.error()}) {
    if (error != nullptr) {
      return *error;
    }
  }
  device::TensorView padded = square(memory->get());
  padded.columns = 12;
  device::Gemm gemm = product(memory->get(), mapped->get(), result->get());
  gemm.variant = "own";
  device::FmaPeak peak;
  peak.flops = 1e6;
  const std::function<core::Status()> steps[] = {
      [&] { return device.launch(**stream, device::Fill{square(memory->get())}); },
      [&] { return device.launch(**stream, device::Fill{padded}); },
      [&] { return device.launch(**stream, device::Fill{square(mapped->get())}); },
      [&] { return device.record(**stream, **start); },
      [&] { return device.launch(**stream, gemm); },
      [&] { return device.launch(**stream, peak); },
      [&] { return device.record(**stream, **stop); },
      [&] { return device.wait(**other, **stop); },
      [&] {
        return device.copy(**other, {host->get(), 0, result->get(), 0, 1024});
      },
      [&] {
        return device.copy(**other, {memory->get(), 0, result->get(), 0, 1024});
      },
      [&] {
        return device.copy(**other, {result->get(), 0, host->get(), 0, 1024});
      },
      [&] { return device.synchronise(**stream); },
      [&] { return device.synchronise(**other); },
      [&] {
        const auto elapsed = device.elapsed_ns(**start, **stop);
        return elapsed ? core::Status() : core::Status(elapsed.error());
      }};
  for (const auto& step : steps) {
    if (core::Status done = step(); !done) {
      return done;
    }
  }
  return {};
}

/// Open, use, close; the memory that is left must be none.
core::Status life(const FoundDevice& found, const Api& api) {
  auto runtime = Runtime::create(found, api);
  if (!runtime) {
    return runtime.error();
  }
  auto device = OpenClDevice::open(describe(found.facts, 0), *runtime, "no_such_library.so");
  if (!device) {
    return device.error();
  }
  core::Status used = use(**device);
  EXPECT_EQ((*device)->memory_in_use_bytes(), 0);
  return used;
}

/// Each call of a life fails once, or each `stride`-th; how many lives ended well all the same.
int fail_in_turn(const FoundDevice& found, cl_int code, int stride) {
  const Api api = failing_api();
  fault = {};
  EXPECT_TRUE(life(found, api).ok());
  const int calls = fault.calls;
  EXPECT_GT(calls, 50);
  int survived = 0;
  for (int at = 1; at <= calls; at += stride) {
    fault = {at, 0, code};
    const core::Status lived = life(found, api);
    if (lived.ok()) {
      ++survived;
      continue;
    }
    EXPECT_EQ(lived.error().exit_code, core::ExitCode::unavailable) << at;
    EXPECT_EQ(lived.error().message.id.rfind("opencl.", 0), 0U) << at << " " << lived.error().message.id;
  }
  fault = {};
  EXPECT_TRUE(life(found, api).ok());
  return survived;
}

/// Told that it is no CPU, a device has one candidate for products and memory of the driver's.
TEST(OpenClFailures, OfEachCallInTurnAreErrorsWithAMessage) {
  const FoundDevice* const found = usable_device();
  if (found == nullptr) {
    GTEST_SKIP() << "no OpenCL device here";
  }
  FoundDevice accelerator = *found;
  accelerator.facts.is_cpu = false;
  EXPECT_EQ(fail_in_turn(accelerator, CL_OUT_OF_RESOURCES, 1), 0);
  EXPECT_EQ(fail_in_turn(accelerator, CL_MEM_OBJECT_ALLOCATION_FAILURE, 7), 0);
  EXPECT_EQ(fail_in_turn(accelerator, CL_DEVICE_NOT_AVAILABLE, 11), 0);
}

TEST(OpenClFailures, OfACandidateLeaveTheOther) {
  const FoundDevice* const found = usable_device();
  if (found == nullptr || !found->facts.is_cpu) {
    GTEST_SKIP() << "no OpenCL device on the CPU here";
  }
  EXPECT_GT(fail_in_turn(*found, CL_OUT_OF_RESOURCES, 61), 0);
}

TEST(OpenClFailures, AMissingLibraryOfProductsIsAReason) {
  const FoundDevice* const found = usable_device();
  if (found == nullptr) {
    GTEST_SKIP() << "no OpenCL device here";
  }
  auto runtime = shared_runtime(*found);
  ASSERT_TRUE(runtime.ok());
  auto device = OpenClDevice::open(describe(found->facts, 0), *runtime, "no_such_library.so");
  ASSERT_TRUE(device.ok());
  device::Gemm gemm = product(nullptr, nullptr, nullptr);
  gemm.variant = "clblast";
  EXPECT_EQ((*device)->supports(gemm).reason.id, "opencl.no_clblast");
  EXPECT_EQ((*device)->variants(gemm).size(), 2U);
}

class Compiling : public OpenedDevice {};

TEST_F(Compiling, BrokenSourceIsAnErrorWithTheCompilersWords) {
  static const std::string kSource = "__kernel void broken(__global float* a) { a[0] = no_such_name; }";
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto kernel = runtime_->kernel(kSource, "", "broken");
    ASSERT_FALSE(kernel.ok());
    EXPECT_EQ(kernel.error().message.id, "opencl.build_failed");
    const auto* const log = std::get_if<std::string>(kernel.error().message.find("log"));
    ASSERT_NE(log, nullptr);
    EXPECT_EQ(log->find('\n'), std::string::npos);
  }
}

TEST_F(Compiling, AProgramIsBuiltOnceAndItsKernelsAreKept) {
  static const std::string kSource = "__kernel void store(__global float* a) { a[0] = VALUE; }";
  const auto first = runtime_->kernel(kSource, "-D VALUE=1", "store");
  const auto again = runtime_->kernel(kSource, "-D VALUE=1", "store");
  const auto other = runtime_->kernel(kSource, "-D VALUE=2", "store");
  ASSERT_TRUE(first.ok() && again.ok() && other.ok());
  EXPECT_EQ(*first, *again);
  EXPECT_NE(*first, *other);
  EXPECT_FALSE(runtime_->kernel(kSource, "-D VALUE=1", "no_such_kernel").ok());
}

TEST(OpenClBuildLog, IsCutToItsFirstLines) {
  EXPECT_EQ(first_lines("\n one\n\ntwo\nthree\nfour\n", 3), " one | two | three");
  EXPECT_EQ(first_lines("", 3), "");
}

}  // namespace
}  // namespace jissoku::backends::opencl
