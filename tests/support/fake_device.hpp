// A scriptable device on a fake clock: seeded times, real results (through the reference), failures
// of any call, wrong results, and, if it is no host device, memory that the host cannot address and
// a clock of its own. `make_fake_backend` puts one or more into a Registry.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jissoku/backends/reference/backend.hpp"
#include "jissoku/device/backend.hpp"
#include "jissoku/device/host_memory.hpp"
#include "jissoku/device/validate.hpp"
#include "jissoku/device/views.hpp"
#include "support/fake_clock.hpp"
#include "support/fake_device_parts.hpp"

namespace jissoku::tests {

class FakeDevice final : public device::Device {
 public:
  FakeDevice(FakeClock& clock, FakeDeviceOptions options, std::shared_ptr<FakeJournal> journal)
      : clock_(clock), options_(std::move(options)), journal_(std::move(journal)), info_(describe(options_)) {
    auto reference = backends::reference::make_backend();
    reference_ = reference.open(reference.list().devices.front().id, {}).value();
    reference_stream_ = reference_->create_stream().value();
  }

  static device::Info describe(const FakeDeviceOptions& options) {
    device::Info info;
    info.id = options.id;
    info.name = options.name;
    info.backend = options.id.substr(0, options.id.find(':'));
    info.fingerprint = options.fingerprint;
    info.driver = "fake 1.0";
    info.is_host = options.is_host;
    info.queued = options.queued.value_or(!options.is_host);
    info.compute_units = options.threads;
    info.memory_bytes = options.memory_bytes;
    info.datasheet = options.datasheet;
    for (const FakeVariant& variant : options.variants) {
      info.variant_names.push_back(variant.name);
    }
    return info;
  }

  const device::Info& info() const override { return info_; }

  device::Support supports(const device::Operation& operation) const override {
    const auto* peak = std::get_if<device::FmaPeak>(&operation);
    if (peak != nullptr || std::holds_alternative<device::MemoryTriad>(operation)) {
      const bool there =
          peak != nullptr ? options_.fma_gflops > 0 && peak->variant.empty() : options_.triad_gbps > 0;
      return {there, false, there ? core::Message{} : core::message("test.fake_no_probe")};
    }
    const auto* gemm = std::get_if<device::Gemm>(&operation);
    if (gemm == nullptr) {
      return reference_->supports(operation);
    }
    const FakeVariant* variant = find_variant(gemm->variant);
    if (variant == nullptr || variant->missing) {
      return {false, false, core::message("test.fake_missing", {{"variant", gemm->variant}})};
    }
    device::Gemm plain = *gemm;
    plain.variant.clear();
    return reference_->supports(plain);
  }

  std::vector<device::Variant> variants(const device::Operation& operation) const override {
    std::vector<device::Variant> found;
    if (!std::holds_alternative<device::Gemm>(operation)) {
      return found;
    }
    for (const FakeVariant& variant : options_.variants) {
      if (!variant.missing) {
        device::Variant described;
        described.name = variant.name;
        described.library = "Fake " + variant.name;
        described.threads = options_.threads;
        found.push_back(std::move(described));
      }
    }
    return found;
  }

  core::Result<std::unique_ptr<device::Buffer>> allocate(std::size_t size_bytes,
                                                         device::MemoryKind kind) override {
    if (auto failure = fails(FakeCall::allocate)) {
      return *failure;
    }
    if (static_cast<double>(size_bytes) + static_cast<double>(in_use_bytes_) >
        static_cast<double>(options_.memory_bytes)) {
      return core::make_error(core::ExitCode::unavailable, "test.fake_out_of_memory");
    }
    auto memory = device::HostBuffer::allocate(size_bytes, kind, in_use_bytes_);
    if (!memory) {
      return memory.error();
    }
    const bool hidden = !options_.is_host && kind == device::MemoryKind::device;
    return std::unique_ptr<device::Buffer>(std::make_unique<detail::FakeBuffer>(std::move(*memory), hidden));
  }
  core::Result<std::unique_ptr<device::Stream>> create_stream() override {
    return create<device::Stream, detail::FakeStream>(FakeCall::create_stream);
  }
  core::Result<std::unique_ptr<device::Event>> create_event() override {
    return create<device::Event, detail::FakeEvent>(FakeCall::create_event);
  }

