// Each call of a device to its driver and to the allocator fails once, in turn, while everything is done with
// the device that an experiment does: each time there is an error that says what happened, nothing is kept,
// nothing ends the program, and the device works afterwards; a lost one, when it is opened anew.
#include <algorithm>

#include "../device/harness.hpp"
#include "faults.hpp"
#include "jissoku/core/catalogue.hpp"

namespace jissoku::embedded {
extern const std::string_view messages_en;
}

namespace jissoku::tests {
namespace {

using device::MemoryKind;
using device::TensorView;
using numerics::DataType;

constexpr std::int64_t kSize = 12;
constexpr std::size_t kElements = kSize * kSize;
constexpr std::size_t kBytes = kElements * sizeof(float);
/// No scenario has as many calls.
constexpr long kMostCalls = 2000;

/// What of the scenario a device can do, found out while nothing fails.
struct Plan {
  std::vector<MemoryKind> kinds;
  std::vector<std::string> variants;  ///< of products
  bool peak = false, triad = false, bias = false;
};

TensorView matrix(device::Buffer* buffer, std::int64_t columns = kSize) {
  TensorView view;
  view.buffer = buffer;
  view.rows = kSize;
  view.columns = columns;
  view.leading_dimension = kSize;
  view.batch_stride = kSize * kSize;
  return view;
}

device::Gemm product(device::Buffer* a, device::Buffer* b, device::Buffer* c) {
  device::Gemm gemm;
  gemm.a = matrix(a);
  gemm.b = matrix(b);
  gemm.c = matrix(c);
  return gemm;
}

device::FmaPeak peak_probe() {
  device::FmaPeak peak;
  peak.flops = 1e5;
  return peak;
}

device::MemoryTriad triad_probe(device::Buffer* a, device::Buffer* b, device::Buffer* c) {
  const auto vector = [](device::Buffer* buffer) {
    TensorView view = matrix(buffer, 64);
    view.type = DataType::f64;
    view.rows = 1;
    view.leading_dimension = view.batch_stride = view.columns;
    return view;
  };
  return {vector(a), vector(b), vector(c)};
}

/// The bias is the first row of its buffer.
device::BiasActivation bias_activation(device::Buffer* in, device::Buffer* bias, device::Buffer* out) {
  TensorView row = matrix(bias);
  row.rows = 1;
  return {matrix(in), row, matrix(out), device::Activation::relu};
}

Plan plan_for(device::Device& device, bool multiplies) {
  Plan plan;
  for (const MemoryKind kind :
       {MemoryKind::pinned, MemoryKind::mapped, MemoryKind::device, MemoryKind::pageable}) {
    if (device.allocate(kBytes, kind).ok()) {
      plan.kinds.push_back(kind);
    }
  }
  device::Gemm gemm = product(nullptr, nullptr, nullptr);
  if (multiplies) {
    plan.variants.emplace_back();
    for (const device::Variant& variant : device.variants(gemm)) {
      gemm.variant = variant.name;
      if (device.supports(gemm).ok) {
        plan.variants.push_back(variant.name);
      }
    }
  }
  plan.peak = device.supports(peak_probe()).ok;
  plan.triad = device.supports(triad_probe(nullptr, nullptr, nullptr)).ok;
  plan.bias = multiplies && device.supports(bias_activation(nullptr, nullptr, nullptr)).ok;
  return plan;
}

std::vector<float> filled(std::uint64_t seed) {
  std::vector<float> values(kElements);
  numerics::fill_values(numerics::Data::ints, seed, 0, 3, values);
  return values;
}

/// The product of what is filled with seeds 1 and 2.
std::vector<float> expected_product() {
  const std::vector<float> a = filled(1);
  const std::vector<float> b = filled(2);
  std::vector<float> c(kElements);
  for (std::size_t at = 0; at < kElements; ++at) {
    for (std::size_t k = 0; k < kSize; ++k) {
      c[at] += a[at / kSize * kSize + k] * b[k * kSize + at % kSize];
    }
  }
  return c;
}

/// Bias and activation of the same.
std::vector<float> expected_activation() {
  std::vector<float> out = filled(1);
  const std::vector<float> bias = filled(2);
  for (std::size_t at = 0; at < kElements; ++at) {
    out[at] = std::max(out[at] + bias[at % kSize], 0.0F);
  }
  return out;
}

/// Everything an experiment does with an open device. The first error ends it.
class Scenario {
 public:
  Scenario(device::Device& device, const Plan& plan) : device_(device), plan_(plan) {}

