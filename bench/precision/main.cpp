// `./dev bench precision [--n N] [--threads T]`: GEMM with operands in every number format beside the best
// FP32 engine, all in the same rounds. Results are checked at sampled elements against FP64 sums of the
// dequantised operands.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "jissoku/cli/registration.hpp"
#include "jissoku/core/machine.hpp"
#include "jissoku/experiments/session.hpp"
#include "jissoku/numerics/codes.hpp"
#include "jissoku/numerics/random.hpp"
#include "jissoku/numerics/statistics.hpp"

namespace jissoku::bench {
namespace {

using numerics::DataType;

constexpr int kWrong = 1, kUsageError = 2, kUnavailable = 3;

const char* const kUsage =
    "./dev bench precision [--n N] [--threads T] [--budget SECONDS]: GEMM in every number format beside the "
    "best\n"
    "FP32 engine, N x N x N (2048), on T threads (1), in the same rounds for SECONDS (60). TN: both "
    "operands\n"
    "with blocks along K. Exit code 1 if a result is wrong.\n";

struct Options {
  std::int64_t n = 2048, budget_s = 60;
  int threads = 1;
};

struct Format {
  const char* name;
  DataType type;
  DataType c_type = DataType::f32;
  std::int64_t scale_block = 0;
  DataType scale_type = DataType::e8m0;
};

constexpr Format kFormats[] = {
    {"FP32", DataType::f32},
    {"TF32", DataType::tf32},
    {"FP16", DataType::f16},
    {"BF16", DataType::bf16},
    {"FP8 E4M3", DataType::e4m3},
    {"FP8 E5M2", DataType::e5m2},
    {"FP6 E2M3", DataType::e2m3},
    {"FP4 E2M1", DataType::e2m1},
    {"MXFP8", DataType::e4m3, DataType::f32, 32},
    {"MXFP4", DataType::e2m1, DataType::f32, 32},
    {"NVFP4", DataType::e2m1, DataType::f32, 16, DataType::e4m3},
    {"INT8", DataType::i8, DataType::i32},
};

/// Codes of one matrix, n x n, and its block scales.
struct Stored {
  std::unique_ptr<device::Buffer> codes, scales;
};

/// A format's operands and result, and the ways to multiply them.
struct Entry {
  Format format;
  bool turned = false;  ///< b as n x k
  device::Gemm gemm;
  std::string variant;
  bool emulated = false, right = false;
  std::unique_ptr<experiments::DeviceSubject> subject;
};

class Contest {
 public:
  Contest(experiments::Session& session, const Options& options) : session_(session), options_(options) {}

  bool enter(const Format& format, bool turned);
  void measure();
  bool all_right() const {
    return std::all_of(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.right; });
  }

 private:
  device::Buffer* buffer(std::size_t bytes);
  device::TensorView store(const Format& format, std::uint64_t seed);
  bool check(const Entry& entry);
  void print(const std::vector<measure::Measurement>& measured) const;