  core::Status launch(device::Stream& stream, const device::Operation& operation) override {
    if (auto failure = fails(FakeCall::launch)) {
      return *failure;
    }
    if (device::Support support = supports(operation); !support.ok) {
      return core::Error{core::ExitCode::unavailable, support.reason};
    }
    if (core::Status sound = device::validate(operation); !sound) {
      return sound;
    }
    ++journal_->operations[device::to_string(operation)];
    if (options_.compute) {
      compute(operation);
    }
    spend(stream, device::Activity::launch, device::to_string(operation), work_ns(operation));
    return {};
  }

  core::Status copy(device::Stream& stream, const device::CopyRange& range) override {
    if (auto failure = fails(FakeCall::copy)) {
      return *failure;
    }
    if (core::Status sound = device::validate(range); !sound) {
      return sound;
    }
    device::CopyRange inner = range;
    inner.src = detail::memory_of(range.src);
    inner.dst = detail::memory_of(range.dst);
    device::copy_host(inner);
    spend(
        stream, device::Activity::copy, "copy", static_cast<double>(range.size_bytes) / options_.memory_gbps);
    return {};
  }

  core::Status record(device::Stream& stream, device::Event& event) override {
    if (auto failure = fails(FakeCall::record)) {
      return *failure;
    }
    auto* own = dynamic_cast<detail::FakeEvent*>(&event);
    if (own == nullptr) {
      return core::make_error(core::ExitCode::usage, "device.foreign_event");
    }
    own->time_ns = std::max(clock_.now_ns(), busy_until(stream)) + clock_offset_ns();
    return {};
  }

  core::Status wait(device::Stream& stream, device::Event& event) override {
    if (auto failure = fails(FakeCall::wait)) {
      return *failure;
    }
    auto* own = dynamic_cast<detail::FakeEvent*>(&event);
    if (own == nullptr) {
      return core::make_error(core::ExitCode::usage, "device.foreign_event");
    }
    if (own->time_ns) {
      busy_until(stream) = std::max(busy_until(stream), *own->time_ns - clock_offset_ns());
    }
    return {};
  }

  core::Status synchronise(device::Stream& stream) override {
    if (auto failure = fails(FakeCall::synchronise)) {
      return *failure;
    }
    const std::int64_t start_ns = clock_.now_ns();
    clock_.advance(std::max<std::int64_t>(0, busy_until(stream) - start_ns), 0);
    if (recorder_ != nullptr) {
      recorder_->host_call(
          device::Activity::synchronise, "synchronise", ++correlation_, start_ns, clock_.now_ns());
    }
    return {};
  }

  core::Result<double> elapsed_ns(const device::Event& start, const device::Event& stop) override {
    if (auto failure = fails(FakeCall::elapsed)) {
      return *failure;
    }
    const auto* first = dynamic_cast<const detail::FakeEvent*>(&start);
    const auto* last = dynamic_cast<const detail::FakeEvent*>(&stop);
    if (first == nullptr || last == nullptr) {
      return core::make_error(core::ExitCode::usage, "device.foreign_event");
    }
    if (!first->time_ns || !last->time_ns) {
      return core::make_error(core::ExitCode::usage, "device.event_not_recorded");
    }
    return static_cast<double>(*last->time_ns - *first->time_ns);
  }

  std::int64_t memory_in_use_bytes() const override { return in_use_bytes_; }
  device::Telemetry telemetry() override { return {}; }
  void set_recorder(device::Recorder* recorder) override { recorder_ = recorder; }
  std::optional<std::int64_t> host_minus_device_ns() const override { return -clock_offset_ns(); }

