// The CPU as a Device: work is done when a call returns; buffers are host memory; time is the host's.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "jissoku/backends/cpu/affinity.hpp"
#include "jissoku/backends/cpu/engines.hpp"
#include "jissoku/backends/cpu/gemm/plan.hpp"
#include "jissoku/backends/cpu/kernels.hpp"
#include "jissoku/backends/cpu/thread_team.hpp"
#include "jissoku/device/backend.hpp"

namespace jissoku::backends::cpu {

/// How many threads, and which CPUs they keep to.
struct ThreadPlan {
  int threads = 1;
  std::vector<int> cpus;  ///< one per thread; empty: not pinned
  std::vector<core::Message> notes;
};

class CpuDevice final : public device::Device {
 public:
  /// Forks the engines' trials before it starts any thread.
  static core::Result<std::unique_ptr<device::Device>> open(device::Info info,
                                                            ThreadPlan plan,
                                                            const gemm::Caches& caches,
                                                            const std::vector<std::string>& folders);
  ~CpuDevice() override;
  CpuDevice(const CpuDevice&) = delete;
  CpuDevice& operator=(const CpuDevice&) = delete;

  const device::Info& info() const override { return info_; }
  device::Support supports(const device::Operation& operation) const override;
  std::vector<device::Variant> variants(const device::Operation& operation) const override;

  core::Result<std::unique_ptr<device::Buffer>> allocate(std::size_t size_bytes,
                                                         device::MemoryKind kind) override;
  core::Result<std::unique_ptr<device::Stream>> create_stream() override;
  core::Result<std::unique_ptr<device::Event>> create_event() override;

  /// The calling thread is pinned, as the first of the team, from here to synchronise().
  core::Status launch(device::Stream& stream, const device::Operation& operation) override;
  core::Status copy(device::Stream& stream, const device::CopyRange& range) override;
  core::Status record(device::Stream& stream, device::Event& event) override;
  core::Status wait(device::Stream& stream, device::Event& event) override;
  core::Status synchronise(device::Stream& stream) override;
  core::Result<double> elapsed_ns(const device::Event& start, const device::Event& stop) override;

  std::int64_t memory_in_use_bytes() const override { return in_use_bytes_; }
  device::Telemetry telemetry() override { return {}; }
  void set_recorder(device::Recorder* recorder) override { recorder_ = recorder; }

 private:
  CpuDevice(device::Info info,
            ThreadPlan plan,
            const gemm::Caches& caches,
            FoundEngines found,
            std::unique_ptr<ThreadTeam> team);

  device::Support supports_gemm(const device::Gemm& gemm) const;
  device::Support supports_peak(const device::FmaPeak& peak) const;
  /// The engine a product names, or the first that can do it; nullptr if there is none.
  Engine* engine_for(const device::Gemm& gemm) const;
  const Kernels* kernels_for(const device::FmaPeak& peak) const;
  void own_the_libraries();
  core::Status compute(const device::Operation& operation);
  core::Status multiply(const device::Gemm& gemm);

  device::Info info_;
  ThreadPlan plan_;
  std::unique_ptr<ThreadTeam> team_;
  std::vector<std::unique_ptr<LibraryEngine>> libraries_;
  std::vector<std::unique_ptr<Engine>> own_engines_;
  std::vector<Engine*> engines_;  ///< best guess first
  std::vector<Unusable> unusable_;
  std::vector<const Kernels*> kernels_;
  CallerPin caller_pin_;
  std::atomic<std::int64_t> in_use_bytes_{0};
  device::Recorder* recorder_ = nullptr;
  std::int64_t correlation_ = 0;
};

}  // namespace jissoku::backends::cpu
