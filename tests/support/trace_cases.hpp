// Traces with one known cause of idle time each. Every one has 40 steps of 10 ms; in each the GPU works
// `busy` us and then waits for `gap` us, for the reason in the function's name.
#pragma once

#include <functional>
#include <string>

#include "support/trace_fixture.hpp"

namespace jissoku::tests {

inline constexpr int kSteps = 40;

/// `reason(trace, from, to)` adds what the host does in the gap; `wait(trace, from, to)` what it does while
/// the GPU works. Kernels of 500 us fill the busy part, launched in time.
struct Scenario {
  double gap = 4000;
  double period = 10000;
  int device = 0;
  int thread = TraceFixture::kMain;
  std::function<void(TraceFixture&, double from, double to)> reason = {};
  std::function<void(TraceFixture&, double from, double to)> wait = {};
};

inline void add_scenario(TraceFixture& trace, const Scenario& scenario) {
  for (int step = 0; step < kSteps; ++step) {
    const double begin = 1000 + step * scenario.period;
    const double end = begin + scenario.period - scenario.gap;
    double at = begin;
    for (int index = 0; at < end; ++index, at += 500) {
      const double duration = std::min(500.0, end - at);
      const double call = begin - 2 + index * 5;
      trace.launch("elementwise_kernel", call, at, duration, 7, scenario.device, scenario.thread);
    }
    if (scenario.wait) {
      scenario.wait(trace, begin + 200, end);
    }
    if (scenario.reason && step + 1 < kSteps) {
      scenario.reason(trace, end, begin + scenario.period - 2);
    }
  }
}

inline Scenario input_starvation() {
  Scenario scenario;
  scenario.reason = [](TraceFixture& trace, double from, double to) {
    trace.host(
        "user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", from, to - from);
  };
  return scenario;
}

inline Scenario sync_item() {
  Scenario scenario;
  scenario.gap = 2000;
  scenario.wait = [](TraceFixture& trace, double from, double to) {
    trace.op("aten::item", from, to + 10 - from);
    trace.op("aten::_local_scalar_dense", from + 1, to + 8 - from);
    trace.call_only("cudaStreamSynchronize", from + 2, to + 6 - from);
  };
  return scenario;
}

inline Scenario blocking_copy() {
  Scenario scenario;
  scenario.gap = 2000;
  scenario.wait = [](TraceFixture& trace, double from, double to) {
    trace.op("aten::copy_", from, to + 10 - from);
    trace.call_only("cudaMemcpy", from + 2, to + 6 - from);
  };
  return scenario;
}

inline Scenario allocator() {
  Scenario scenario;
  scenario.reason = [](TraceFixture& trace, double from, double to) {
    trace.op("aten::empty", from, to - from);
    trace.call_only("cudaMalloc", from + 1, to - from - 2);
  };
  return scenario;
}

inline Scenario compilation() {
  Scenario scenario;
  scenario.reason = [](TraceFixture& trace, double from, double to) {
    trace.host("python_function", "torch/_inductor/compile_fx.py(100): compile_fx_inner", from, to - from);
  };
  return scenario;
}

inline Scenario host_work() {
  Scenario scenario;
  scenario.reason = [](TraceFixture& trace, double from, double to) {
    trace.host("python_function", "train.py(12): write_log", from, to - from);
  };
  return scenario;
}

inline Scenario profiler_overhead() {
  Scenario scenario;
  scenario.reason = [](TraceFixture& trace, double from, double to) {
    trace.raw(fmt::format(
        "{{\"ph\": \"X\", \"cat\": \"overhead\", \"name\": \"Activity Buffer Request\", \"pid\": -1, "
        "\"tid\": 0, \"ts\": {:.3f}, \"dur\": {:.3f}, \"args\": {{}}}}",
        from,
        to - from));
  };
  return scenario;
}

inline Scenario healthy() {
  Scenario scenario;
  scenario.gap = 300;
  return scenario;
}

/// Kernels of `kernel` us, each launched when the one before has ended, every 50 us.
inline TraceFixture launch_bound(double kernel = 5) {
  TraceFixture trace;
  for (int index = 0; index < 4000; ++index) {
    const double call = 1000 + index * 50;
    trace.op("aten::add", call - 10, 20);
    trace.launch("vectorized_elementwise_kernel", call, call + 8, kernel);
  }
  return trace;
}

/// Collectives that nothing overlaps for `share` of the time.
inline TraceFixture communication(double share) {
  TraceFixture trace;
  for (int step = 0; step < kSteps; ++step) {
    const double begin = 1000 + step * 10000.0;
    const double split = begin + 10000 * (1 - share);
    trace.launch("gemm_kernel", begin - 5, begin, split - begin);
    trace.launch(
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", begin, split, begin + 10000 - split, 20);
  }
  return trace;
}

/// Copies from pinned memory for `share` of the time.
inline TraceFixture transfer_bound(double share) {
  TraceFixture trace;
  for (int step = 0; step < kSteps; ++step) {
    const double begin = 1000 + step * 10000.0;
    const double split = begin + 10000 * (1 - share);
    trace.launch("gemm_kernel", begin - 5, begin, split - begin);
    const int correlation = trace.call_only("cudaMemcpyAsync", begin - 1, 2);
    trace.work("gpu_memcpy",
               "Memcpy HtoD (Pinned -> Device)",
               split,
               begin + 10000 - split,
               correlation,
               8,
               0,
               ", \"bytes\": 1000000");
  }
  return trace;
}

}  // namespace jissoku::tests