 private:
  std::optional<core::Error> fails(FakeCall call) {
    const int occurrence = journal_->calls[call]++;
    if (options_.fault) {
      if (auto failure = options_.fault(call)) {
        return failure;
      }
    }
    for (const FakeFailure& failure : options_.failures) {
      if (failure.call == call && occurrence >= failure.from && occurrence - failure.from < failure.count) {
        return core::make_error(core::ExitCode::unavailable, "test.fake_failure");
      }
    }
    return std::nullopt;
  }

  template <typename Base, typename Object>
  core::Result<std::unique_ptr<Base>> create(FakeCall call) {
    if (auto failure = fails(call)) {
      return *failure;
    }
    return std::unique_ptr<Base>(std::make_unique<Object>());
  }

  /// By name; the first that is not missing for "".
  const FakeVariant* find_variant(const std::string& name) const {
    for (const FakeVariant& variant : options_.variants) {
      if (name.empty() ? !variant.missing : variant.name == name) {
        return &variant;
      }
    }
    return nullptr;
  }

  double work_ns(const device::Operation& operation) const {
    if (const auto* gemm = std::get_if<device::Gemm>(&operation)) {
      const double share = gemm->c.type == numerics::DataType::f64 ? 0.5 : 1;
      return device::gemm_flops(*gemm) / (find_variant(gemm->variant)->gflops * share);
    }
    if (const auto* peak = std::get_if<device::FmaPeak>(&operation)) {
      return peak->flops / (options_.fma_gflops * (peak->type == numerics::DataType::f64 ? 0.5 : 1));
    }
    double bytes = 0;
    for (const device::NamedView& named : device::views_of(operation)) {
      bytes += device::logical_bytes(*named.view);
    }
    const bool triad = std::holds_alternative<device::MemoryTriad>(operation);
    return bytes / (triad ? options_.triad_gbps : options_.memory_gbps);
  }

  double next_factor() {
    const auto index = static_cast<std::uint64_t>(launches_);
    const auto unit = [&](std::uint64_t which) {
      const std::uint64_t bits = numerics::random_bits(options_.seed, 2 * index + which) >> 11;
      return (static_cast<double>(bits) + 0.5) * 0x1p-53;
    };
    const double normal = std::sqrt(-2 * std::log(unit(0))) * std::cos(6.283185307179586 * unit(1));
    const double slowdown = options_.slowdown ? options_.slowdown(launches_) : 1;
    ++launches_;
    return slowdown * std::exp(options_.noise * normal);
  }

  void spend(device::Stream& stream, device::Activity activity, const std::string& name, double ns) {
    const auto duration_ns = static_cast<std::int64_t>((options_.launch_ns + ns) * next_factor());
    const std::int64_t start_ns = clock_.now_ns();
    std::int64_t work_start_ns = start_ns;
    if (options_.is_host) {
      clock_.advance(duration_ns, options_.threads);
    } else {
      clock_.advance(static_cast<std::int64_t>(options_.launch_ns));
      work_start_ns = std::max(clock_.now_ns(), busy_until(stream));
      busy_until(stream) = work_start_ns + duration_ns;
    }
    if (recorder_ != nullptr) {
      const std::int64_t offset_ns = clock_offset_ns();
      recorder_->host_call(activity, name, ++correlation_, start_ns, clock_.now_ns());
      recorder_->device_work(
          activity, name, correlation_, work_start_ns + offset_ns, work_start_ns + duration_ns + offset_ns);
    }
  }

  std::int64_t clock_offset_ns() const { return options_.is_host ? 0 : options_.device_clock_offset_ns; }
  static std::int64_t& busy_until(device::Stream& stream) {
    return static_cast<detail::FakeStream&>(stream).busy_until_ns;
  }

