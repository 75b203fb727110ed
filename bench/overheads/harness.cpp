#include "bench/overheads/harness.hpp"

#include <dlfcn.h>

#include "bench/overheads/null_device.hpp"
#include "jissoku/cli/registration.hpp"
#include "jissoku/experiments/matmul/operands.hpp"
#include "jissoku/experiments/session.hpp"
#include "jissoku/measure/sampler.hpp"
#include "jissoku/numerics/statistics.hpp"

namespace jissoku::bench {
namespace {

using experiments::DeviceSubject;
using experiments::matmul::Operands;
using experiments::matmul::Params;

/// Does nothing and says that a launch took 1 ms: what passes on the clock is the sampler's own.
class EmptySubject final : public measure::Subject {
 public:
  core::Result<measure::BatchTiming> run(std::int64_t launches) override {
    measure::BatchTiming timing;
    timing.host_ns = 1e6 * static_cast<double>(launches);
    return timing;
  }
};

double sampler_ns_per_sample(measure::Clock& clock) {
  constexpr int kSubjects = 4;
  EmptySubject empty[kSubjects];
  measure::SamplerOptions options;
  options.min_sample_ns = 1'000'000;
  options.target_relative_half_width = 0;  // never reached: all rounds are run
  options.max_rounds = 60;
  measure::SamplerContext context;
  context.clock = &clock;
  std::vector<double> times;
  constexpr int kRepeats = 11;
  for (int i = 0; i < kRepeats; ++i) {
    const std::int64_t start_ns = clock.now_ns();
    const auto measurements =
        measure::measure_subjects({&empty[0], &empty[1], &empty[2], &empty[3]}, options, context);
    const auto elapsed_ns = static_cast<double>(clock.now_ns() - start_ns);
    std::size_t samples = 0;
    for (const measure::Measurement& measurement : measurements) {
      samples += measurement.rounds.size();
    }
    times.push_back(elapsed_ns / static_cast<double>(samples));
  }
  return numerics::median(times);
}

double median_launch_ns(measure::Subject& subject, std::int64_t launches) {
  constexpr int kRepeats = 101;
  std::vector<double> times;
  for (int i = 0; i < kRepeats; ++i) {
    if (const auto timing = subject.run(launches)) {
      times.push_back(timing->host_ns / static_cast<double>(launches));
    }
  }
  return numerics::median(times);
}

// CBLAS (netlib): CblasRowMajor = 101, CblasNoTrans = 111.
using CblasSgemm =
    void(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);

float* element(const device::TensorView& view) {
  return reinterpret_cast<float*>(view.buffer->host_data());
}

class DirectCall final : public measure::Subject {
 public:
  DirectCall(CblasSgemm* sgemm, const device::Gemm& gemm, measure::Clock& clock)
      : sgemm_(sgemm), a_(element(gemm.a)), b_(element(gemm.b)), c_(element(gemm.c)), clock_(clock) {}

  core::Result<measure::BatchTiming> run(std::int64_t launches) override {
    measure::BatchTiming timing;
    const std::int64_t start_ns = clock_.now_ns();
    for (std::int64_t i = 0; i < launches; ++i) {
      sgemm_(101, 111, 111, 1, 1, 1, 1.0F, a_, 1, b_, 1, 0.0F, c_, 1);
    }
    timing.host_ns = static_cast<double>(clock_.now_ns() - start_ns);
    return timing;
  }

 private:
  CblasSgemm* sgemm_;
  const float *a_, *b_;
  float* c_;
  measure::Clock& clock_;
};

/// 3 x 5 is 15, over an element that was something else.
bool multiplies(measure::Subject& subject, const device::Gemm& gemm) {
  *element(gemm.a) = 3;
  *element(gemm.b) = 5;
  *element(gemm.c) = -1;
  return subject.run(1).ok() && *element(gemm.c) == 15;
}

/// The function that the engine of that variant calls, from the library that is loaded already.
CblasSgemm* find_sgemm(const device::Variant& variant) {
  void* handle = variant.file.empty() ? nullptr : dlopen(variant.file.c_str(), RTLD_NOW | RTLD_NOLOAD);
  return handle == nullptr ? nullptr : reinterpret_cast<CblasSgemm*>(dlsym(handle, "cblas_sgemm"));
}

void compare(std::vector<Overhead>& found,
             const std::string& engine,
             measure::Subject& direct,
             measure::Subject& launched,
             measure::Clock& clock) {
  measure::SamplerOptions options;
  options.min_sample_ns = 5'000'000;
  options.budget_ns = 3'000'000'000;
  options.drop_ratio = 0;
  measure::SamplerContext context;
  context.clock = &clock;
  const auto measurements = measure::measure_subjects({&direct, &launched}, options, context);
  const auto direct_ns = measure::round_times_ns(measurements[0]);
  const auto launched_ns = measure::round_times_ns(measurements[1]);
  if (direct_ns.empty() || direct_ns.size() != launched_ns.size()) {
    return;
  }
  std::vector<double> added;
  for (std::size_t i = 0; i < direct_ns.size(); ++i) {
    added.push_back(launched_ns[i] - direct_ns[i]);
  }
  found.push_back({"1x1x1 product, " + engine + " called directly", numerics::median(direct_ns), "ns", {}});
  found.push_back({"  added by the device interface", numerics::median(added), "ns", {}});
  found.push_back({"  ratio", numerics::estimate_ratio(launched_ns, direct_ns).value, "x", {}});
}

}  // namespace

std::vector<Overhead> harness_overheads() {
  measure::SystemClock clock;
  experiments::Session session = null_session();
  DeviceSubject subject(session, device::Gemm(), clock);
  constexpr std::int64_t kMany = 100'000;
  const double launch_ns = median_launch_ns(subject, kMany);
  const double span_ns = median_launch_ns(subject, 1) - launch_ns;
  return {{"sampler, per sample, outside of the timed span", sampler_ns_per_sample(clock), "ns", {}},
          {"timed span of a sample (two clock readings)", span_ns, "ns", {}},
          {"launch of an empty operation, in the timed span", launch_ns, "ns", {}}};
}

std::vector<Overhead> interface_overheads(std::vector<std::string>& missing) {
  measure::SystemClock clock;
  device::OpenOptions open;
  open.threads = 1;
  auto session = experiments::open_session(cli::make_registry(), "cpu", open);
  if (!session) {
    missing.push_back("device interface: the device cpu cannot be opened (" + session.error().message.id +
                      ")");
    return {};
  }
  auto operands = Operands::allocate(*session, {{1, 1, 1}, numerics::DataType::f32}, Params());
  if (!operands) {
    missing.push_back("device interface: no operands (" + operands.error().message.id + ")");
    return {};
  }
  std::vector<Overhead> found;
  for (const device::Variant& variant : session->device->variants(operands->gemm())) {
    CblasSgemm* sgemm = find_sgemm(variant);
    device::Gemm gemm = operands->gemm();
    gemm.variant = variant.name;
    if (sgemm == nullptr || !session->device->supports(gemm).ok) {
      continue;
    }
    DirectCall direct(sgemm, gemm, clock);
    DeviceSubject launched(*session, gemm, clock);
    if (!multiplies(direct, gemm) || !multiplies(launched, gemm)) {
      missing.push_back("device interface: " + variant.name + " gave a wrong product");
      continue;
    }
    compare(found, variant.name, direct, launched, clock);
  }
  if (found.empty()) {
    missing.push_back("device interface: no library with cblas_sgemm is loaded");
  }
  return found;
}

}  // namespace jissoku::bench