  experiments::Session& session_;
  const Options& options_;
  measure::SystemClock clock_;
  std::vector<std::unique_ptr<device::Buffer>> buffers_;
  std::vector<Entry> entries_;
};

device::Buffer* Contest::buffer(std::size_t bytes) {
  auto made = session_.device->allocate(bytes, device::MemoryKind::pageable);
  if (!made) {
    return nullptr;
  }
  buffers_.push_back(std::move(*made));
  return buffers_.back().get();
}

/// Normal values (integers of full range for INT8), scaled to use the format's range.
device::TensorView Contest::store(const Format& format, std::uint64_t seed) {
  const std::int64_t n = options_.n;
  device::TensorView view;
  view.type = format.type;
  view.rows = view.columns = view.leading_dimension = n;
  view.buffer = buffer(numerics::packed_bytes(format.type, n * n));
  if (view.buffer == nullptr) {
    return view;
  }
  std::vector<float> line(static_cast<std::size_t>(n));
  const bool integers = format.type == DataType::i8;
  for (std::int64_t row = 0; row < n; ++row) {
    numerics::fill_values(integers ? numerics::Data::ints : numerics::Data::normal,
                          seed,
                          static_cast<std::uint64_t>(row * n),
                          127,
                          std::span<float>(line));
    numerics::encode(
        format.type,
        line.data(),
        n,
        view.buffer->host_data() + static_cast<std::size_t>(row) * numerics::packed_bytes(format.type, n));
  }
  if (format.scale_block != 0) {
    const std::int64_t count = n * ((n + format.scale_block - 1) / format.scale_block);
    std::vector<float> scales(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < scales.size(); ++i) {
      scales[i] = std::ldexp(1.0F, static_cast<int>(i % 3) - 1);
    }
    view.scale_block = static_cast<int>(format.scale_block);
    view.scale_type = format.scale_type;
    view.scales = buffer(numerics::packed_bytes(format.scale_type, count));
    if (view.scales != nullptr) {
      numerics::encode(format.scale_type, scales.data(), count, view.scales->host_data());
    }
  }
  return view;
}

/// Enters every variant that can multiply the format; false if there is no memory.
bool Contest::enter(const Format& format, bool turned) {
  device::Gemm gemm;
  gemm.a = store(format, 1);
  gemm.b = store(format, 2);
  gemm.c = gemm.a;
  gemm.c.scales = nullptr;
  gemm.c.scale_block = 0;
  gemm.c.type = format.c_type;
  gemm.c.buffer = buffer(static_cast<std::size_t>(options_.n * options_.n) * 4);
  gemm.accumulator = format.c_type;
  gemm.transpose_b = turned;
  if (gemm.a.buffer == nullptr || gemm.b.buffer == nullptr || gemm.c.buffer == nullptr) {
    return false;
  }
  for (const device::Variant& variant : session_.device->variants(gemm)) {
    gemm.variant = variant.name;
    const device::Support support = session_.device->supports(gemm);
    if (!support.ok) {
      continue;
    }
    Entry entry{format, turned, gemm, variant.name, support.emulated, false, nullptr};
    entry.right = experiments::launch_and_wait(session_, gemm) && check(entry);
    entry.subject = std::make_unique<experiments::DeviceSubject>(session_, gemm, clock_);
    entries_.push_back(std::move(entry));
  }
  return true;
}

/// One element of op(view), dequantised.
double element(const device::TensorView& view, std::int64_t row, std::int64_t column) {
  float value = 0, scale = 1;
  numerics::decode(view.type, view.buffer->host_data(), row * view.leading_dimension + column, 1, &value);
  if (view.scale_block != 0) {
    const std::int64_t in_row = (view.columns + view.scale_block - 1) / view.scale_block;
    numerics::decode(
        view.scale_type, view.scales->host_data(), row * in_row + column / view.scale_block, 1, &scale);
  }
  return static_cast<double>(value) * static_cast<double>(scale);
}

/// 64 elements, each within the bound of sums in FP32 (INT8: equal).
bool Contest::check(const Entry& entry) {
  const std::int64_t n = options_.n;
  for (std::int64_t sample = 0; sample < 64; ++sample) {
    const std::int64_t i = sample * 7919 % n, j = sample * 104729 % n;
    double sum = 0, magnitude = 0;
    for (std::int64_t p = 0; p < n; ++p) {
      const double term = element(entry.gemm.a, i, p) *
                          (entry.turned ? element(entry.gemm.b, j, p) : element(entry.gemm.b, p, j));
      sum += term;
      magnitude += std::abs(term);
    }
    const std::byte* const at = entry.gemm.c.buffer->host_data() + (i * n + j) * 4;
    float real = 0;
    std::int32_t integer = 0;
    std::memcpy(&real, at, 4);
    std::memcpy(&integer, at, 4);
    const bool whole = entry.format.c_type == DataType::i32;
    const double found = whole ? static_cast<double>(integer) : static_cast<double>(real);
    const double bound = whole ? 0 : magnitude * 0x1p-24 * 3 * std::sqrt(static_cast<double>(n));
    if (!(std::abs(found - sum) <= bound)) {
      return false;
    }
  }
  return true;
}

void Contest::measure() {
  std::vector<measure::Subject*> subjects;
  for (Entry& entry : entries_) {
    subjects.push_back(entry.subject.get());
  }
  measure::SamplerOptions sampler;
  sampler.budget_ns = options_.budget_s * 1'000'000'000;
  sampler.drop_ratio = 0;
  sampler.settle_ns = 1'000'000;
  measure::SamplerContext context;
  context.clock = &clock_;
  print(measure::measure_subjects(subjects, sampler, context));
}

void Contest::print(const std::vector<measure::Measurement>& measured) const {
  std::size_t best = entries_.size();
  std::vector<std::vector<double>> times;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    times.push_back(measure::round_times_ns(measured[i]));
    const bool base = entries_[i].format.type == DataType::f32 && !entries_[i].turned && !times[i].empty();
    if (base && (best == entries_.size() || numerics::median(times[i]) < numerics::median(times[best]))) {
      best = i;
    }
  }
  const auto n = static_cast<double>(options_.n);
  fmt::print("{:<10} {:<6} {:<10} {:<9} {:>8} {:>9}  {}\n",
             "operands",
             "layout",
             "engine",
             "",
             "GFLOPS",
             "to FP32",
             "result");
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (times[i].empty() || best == entries_.size()) {
      fmt::print(
          "{:<10} {:<6} {:<10} not measured\n", entry.format.name, entry.turned ? "TN" : "NN", entry.variant);
      continue;
    }
    const std::size_t rounds = std::min(times[i].size(), times[best].size());
    const auto ratio =
        numerics::estimate_ratio(std::span(times[best]).first(rounds), std::span(times[i]).first(rounds));
    fmt::print("{:<10} {:<6} {:<10} {:<9} {:>8.1f} {:>7.3f}x  {}\n",
               entry.format.name,
               entry.turned ? "TN" : "NN",
               entry.variant,
               entry.emulated ? "emulated" : "native",
               2 * n * n * n / numerics::median(times[i]),
               ratio.value,
               entry.right ? "right" : "WRONG");
  }
}