  void compute(const device::Operation& operation) {
    device::Operation inner = operation;
    for (const device::NamedView& named : device::views_of(inner)) {
      auto* view = const_cast<device::TensorView*>(named.view);  // `inner` is ours and not const
      view->buffer = detail::memory_of(view->buffer);
    }
    if (auto* gemm = std::get_if<device::Gemm>(&inner)) {
      compute_gemm(*gemm);
    } else if (const auto* triad = std::get_if<device::MemoryTriad>(&inner)) {
      detail::add_triad(*triad);
    } else if (reference_->supports(inner).ok) {
      static_cast<void>(reference_->launch(*reference_stream_, inner));
    }
  }

  /// Samples repeat one product thousands of times: it is computed again only if its inputs or what
  /// it had left in C changed.
  void compute_gemm(device::Gemm& gemm) {
    const FakeVariant variant = *find_variant(gemm.variant);
    ++journal_->gemms[variant.name];
    gemm.variant.clear();
    if (variant.result == FakeResult::untouched) {
      return;
    }
    std::uint64_t inputs = 0;
    detail::mix(inputs, variant.name.data(), variant.name.size());
    for (const double scalar : {gemm.alpha, gemm.transpose_a ? 1.0 : 0.0, gemm.transpose_b ? 1.0 : 0.0}) {
      detail::mix(inputs, &scalar, sizeof scalar);
    }
    detail::mix(inputs, gemm.a);
    detail::mix(inputs, gemm.b);
    std::uint64_t before = inputs;
    detail::mix(before, gemm.c);
    if (gemm.beta == 0 && before == after_) {
      return;
    }
    static_cast<void>(reference_->launch(*reference_stream_, gemm));
    if (gemm.c.type == numerics::DataType::f64) {
      detail::spoil<double>(gemm.c, variant.result);
    } else {
      detail::spoil<float>(gemm.c, variant.result);
    }
    after_ = inputs;
    detail::mix(after_, gemm.c);
  }

  FakeClock& clock_;
  FakeDeviceOptions options_;
  std::shared_ptr<FakeJournal> journal_;
  device::Info info_;
  std::unique_ptr<device::Device> reference_;
  std::unique_ptr<device::Stream> reference_stream_;
  std::atomic<std::int64_t> in_use_bytes_ = 0;
  device::Recorder* recorder_ = nullptr;
  std::int64_t correlation_ = 0;
  std::int64_t launches_ = 0;
  std::uint64_t after_ = 0;  ///< hash of the last product's inputs and result
};

/// A backend with these devices (at least one; the part of the first id before ':' names the backend).
/// `clock` must outlive it. Failures count from the first open, over all devices that share a journal.
inline device::Backend make_fake_backend(FakeClock& clock,
                                         std::vector<FakeDeviceOptions> devices,
                                         std::shared_ptr<FakeJournal> journal = nullptr) {
  device::Backend backend;
  backend.name = FakeDevice::describe(devices.front()).backend;
  if (journal == nullptr) {
    journal = std::make_shared<FakeJournal>();
  }
  backend.list = [devices] {
    device::Listing listing;
    for (const FakeDeviceOptions& options : devices) {
      listing.devices.push_back(FakeDevice::describe(options));
    }
    return listing;
  };
  backend.open = [&clock, devices, journal](
                     const std::string& id,
                     const device::OpenOptions&) -> core::Result<std::unique_ptr<device::Device>> {
    const auto options = std::find_if(
        devices.begin(), devices.end(), [&](const FakeDeviceOptions& one) { return one.id == id; });
    const int occurrence = journal->calls[FakeCall::open]++;
    if (options->fault) {
      if (auto failure = options->fault(FakeCall::open)) {
        return *failure;
      }
    }
    for (const FakeFailure& failure : options->failures) {
      if (failure.call == FakeCall::open && occurrence >= failure.from &&
          occurrence - failure.from < failure.count) {
        return core::make_error(core::ExitCode::unavailable, "test.fake_failure");
      }
    }
    return std::unique_ptr<device::Device>(std::make_unique<FakeDevice>(clock, *options, journal));
  };
  return backend;
}

}  // namespace jissoku::tests
