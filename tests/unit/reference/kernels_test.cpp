// The oracle against values worked out by hand: small enough to check with a pencil.
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "jissoku/backends/reference/backend.hpp"

namespace jissoku::tests {
namespace {

using device::TensorView;

template <typename T>
class Kernels : public testing::Test {
 protected:
  static constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
  static constexpr T kInfinity = std::numeric_limits<T>::infinity();

  /// A tight rows x columns tensor that holds these values.
  TensorView tensor(std::int64_t rows, std::int64_t columns, const std::vector<T>& values) {
    buffers_.push_back(device_->allocate(values.size() * sizeof(T), device::MemoryKind::pageable).value());
    std::memcpy(buffers_.back()->host_data(), values.data(), values.size() * sizeof(T));
    TensorView view;
    view.buffer = buffers_.back().get();
    view.type = sizeof(T) == 8 ? numerics::DataType::f64 : numerics::DataType::f32;
    view.rows = rows;
    view.columns = columns;
    view.leading_dimension = columns;
    return view;
  }
  void run(const device::Operation& operation) {
    const core::Status status = device_->launch(*stream_, operation);
    ASSERT_TRUE(status.ok()) << status.error().message.id;
  }
  /// The whole buffer.
  static std::vector<T> values(const TensorView& view) {
    std::vector<T> all(view.buffer->size_bytes() / sizeof(T));
    std::memcpy(all.data(), view.buffer->host_data(), view.buffer->size_bytes());
    return all;
  }

