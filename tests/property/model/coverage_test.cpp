// Measured like a real device, a model gives what is known to be true: medians and speed-ups, and
// intervals that hold as often as they say.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "jissoku/backends/model/model_device.hpp"
#include "jissoku/experiments/session.hpp"
#include "jissoku/measure/sampler.hpp"
#include "jissoku/measure/virtual_clock.hpp"
#include "jissoku/numerics/statistics.hpp"

namespace jissoku::backends::model {
namespace {

using numerics::DataType;
using numerics::Estimate;

constexpr int kSeeds = 1000;
// Three standard errors of 95 % among 1000 are 2.1 %; the seeds are fixed.
constexpr double kLeast = 92;
constexpr double kMost = 99;

/// A modelled device that only keeps time, with a product to measure.
class Contestant {
 public:
  Contestant(Model model, const std::shared_ptr<HostTime>& time, DataType type, std::int64_t n)
      : parameters_(model.parameters) {
    session_.device = std::make_unique<ModelDevice>(std::move(model), time, nullptr);
    session_.stream = session_.device->create_stream().value();
    session_.start = session_.device->create_event().value();
    session_.stop = session_.device->create_event().value();
    gemm_.accumulator = type == DataType::f64 ? DataType::f64 : DataType::f32;
    for (device::TensorView* view : {&gemm_.a, &gemm_.b, &gemm_.c}) {
      view->type = view == &gemm_.c ? gemm_.accumulator : type;
      view->rows = view->columns = view->leading_dimension = n;
      const auto bytes = static_cast<std::size_t>(n * n * numerics::storage_bits(view->type) / 8);
      buffers_.push_back(session_.device->allocate(bytes, device::MemoryKind::device).value());
      view->buffer = buffers_.back().get();
    }
  }

  std::unique_ptr<measure::Subject> subject(measure::Clock& clock) {
    return std::make_unique<experiments::DeviceSubject>(session_, gemm_, clock);
  }
  double truth_ns() const { return expected_ns(parameters_, kernel_of(parameters_, gemm_)); }

 private:
  Parameters parameters_;
  experiments::Session session_;
  std::vector<std::unique_ptr<device::Buffer>> buffers_;
  device::Gemm gemm_;
};

struct Case {
  std::string name;
  DataType type = DataType::f32;
  std::int64_t n = 1024;
  double sigma = 0.01;
  double jitter_ns = 0;
  double target = 0.02;  ///< where the sampler may stop
};

Model model_of(const Case& one, std::uint64_t seed, double speed) {
  Model model = baseline_model();
  Parameters& parameters = model.parameters;
  for (auto& [type, rate] : parameters.rates) {
    rate.flops_per_second *= speed;
  }
  parameters.memory_bytes_per_second *= speed;
  parameters.noise_sigma = one.sigma;
  parameters.launch_jitter_ns = one.jitter_ns;
  parameters.seed = seed;
  parameters.compute = false;
  return model;
}

struct Found {
  Estimate slow, fast, speed_up;
  double slow_truth_ns = 0, fast_truth_ns = 0;
};

/// The baseline and one 3.7 times as fast, measured against each other.
Found measure_pair(const Case& one, std::uint64_t seed) {
  const auto time = std::make_shared<HostTime>();
  Contestant slow(model_of(one, 2 * seed, 1), time, one.type, one.n);
  Contestant fast(model_of(one, 2 * seed + 1, 3.7), time, one.type, one.n);
  measure::VirtualClock clock(*time);
  const auto first = slow.subject(clock);
  const auto second = fast.subject(clock);
  measure::SamplerOptions options;
  options.min_sample_ns = 2'000'000;
  options.target_relative_half_width = one.target;
  options.groups = {0, 1};
  measure::SamplerContext context;
  context.clock = &clock;
  context.cpu_usage = [] { return measure::CpuUsage{}; };
  const auto measured = measure::measure_subjects({first.get(), second.get()}, options, context);
  const auto slow_ns = measure::round_times_ns(measured[0]);
  const auto fast_ns = measure::round_times_ns(measured[1]);
  return {numerics::estimate_median(slow_ns),
          numerics::estimate_median(fast_ns),
          numerics::estimate_ratio(slow_ns, fast_ns),
          slow.truth_ns(),
          fast.truth_ns()};
}

class Share {
 public:
  void add(const Estimate& estimate, double truth) {
    covered_ += estimate.interval.low <= truth && truth <= estimate.interval.high ? 1 : 0;
    error_ += estimate.value / truth - 1;
    rounds_ += estimate.rounds;
    ++all_;
  }
  double percent() const { return 100.0 * covered_ / all_; }
  void check(const std::string& name) const {
    std::printf("| %s | %.1f %% | bias %.4f %% | %.0f rounds |\n",
                name.c_str(),
                percent(),
                100 * error_ / all_,
                static_cast<double>(rounds_) / all_);
    EXPECT_GE(percent(), kLeast) << name;
    EXPECT_LE(percent(), kMost) << name;
  }

 private:
  int covered_ = 0, all_ = 0, rounds_ = 0;
  double error_ = 0;
};

TEST(ModelCoverage, TimesAndSpeedUpsHoldTheTruthAsOftenAsTheySay) {
  const std::vector<Case> cases = {
      {"FP32, 1024, sigma 1 %", DataType::f32, 1024, 0.01, 0, 0.02},
      {"FP64, 1024, sigma 5 %", DataType::f64, 1024, 0.05, 0, 0.02},
      {"FP32, 1024, sigma 3 %, 60 rounds", DataType::f32, 1024, 0.03, 0, 0},
      {"FP32, 256, sigma 3 %, jitter 20 us", DataType::f32, 256, 0.03, 20'000, 0.02},
  };
  for (const Case& one : cases) {
    Share slow;
    Share fast;
    Share speed_up;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const Found found = measure_pair(one, seed);
      slow.add(found.slow, found.slow_truth_ns);
      fast.add(found.fast, found.fast_truth_ns);
      speed_up.add(found.speed_up, found.slow_truth_ns / found.fast_truth_ns);
    }
    slow.check(one.name + ", time");
    fast.check(one.name + ", time of the faster one");
    speed_up.check(one.name + ", speed-up");
  }
}

TEST(ModelCoverage, AWrongTruthIsNotHeld) {
  Share slow;
  Share speed_up;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Found found = measure_pair({}, seed);
    slow.add(found.slow, 1.02 * found.slow_truth_ns);
    speed_up.add(found.speed_up, 1.02 * found.slow_truth_ns / found.fast_truth_ns);
  }
  EXPECT_LT(slow.percent(), 10);
  EXPECT_LT(speed_up.percent(), 10);
}

}  // namespace
}  // namespace jissoku::backends::model
