// One product of our own engine, several times on one thread: what `./dev bench instructions` counts.
#include <charconv>
#include <cstdio>
#include <string_view>
#include <vector>

#include "jissoku/cli/registration.hpp"
#include "jissoku/experiments/matmul/operands.hpp"
#include "jissoku/experiments/session.hpp"
#include "jissoku/measure/clock.hpp"

namespace {

using namespace jissoku;
using experiments::matmul::Operands;
using experiments::matmul::Params;

constexpr int kWrong = 1, kUsageError = 2, kUnavailable = 3;

int run(const core::Shape& shape, std::int64_t times) {
  measure::SystemClock clock;
  device::OpenOptions open;
  open.threads = 1;
  auto session = experiments::open_session(cli::make_registry(), "cpu", open);
  if (!session) {
    return kUnavailable;
  }
  auto operands = Operands::allocate(*session, {shape, numerics::DataType::f32}, Params());
  if (!operands || !operands->fill({numerics::Data::ints, 1, 42})) {
    return kUnavailable;
  }
  device::Gemm gemm = operands->gemm();
  gemm.variant = "jissoku";
  const auto proof = operands->verify(gemm, true, 1);
  if (!proof || !proof->passed) {
    std::fprintf(stderr, "wrong result\n");
    return kWrong;
  }
  experiments::DeviceSubject subject(*session, gemm, clock);
  if (!subject.run(times)) {
    return kUnavailable;
  }
  for (const device::Variant& variant : session->device->variants(gemm)) {
    if (variant.name == gemm.variant) {
      std::printf("%s\n", variant.kernel.c_str());
    }
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::int64_t> numbers;
  for (int i = 1; i < count; ++i) {
    const std::string_view text = arguments[i];
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault == std::errc() && end == text.data() + text.size() && number > 0) {
      numbers.push_back(number);
    }
  }
  if (count != 5 || numbers.size() != 4) {
    std::fprintf(stderr, "usage: bench_instructions M N K TIMES\n");
    return kUsageError;
  }
  return run({numbers[0], numbers[1], numbers[2]}, numbers[3]);
}
