// A modelled device whose parameters a test sets, with a stream, and its numbers from the reference.
#pragma once

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "jissoku/backends/model/model_device.hpp"
#include "jissoku/backends/reference/backend.hpp"

namespace jissoku::backends::model {

inline Inject reference_inject(int* opened = nullptr) {
  return [opened] {
    if (opened != nullptr) {
      ++*opened;
    }
    return reference::make_backend().open("reference", {});
  };
}

/// The baseline, which also does the narrow formats: FP16 and BF16 at 400 GFLOPS, TF32 at 200.
inline Model wide_baseline() {
  Model model = baseline_model();
  model.parameters.rates[numerics::DataType::f16] = {400e9, 1, {}};
  model.parameters.rates[numerics::DataType::bf16] = {400e9, 1, {}};
  model.parameters.rates[numerics::DataType::tf32] = {200e9, 1, {}};
  return model;
}

class ModelBench {
 public:
  explicit ModelBench(Model model = wide_baseline(), Inject inject = reference_inject())
      : time_(std::make_shared<HostTime>()),
        device_(std::move(model), time_, std::make_shared<HostNumerics>(std::move(inject))),
        stream_(device_.create_stream().value()) {}

  ModelDevice& device() { return device_; }
  device::Stream& stream() { return *stream_; }
  std::int64_t now_ns() const { return time_->now_ns(); }

  std::unique_ptr<device::Buffer> allocate(std::size_t size_bytes,
                                           device::MemoryKind kind = device::MemoryKind::device) {
    return device_.allocate(size_bytes, kind).value();
  }

  /// A dense matrix; its buffer lives as long as the bench.
  device::TensorView matrix(numerics::DataType type,
                            std::int64_t rows,
                            std::int64_t columns,
                            device::MemoryKind kind = device::MemoryKind::device) {
    device::TensorView view;
    view.type = type;
    view.rows = rows;
    view.columns = view.leading_dimension = columns;
    const auto bytes = static_cast<std::size_t>(rows * columns * numerics::storage_bits(type) / 8);
    buffers_.push_back(allocate(bytes, kind));
    view.buffer = buffers_.back().get();
    return view;
  }

  /// An n x n x n product of filled operands, sums and result in FP32 (FP64 for FP64).
  device::Gemm product(numerics::DataType type, std::int64_t n) {
    device::Gemm gemm;
    gemm.accumulator = type == numerics::DataType::f64 ? numerics::DataType::f64 : numerics::DataType::f32;
    gemm.a = matrix(type, n, n);
    gemm.b = matrix(type, n, n);
    gemm.c = matrix(gemm.accumulator, n, n);
    fill(gemm.a, 1);
    fill(gemm.b, 2);
    return gemm;
  }

  void fill(const device::TensorView& view, std::uint64_t seed) {
    launch(device::Fill{view, numerics::Data::normal, seed});
  }

  void launch(const device::Operation& operation) {
    ASSERT_TRUE(device_.launch(*stream_, operation).ok());
    ASSERT_TRUE(device_.synchronise(*stream_).ok());
  }

  /// Device time of one launch or copy by events, the one call between them included.
  template <typename Enqueue>
  double timed_ns(Enqueue enqueue) {
    auto start = device_.create_event().value();
    auto stop = device_.create_event().value();
    EXPECT_TRUE(device_.record(*stream_, *start).ok());
    EXPECT_TRUE(enqueue().ok());
    EXPECT_TRUE(device_.record(*stream_, *stop).ok());
    EXPECT_TRUE(device_.synchronise(*stream_).ok());
    return device_.elapsed_ns(*start, *stop).value();
  }
  double launch_ns(const device::Operation& operation) {
    return timed_ns([&] { return device_.launch(*stream_, operation); });
  }

  template <typename T>
  std::vector<T> download(device::Buffer& buffer) {
    auto staging = allocate(buffer.size_bytes(), device::MemoryKind::pinned);
    EXPECT_TRUE(device_.copy(*stream_, {staging.get(), 0, &buffer, 0, buffer.size_bytes()}).ok());
    EXPECT_TRUE(device_.synchronise(*stream_).ok());
    std::vector<T> values(buffer.size_bytes() / sizeof(T));
    std::memcpy(values.data(), staging->host_data(), values.size() * sizeof(T));
    return values;
  }

  template <typename T>
  void upload(device::Buffer& buffer, const std::vector<T>& values) {
    auto staging = allocate(buffer.size_bytes(), device::MemoryKind::pinned);
    std::memcpy(staging->host_data(), values.data(), values.size() * sizeof(T));
    EXPECT_TRUE(device_.copy(*stream_, {&buffer, 0, staging.get(), 0, buffer.size_bytes()}).ok());
    EXPECT_TRUE(device_.synchronise(*stream_).ok());
  }

 private:
  std::shared_ptr<HostTime> time_;
  ModelDevice device_;
  std::unique_ptr<device::Stream> stream_;
  std::vector<std::unique_ptr<device::Buffer>> buffers_;
};

}  // namespace jissoku::backends::model