  core::Status run() {
    static_cast<void>(create() && fill() && multiply() && activate() && probe() && copy_through_all_kinds() &&
                      finish());
    return status_;
  }

 private:
  template <typename T>
  bool done(const core::Result<T>& result) {
    if (!result) {
      status_ = result.error();
    }
    return result.ok();
  }

  template <typename T>
  bool keep(core::Result<std::unique_ptr<T>> made, std::unique_ptr<T>& in) {
    if (done(made)) {
      in = std::move(*made);
    }
    return made.ok();
  }

  bool create() {
    for (auto* stream : {&stream_, &other_}) {
      if (!keep(device_.create_stream(), *stream)) {
        return false;
      }
    }
    for (auto* event : {&start_, &stop_}) {
      if (!keep(device_.create_event(), *event)) {
        return false;
      }
    }
    for (auto* buffer : {&a_, &b_, &c_}) {
      if (!keep(device_.allocate(kBytes, MemoryKind::device), *buffer)) {
        return false;
      }
    }
    for (const MemoryKind kind : plan_.kinds) {
      if (!keep(device_.allocate(kBytes, kind), through_.emplace_back())) {
        return false;
      }
    }
    return keep(device_.allocate(kBytes, MemoryKind::pageable), result_);
  }

  bool fill(device::Buffer& buffer, std::uint64_t seed, std::int64_t columns) {
    return done(device_.launch(*stream_,
                               device::Fill{matrix(&buffer, columns), numerics::Data::ints, seed, 3, false}));
  }

  /// Whole matrices, one with gaps between its rows, and memory that both sides address.
  bool fill() {
    for (const auto& buffer : through_) {
      if (buffer->kind() == MemoryKind::mapped && !fill(*buffer, 4, kSize)) {
        return false;
      }
    }
    return fill(*c_, 3, kSize - 2) && fill(*a_, 1, kSize) && fill(*b_, 2, kSize) &&
           done(device_.record(*stream_, *start_));
  }

  bool poison() {
    return done(device_.launch(*stream_, device::Fill{matrix(c_.get()), numerics::Data::normal, 0, 1, true}));
  }

  bool multiply() {
    device::Gemm gemm = product(a_.get(), b_.get(), c_.get());
    for (const std::string& variant : plan_.variants) {
      gemm.variant = variant;
      if (!poison() || !done(device_.launch(*stream_, gemm)) || !reads(*c_, *stream_, expected_product())) {
        return false;
      }
    }
    return true;
  }

  bool activate() {
    return !plan_.bias ||
           (poison() && done(device_.launch(*stream_, bias_activation(a_.get(), b_.get(), c_.get()))) &&
            reads(*c_, *stream_, expected_activation()));
  }

  bool probe() {
    return (!plan_.peak || done(device_.launch(*stream_, peak_probe()))) &&
           (!plan_.triad || done(device_.launch(*stream_, triad_probe(c_.get(), b_.get(), b_.get()))));
  }

  bool copy(device::Buffer& to, device::Buffer& from) {
    return done(device_.copy(*other_, {&to, 0, &from, 0, kBytes}));
  }

  /// A, from one kind of memory to the next, in a stream that waits for the one that filled it.
  bool copy_through_all_kinds() {
    if (!done(device_.record(*stream_, *stop_)) || !done(device_.wait(*other_, *stop_))) {
      return false;
    }
    device::Buffer* last = a_.get();
    for (const auto& next : through_) {
      if (!copy(*next, *last)) {
        return false;
      }
      last = next.get();
    }
    return copy(*c_, *last) && reads(*c_, *other_, filled(1));
  }

  /// The values themselves are expected: an error that is not reported is worse than one that is.
  bool reads(device::Buffer& from, device::Stream& stream, const std::vector<float>& expected) {
    if (!done(device_.copy(stream, {result_.get(), 0, &from, 0, kBytes})) ||
        !done(device_.synchronise(stream))) {
      return false;
    }
    std::vector<float> values(kElements);
    std::memcpy(values.data(), result_->host_data(), kBytes);
    EXPECT_EQ(values, expected) << "wrong, and no error";
    return true;
  }

  bool finish() {
    return done(device_.synchronise(*stream_)) && done(device_.synchronise(*other_)) &&
           done(device_.elapsed_ns(*start_, *stop_));
  }

