// Writes traces whose truth is known, as the PyTorch profiler would. Times in us.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace jissoku::tests {

class TraceFixture {
 public:
  static constexpr int kMain = 100;

  /// An event on a host thread.
  void host(const std::string& category,
            const std::string& name,
            double start,
            double duration,
            int thread = kMain,
            const std::string& args = "") {
    add(category, name, 4242, thread, start, duration, args);
  }
  void op(const std::string& name,
          double start,
          double duration,
          int thread = kMain,
          const std::string& more = "") {
    host("cpu_op", name, start, duration, thread, fmt::format("\"External id\": {}{}", ++external_, more));
  }
  /// A call with the device work it launches; returns the correlation.
  int launch(const std::string& kernel,
             double call,
             double start,
             double duration,
             int stream = 7,
             int device = 0,
             int thread = kMain) {
    const int correlation = call_only("cudaLaunchKernel", call, 4, thread);
    work("kernel", kernel, start, duration, correlation, stream, device);
    return correlation;
  }
  int call_only(const std::string& name, double start, double duration, int thread = kMain) {
    host("cuda_runtime", name, start, duration, thread, fmt::format("\"correlation\": {}", ++correlation_));
    return correlation_;
  }
  void work(const std::string& category,
            const std::string& name,
            double start,
            double duration,
            int correlation,
            int stream = 7,
            int device = 0,
            const std::string& more = "") {
    add(category,
        name,
        device,
        stream,
        start,
        duration,
        fmt::format(
            "\"device\": {}, \"stream\": {}, \"correlation\": {}{}", device, stream, correlation, more));
  }
  /// A copy that the host waits for, from `call` until it ends.
  void copy(const std::string& name, double call, double start, double duration, std::int64_t bytes) {
    const int correlation = call_only("cudaMemcpyAsync", call, start + duration - call);
    work("gpu_memcpy", name, start, duration, correlation, 7, 0, fmt::format(", \"bytes\": {}", bytes));
  }
  /// As it stands, for what no profiler writes.
  void raw(const std::string& event) { events_.push_back(event); }

  int rank = 0, world_size = 1;

  std::string text(const std::string& separator = ",\n") const {
    std::string out = fmt::format(
        "{{\"schemaVersion\": 1, \"deviceProperties\": [{{\"id\": 0, \"name\": \"Test GPU\", "
        "\"totalGlobalMem\": 16000000000, \"computeMajor\": 8, \"computeMinor\": 0, \"numSms\": 100}}], "
        "\"distributedInfo\": {{\"rank\": {}, \"world_size\": {}}}, \"baseTimeNanoseconds\": "
        "1700000000000000000, \"traceEvents\": [\n",
        rank,
        world_size);
    for (const std::string& event : events_) {
      out += (&event == events_.data() ? "" : separator) + event;
    }
    return out + "\n], \"traceName\": \"fixture.json\"}\n";
  }
  std::size_t size() const { return events_.size(); }

 private:
  void add(const std::string& category,
           const std::string& name,
           int process,
           int thread,
           double start,
           double duration,
           const std::string& args) {
    events_.push_back(fmt::format(
        "{{\"ph\": \"X\", \"cat\": \"{}\", \"name\": \"{}\", \"pid\": {}, \"tid\": {}, \"ts\": {:.3f}, "
        "\"dur\": {:.3f}, \"args\": {{{}}}}}",
        category,
        name,
        process,
        thread,
        start,
        duration,
        args));
  }

  std::vector<std::string> events_;
  int correlation_ = 0, external_ = 0;
};

}  // namespace jissoku::tests