int run(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool has_value = i + 1 < arguments.size();
    const std::int64_t value = has_value ? std::strtoll(arguments[i + 1].c_str(), nullptr, 10) : 0;
    if (arguments[i] == "--help") {
      fmt::print("{}", kUsage);
      return 0;
    }
    if (value < 1 || value > 16384) {
      fmt::print(stderr, "bench precision: {} needs a number; see --help\n", arguments[i]);
      return kUsageError;
    }
    ++i;
    if (arguments[i - 1] == "--n") {
      options.n = value / 8 * 8;
    } else if (arguments[i - 1] == "--threads") {
      options.threads = static_cast<int>(value);
    } else if (arguments[i - 1] == "--budget") {
      options.budget_s = value;
    } else {
      fmt::print(stderr, "bench precision: no option '{}'; see --help\n", arguments[i - 1]);
      return kUsageError;
    }
  }
  device::OpenOptions open;
  open.threads = options.threads;
  auto session = experiments::open_session(cli::make_registry(), "cpu", open);
  if (!session) {
    fmt::print(stderr, "bench precision: {}\n", session.error().message.id);
    return kUnavailable;
  }
  fmt::print("{}, {} threads, {} x {} x {}\n",
             core::probe_machine().cpu_model,
             options.threads,
             options.n,
             options.n,
             options.n);
  Contest contest(*session, options);
  for (const Format& format : kFormats) {
    const bool both = format.scale_block == 0;
    if (!contest.enter(format, !both) ||
        (both && format.type == DataType::i8 && !contest.enter(format, true))) {
      fmt::print(stderr, "bench precision: no memory\n");
      return kUnavailable;
    }
  }
  contest.measure();
  return contest.all_right() ? 0 : kWrong;
}

}  // namespace
}  // namespace jissoku::bench

int main(int argc, char** argv) {
  try {
    return jissoku::bench::run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench precision: %s\n", failure.what());
    return jissoku::bench::kUnavailable;
  }
}