  device::Device& device_;
  const Plan& plan_;
  core::Status status_;
  std::unique_ptr<device::Stream> stream_, other_;
  std::unique_ptr<device::Event> start_, stop_;
  std::unique_ptr<device::Buffer> a_, b_, c_, result_;
  std::vector<std::unique_ptr<device::Buffer>> through_;
};

core::Status play(device::Device& device, const Plan& plan) {
  core::Status played = Scenario(device, plan).run();
  EXPECT_EQ(device.memory_in_use_bytes(), 0);
  return played;
}

/// Fails if the English catalogue lacks the message, or an argument that its text asks for.
void expect_text(const core::Message& message) {
  static const auto kCatalogue = core::Catalogue::parse(embedded::messages_en);
  EXPECT_TRUE(kCatalogue->contains(message.id)) << describe(message);
  const std::string text = kCatalogue->render(message);
  EXPECT_EQ(text.find("}?"), std::string::npos) << text;
  for (const core::Argument& argument : message.args) {
    if (const auto* inner = std::get_if<std::vector<core::Message>>(&argument.value)) {
      std::for_each(inner->begin(), inner->end(), expect_text);
    }
  }
}

class Failures : public testing::TestWithParam<Target> {
 protected:
  void SetUp() override {
    injectors_ = injectors_of(GetParam().device);
    if (injectors_.empty()) {
      GTEST_SKIP() << "nothing makes the calls of this device fail";
    }
  }

  /// Each call in turn, until the scenario is through before it comes to that call.
  static void fail_in_turn(FaultInjector& injector, const Plan& plan, const Fault& fault) {
    long errors = 0;
    long as_expected = 0;
    long at = 0;
    for (bool reached = true; reached && !HasFailure(); ++at) {
      SCOPED_TRACE("call " + std::to_string(at));
      ASSERT_LT(at, kMostCalls);
      const core::Status lived = live(injector, plan, fault, at, reached);
      EXPECT_TRUE(lived.ok() || reached) << describe(lived.error().message);
      EXPECT_TRUE(!lived.ok() || !reached || fault.may_be_survived) << "no error";
      if (!lived.ok()) {
        ++errors;
        as_expected += fault.message.empty() || lived.error().message.id == fault.message ? 1 : 0;
        EXPECT_EQ(lived.error().exit_code, core::ExitCode::unavailable) << describe(lived.error().message);
        expect_text(lived.error().message);
      }
    }
    EXPECT_EQ(injector.restart(), 0) << "something is left";
    const long calls = at - 1;
    EXPECT_GE(calls, fault.fewest_calls);
    EXPECT_GE(2 * errors, calls);
    EXPECT_GE(2 * as_expected, errors);
    RecordProperty(injector.name() + "_" + fault.name + "_calls", static_cast<int>(calls));
    RecordProperty(injector.name() + "_" + fault.name + "_errors", static_cast<int>(errors));
  }

  /// Opens, plays and closes while the call `at` fails, then plays once more. The status is of the first.
  static core::Status live(
      FaultInjector& injector, const Plan& plan, const Fault& fault, long at, bool& reached) {
    injector.arm(fault, at);
    auto device = injector.open();
    core::Status played = device ? play(**device, plan) : device.error();
    if (device && fault.loses_device) {
      device->reset();  // while nothing works
    }
    reached = injector.disarm();
    if (!device || fault.loses_device) {
      device = injector.open();
    }
    EXPECT_TRUE(succeeded(device));
    if (device) {
      EXPECT_TRUE(succeeded(play(**device, plan))) << "afterwards";
      device->reset();
    }
    if (fault.restarts) {
      EXPECT_EQ(injector.restart(), 0) << "something is left";
    }
    return played;
  }

  FaultInjectors injectors_;
};

TEST_P(Failures, OfEachCallInTurnAreErrorsThatKeepNothing) {
  for (const auto& injector : injectors_) {
    injector->restart();
    auto device = injector->open();
    if (!device) {
      GTEST_SKIP() << describe(device.error().message);
    }
    const Plan plan = plan_for(**device, injector->multiplies());
    ASSERT_TRUE(succeeded(play(**device, plan)));
    device->reset();
    ASSERT_EQ(injector->restart(), 0);
    for (const Fault& fault : injector->faults()) {
      SCOPED_TRACE(injector->name() + " " + fault.name);
      ASSERT_NO_FATAL_FAILURE(fail_in_turn(*injector, plan, fault));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Device, Failures, testing::ValuesIn(all_devices()), target_name);

}  // namespace
}  // namespace jissoku::tests
