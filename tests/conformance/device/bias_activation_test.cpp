// Bias and activation, bit for bit what a plain loop of the same type gives.
#include <cmath>
#include <limits>

#include "harness.hpp"

namespace jissoku::tests {
namespace {

using device::Activation;
using device::BiasActivation;

struct Shape {
  std::int64_t rows, columns;
};
/// One element, odd sizes, one row longer than any kernel's piece, and more rows than threads.
constexpr Shape kShapes[] = {{1, 1}, {7, 13}, {1, 3001}, {257, 3}, {33, 1024}};
constexpr std::int64_t kBatch = 3;

class BiasActivations : public DeviceTest {
 protected:
  /// `out` after the operation; in place where `out` is nullptr. What is no element must stay.
  template <typename T>
  Placed<T> run(const Placed<T>& in, const Placed<T>& bias, const Placed<T>* out, Activation activation) {
    auto in_memory = upload(in.values);
    auto bias_memory = upload(bias.values);
    auto out_memory = out != nullptr ? upload(out->values) : nullptr;
    Placed<T> result = out != nullptr ? *out : in;
    device::Buffer* const target = out != nullptr ? out_memory.get() : in_memory.get();
    launch(BiasActivation{
        in.view(in_memory.get()), bias.view(bias_memory.get()), result.view(target), activation});
    result.values = download<T>(*target);
    EXPECT_TRUE(bias.same_bits(download<T>(*bias_memory))) << "the bias was changed";
    EXPECT_TRUE((out != nullptr ? *out : in).same_bits_around(result)) << "written outside of out";
    if (out != nullptr) {
      EXPECT_TRUE(in.same_bits(download<T>(*in_memory))) << "the input was changed";
    }
    return result;
  }

  template <typename T>
  bool supported() {
    const Placed<T> one(1, 1, {});
    const device::Support support =
        device().supports(BiasActivation{one.view(nullptr), one.view(nullptr), one.view(nullptr), {}});
    EXPECT_TRUE(support.ok || !support.reason.empty());
    return support.ok;
  }

  template <typename T>
  static void fill_normal(Placed<T>& matrix, std::uint64_t seed) {
    std::vector<T> values(static_cast<std::size_t>(matrix.batch * matrix.rows * matrix.columns));
    numerics::fill_values(numerics::Data::normal, seed, 0, 1, values);
    std::size_t index = 0;
    matrix.fill([&](auto, auto, auto) { return values[index++]; });
  }

  template <typename T>
  void expect_exact(const Shape& shape, Layout layout, Activation activation, bool in_place) {
    Placed<T> in(shape.rows, shape.columns, layout, kBatch);
    Placed<T> bias(1, shape.columns, layout);
    const Placed<T> out(shape.rows, shape.columns, {layout.padding, layout.offset}, kBatch);
    fill_normal(in, 1);
    fill_normal(bias, 2);
    Placed<T> got = run(in, bias, in_place ? nullptr : &out, activation);
    for (std::int64_t which = 0; which < kBatch; ++which) {
      for (std::int64_t row = 0; row < shape.rows; ++row) {
        for (std::int64_t column = 0; column < shape.columns; ++column) {
          const T sum = in.at(row, column, which) + bias.at(0, column);
          const T wanted = activation == Activation::relu && sum < 0 ? 0 : sum;
          ASSERT_EQ(got.at(row, column, which), wanted) << row << "," << column << " of " << which;
        }
      }
    }
  }

  template <typename T>
  void expect_exact() {
    for (const Shape& shape : kShapes) {
      for (const Layout& layout : kLayouts) {
        for (const Activation activation : {Activation::none, Activation::relu}) {
          for (const bool in_place : {false, true}) {
            SCOPED_TRACE(std::to_string(shape.rows) + "x" + std::to_string(shape.columns) + " padding " +
                         std::to_string(layout.padding) + (activation == Activation::relu ? " relu" : "") +
                         (in_place ? " in place" : ""));
            ASSERT_NO_FATAL_FAILURE(expect_exact<T>(shape, layout, activation, in_place));
          }
        }
      }
    }
  }

  template <typename T>
  void expect_special_values() {
    constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
    constexpr T kInfinite = std::numeric_limits<T>::infinity();
    const std::vector<T> values = {kNan, T(-0.0), T(0.0), kInfinite, -kInfinite, T(-1), T(1), kInfinite};
    const std::vector<T> terms = {T(1), T(-0.0), T(-0.0), T(1), T(1), kNan, T(-1), -kInfinite};
    const auto count = static_cast<std::int64_t>(values.size());
    Placed<T> in(1, count, {});
    Placed<T> bias(1, count, {});
    in.fill([&](auto, auto column, auto) { return values[static_cast<std::size_t>(column)]; });
    bias.fill([&](auto, auto column, auto) { return terms[static_cast<std::size_t>(column)]; });
    for (const Activation activation : {Activation::none, Activation::relu}) {
      Placed<T> got = run<T>(in, bias, nullptr, activation);
      const bool relu = activation == Activation::relu;
      EXPECT_TRUE(std::isnan(got.at(0, 0))) << "of the input";
      EXPECT_TRUE(got.at(0, 1) == 0 && std::signbit(got.at(0, 1))) << "-0 stays -0";
      EXPECT_TRUE(got.at(0, 2) == 0 && !std::signbit(got.at(0, 2)));
      EXPECT_EQ(got.at(0, 3), kInfinite);
      EXPECT_EQ(got.at(0, 4), relu ? T(0) : -kInfinite);
      EXPECT_TRUE(std::isnan(got.at(0, 5))) << "of the bias";
      EXPECT_EQ(got.at(0, 6), T(0));
      EXPECT_TRUE(std::isnan(got.at(0, 7))) << "of both";
    }
  }
};

TEST_P(BiasActivations, AreWhatAPlainLoopGives) {
  if (!supported<float>()) {
    GTEST_SKIP() << "not on this device";
  }
  expect_exact<float>();
  if (supported<double>()) {
    expect_exact<double>();
  }
}

TEST_P(BiasActivations, PassNansAndKeepTheSignOfZero) {
  if (!supported<float>()) {
    GTEST_SKIP() << "not on this device";
  }
  expect_special_values<float>();
  if (supported<double>()) {
    expect_special_values<double>();
  }
}

TEST_P(BiasActivations, AreThereOnRealAndModelledDevices) {
  if (GetParam().device.rfind("fake:", 0) == 0) {
    GTEST_SKIP() << "fakes need none";
  }
  EXPECT_TRUE(supported<float>());
}

INSTANTIATE_TEST_SUITE_P(Device, BiasActivations, testing::ValuesIn(all_devices()), target_name);

}  // namespace
}  // namespace jissoku::tests
