// The operations beside products: the same bits whatever the threads, and NaN where there is one. What they
// compute is compared with the reference by the conformance suite.
#include "jissoku/backends/cpu/tensor_operations.hpp"

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "jissoku/device/host_memory.hpp"
#include "jissoku/device/views.hpp"
#include "jissoku/numerics/random.hpp"

namespace jissoku::tests {
namespace {

using backends::cpu::ThreadTeam;
using device::Operation;
using device::TensorView;

constexpr std::int64_t kRows = 7, kColumns = 3001;

TensorView view(std::int64_t rows, std::int64_t columns) {
  TensorView view;
  view.rows = rows;
  view.columns = columns;
  view.leading_dimension = columns;
  view.batch_stride = rows * columns;
  return view;
}

/// All tensors of the operation, one after the other, after it ran on seeded numbers; `spoiled` of the first
/// tensor, if not negative, is a NaN.
std::vector<float> run(Operation operation, int threads, std::int64_t spoiled = -1) {
  std::atomic<std::int64_t> in_use{0};
  const auto team = std::move(ThreadTeam::create(threads, {})).value();
  std::vector<std::unique_ptr<device::Buffer>> buffers;
  for (const device::NamedView& named : device::views_of(operation)) {
    std::vector<float> values(static_cast<std::size_t>(*device::extent_elements(*named.view)));
    numerics::fill_values(numerics::Data::normal, buffers.size(), 0, 1, values);
    if (spoiled >= 0 && buffers.empty()) {
      values[static_cast<std::size_t>(spoiled)] = std::numeric_limits<float>::quiet_NaN();
    }
    const std::size_t size_bytes = values.size() * sizeof(float);
    buffers.push_back(device::HostBuffer::allocate(size_bytes, device::MemoryKind::pageable, in_use).value());
    std::memcpy(buffers.back()->host_data(), values.data(), size_bytes);
    const_cast<TensorView*>(named.view)->buffer = buffers.back().get();  // `operation` is ours
  }
  backends::cpu::run_tensor_operation(*team, operation);
  std::vector<float> results;
  for (const auto& buffer : buffers) {
    const auto* const data = reinterpret_cast<const float*>(buffer->host_data());
    results.insert(results.end(), data, data + buffer->size_bytes() / sizeof(float));
  }
  return results;
}

TEST(TensorOperations, GiveTheSameBitsWithAnyNumberOfThreads) {
  const TensorView m = view(kRows, kColumns);
  const TensorView row = view(1, kColumns);
  const TensorView one = view(1, 1);
  const Operation operations[] = {device::BiasActivation{m, row, m, device::Activation::relu},
                                  device::BiasActivationGradient{m, m, m, row, device::Activation::relu},
                                  device::Softmax{m, m},
                                  device::Reduce{m, one, device::Reduction::sum},
                                  device::Reduce{row, one, device::Reduction::amax},
                                  device::MseLoss{m, m, one, m, 3},
                                  device::SgdStep{m, m, m, 0.01, 0.9}};
  for (const Operation& operation : operations) {
    ASSERT_TRUE(backends::cpu::is_tensor_operation(operation));
    const std::vector<float> alone = run(operation, 1);
    for (const int threads : {2, 3, 9}) {
      const std::vector<float> together = run(operation, threads);
      EXPECT_EQ(std::memcmp(alone.data(), together.data(), alone.size() * sizeof(float)), 0)
          << device::to_string(operation) << " with " << threads << " threads";
    }
  }
}

TEST(TensorOperations, ANanAnywhereIsSeenByReductions) {
  const TensorView m = view(kRows, kColumns);
  for (const std::int64_t spoiled : {std::int64_t{0}, std::int64_t{4444}, kRows * kColumns - 1}) {
    for (const auto reduction : {device::Reduction::sum, device::Reduction::amax}) {
      EXPECT_TRUE(std::isnan(run(device::Reduce{m, view(1, 1), reduction}, 2, spoiled).back())) << spoiled;
    }
    const auto count = device::Reduce{m, view(1, 1), device::Reduction::non_finite_count};
    EXPECT_EQ(run(count, 2, spoiled).back(), 1) << spoiled;
    EXPECT_EQ(run(count, 2).back(), 0);
  }
}

}  // namespace
}  // namespace jissoku::tests