 private:
  std::unique_ptr<device::Device> device_ = backends::reference::make_backend().open("reference", {}).value();
  std::unique_ptr<device::Stream> stream_ = device_->create_stream().value();
  std::vector<std::unique_ptr<device::Buffer>> buffers_;
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Kernels, Types);

TYPED_TEST(Kernels, GemmByHand) {
  using V = std::vector<TypeParam>;
  device::Gemm gemm;
  gemm.a = this->tensor(2, 3, {1, 2, 3, 4, 5, 6});
  gemm.b = this->tensor(3, 2, {7, 8, 9, 10, 11, 12});
  gemm.c = this->tensor(2, 2, {this->kNan, this->kNan, this->kNan, this->kNan});
  this->run(gemm);
  EXPECT_EQ(this->values(gemm.c), (V{58, 64, 139, 154}));
  gemm.alpha = -2;
  gemm.beta = 0.5;
  this->run(gemm);
  EXPECT_EQ(this->values(gemm.c), (V{-87, -96, -208.5, -231}));
}

TYPED_TEST(Kernels, GemmTransposedByHand) {
  using V = std::vector<TypeParam>;
  device::Gemm gemm;
  gemm.transpose_a = gemm.transpose_b = true;
  gemm.a = this->tensor(3, 2, {1, 4, 2, 5, 3, 6});
  gemm.b = this->tensor(2, 3, {7, 9, 11, 8, 10, 12});
  gemm.c = this->tensor(2, 2, {0, 0, 0, 0});
  this->run(gemm);
  EXPECT_EQ(this->values(gemm.c), (V{58, 64, 139, 154}));
}

TYPED_TEST(Kernels, GemmRoundsOnce) {
  // 2^(p) + 1 - 2^(p): the 1 is lost if the sum is held in the tensor's own precision.
  const TypeParam large = std::ldexp(TypeParam{1}, std::numeric_limits<TypeParam>::digits);
  device::Gemm gemm;
  gemm.a = this->tensor(1, 3, {large, 1, large});
  gemm.b = this->tensor(3, 1, {1, 1, -1});
  gemm.c = this->tensor(1, 1, {0});
  this->run(gemm);
  EXPECT_EQ(this->values(gemm.c)[0], 1);
}

TYPED_TEST(Kernels, GemmWithAlphaZeroReadsNeitherAnorB) {
  using V = std::vector<TypeParam>;
  device::Gemm gemm;
  gemm.a = this->tensor(1, 1, {this->kNan});
  gemm.b = this->tensor(1, 1, {this->kInfinity});
  gemm.c = this->tensor(1, 1, {6});
  gemm.alpha = 0;
  gemm.beta = 0.5;
  this->run(gemm);
  EXPECT_EQ(this->values(gemm.c), (V{3}));
  gemm.beta = 0;
  this->run(gemm);
  EXPECT_EQ(this->values(gemm.c), (V{0}));
}

TYPED_TEST(Kernels, GemmOfABatchWithOneSharedMatrix) {
  using V = std::vector<TypeParam>;
  device::Gemm gemm;
  gemm.a = this->tensor(1, 2, {1, 2, 3, 4});
  gemm.b = this->tensor(2, 1, {5, 7});
  gemm.c = this->tensor(1, 1, {0, 0});
  gemm.a.batch = gemm.b.batch = gemm.c.batch = 2;
  gemm.a.batch_stride = 2;
  gemm.c.batch_stride = 1;
  this->run(gemm);
  EXPECT_EQ(this->values(gemm.c), (V{19, 43}));
}

TYPED_TEST(Kernels, BiasAndActivation) {
  using V = std::vector<TypeParam>;
  device::BiasActivation op;
  op.in = this->tensor(2, 3, {1, -5, 2, this->kNan, 0, -2});
  op.bias = this->tensor(1, 3, {-2, 1, 0.5});
  op.out = this->tensor(2, 3, V(6));
  op.activation = device::Activation::none;
  this->run(op);
  V out = this->values(op.out);
  EXPECT_TRUE(std::isnan(out[3]));
  out[3] = 0;
  EXPECT_EQ(out, (V{-1, -4, 2.5, 0, 1, -1.5}));
  op.activation = device::Activation::relu;
  this->run(op);
  out = this->values(op.out);
  EXPECT_TRUE(std::isnan(out[3]));  // a broken network must not look healthy
  out[3] = 0;
  EXPECT_EQ(out, (V{0, 0, 2.5, 0, 1, 0}));
}

TYPED_TEST(Kernels, BiasAndActivationGradient) {
  using V = std::vector<TypeParam>;
  device::BiasActivationGradient op;
  op.out = this->tensor(2, 3, {0, 3, 1, 2, 0, 1});
  op.grad_out = this->tensor(2, 3, {1, 2, 3, 4, 5, 6});
  op.grad_in = this->tensor(2, 3, V(6));
  op.grad_bias = this->tensor(1, 3, V(3));
  this->run(op);
  EXPECT_EQ(this->values(op.grad_in), (V{0, 2, 3, 4, 0, 6}));
  EXPECT_EQ(this->values(op.grad_bias), (V{4, 2, 9}));
  op.activation = device::Activation::none;
  this->run(op);
  EXPECT_EQ(this->values(op.grad_in), (V{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(this->values(op.grad_bias), (V{5, 7, 9}));
}

TYPED_TEST(Kernels, Scale) {
  using V = std::vector<TypeParam>;
  device::Scale op{this->tensor(1, 3, {1, -2, 0.5}), -4};
  this->run(op);
  EXPECT_EQ(this->values(op.tensor), (V{-4, 8, -2}));
}

TYPED_TEST(Kernels, Softmax) {
  using V = std::vector<TypeParam>;
  const auto log = [](double x) { return static_cast<TypeParam>(std::log(x)); };
  device::Softmax op;
  // Powers 1, 2, 5 of 8; and a row that overflows exp() unless it is shifted.
  op.in = this->tensor(2, 3, {log(1), log(2), log(5), 10000, 10000, -10000});
  op.out = this->tensor(2, 3, V(6));
  this->run(op);
  const V out = this->values(op.out);
  const V expected = {0.125, 0.25, 0.625, 0.5, 0.5, 0};
  for (std::size_t index = 0; index < 6; ++index) {
    EXPECT_NEAR(out[index], expected[index], 4 * std::numeric_limits<TypeParam>::epsilon()) << index;
  }
}

TYPED_TEST(Kernels, Reductions) {
  device::Reduce op;
  op.in = this->tensor(2, 3, {1, -7, 2, 3, 0.5, 4});
  op.out = this->tensor(1, 1, {99});
  const auto result = [&](device::Reduction reduction) {
    op.reduction = reduction;
    this->run(op);
    return this->values(op.out)[0];
  };
  EXPECT_EQ(result(device::Reduction::sum), TypeParam{3.5});
  EXPECT_EQ(result(device::Reduction::amax), TypeParam{7});
  EXPECT_EQ(result(device::Reduction::non_finite_count), TypeParam{0});
  op.in = this->tensor(2, 3, {1, this->kNan, 2, -this->kInfinity, 3, this->kInfinity});
  EXPECT_EQ(result(device::Reduction::non_finite_count), TypeParam{3});
  EXPECT_TRUE(std::isnan(result(device::Reduction::amax)));
  op.in = this->tensor(1, 3, {1, -this->kInfinity, 2});
  EXPECT_EQ(result(device::Reduction::amax), this->kInfinity);
}

TYPED_TEST(Kernels, MseLoss) {
  using V = std::vector<TypeParam>;
  device::MseLoss op;
  op.prediction = this->tensor(2, 2, {1, 2, 3, 4});
  op.target = this->tensor(2, 2, {0, 2, 5, 1});
  op.value = this->tensor(1, 1, {0});
  op.gradient = this->tensor(2, 2, V(4));
  op.scale = 8;
  this->run(op);
  EXPECT_EQ(this->values(op.value), (V{3.5}));  // (1 + 0 + 4 + 9) / 4, not scaled
  EXPECT_EQ(this->values(op.gradient), (V{4, 0, -8, 12}));
}

TYPED_TEST(Kernels, SgdStep) {
  using V = std::vector<TypeParam>;
  device::SgdStep op;
  op.weights = this->tensor(1, 2, {1, 2});
  op.momentum = this->tensor(1, 2, {4, 0});
  op.gradient = this->tensor(1, 2, {1, -2});
  op.rate = 0.25;
  op.momentum_factor = 0.5;
  this->run(op);
  EXPECT_EQ(this->values(op.momentum), (V{3, -2}));
  EXPECT_EQ(this->values(op.weights), (V{0.25, 2.5}));
  this->run(op);
  EXPECT_EQ(this->values(op.momentum), (V{2.5, -3}));
  EXPECT_EQ(this->values(op.weights), (V{-0.375, 3.25}));
}

TEST(Cast, RoundsToNearestEven) {
  auto reference = backends::reference::make_backend().open("reference", {}).value();
  const auto stream = reference->create_stream().value();
  const std::vector<double> wide = {1 + 0x1p-24, 1 + 0x3p-24, 1 + 0x1p-24 + 0x1p-40, 1e300, -0.0, 0x1p-149};
  const std::vector<float> expected = {
      1.0F, 1.0F + 0x1p-22F, 1.0F + 0x1p-23F, std::numeric_limits<float>::infinity(), -0.0F, 0x1p-149F};
  const auto in = reference->allocate(wide.size() * sizeof(double), device::MemoryKind::pageable).value();
  const auto out = reference->allocate(wide.size() * sizeof(float), device::MemoryKind::pageable).value();
  std::memcpy(in->host_data(), wide.data(), in->size_bytes());
  device::Cast op;
  op.in.buffer = in.get();
  op.in.type = numerics::DataType::f64;
  op.in.rows = 1;
  op.in.columns = op.in.leading_dimension = static_cast<std::int64_t>(wide.size());
  op.out = op.in;
  op.out.buffer = out.get();
  op.out.type = numerics::DataType::f32;
  ASSERT_TRUE(reference->launch(*stream, op).ok());
  EXPECT_EQ(std::memcmp(out->host_data(), expected.data(), out->size_bytes()), 0);
  std::swap(op.in, op.out);  // back, exactly
  ASSERT_TRUE(reference->launch(*stream, op).ok());
  std::vector<double> back(wide.size());
  std::memcpy(back.data(), in->host_data(), in->size_bytes());
  for (std::size_t index = 0; index < back.size(); ++index) {
    EXPECT_EQ(back[index], static_cast<double>(expected[index]));
  }
}

}  // namespace
}  // namespace jissoku::tests
