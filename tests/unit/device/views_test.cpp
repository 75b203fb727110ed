#include "jissoku/device/views.hpp"

#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "jissoku/device/device.hpp"

namespace jissoku::device {
namespace {

using numerics::DataType;

TensorView view(std::int64_t rows, std::int64_t columns, DataType type = DataType::f32) {
  TensorView one;
  one.type = type;
  one.rows = rows;
  one.columns = columns;
  one.leading_dimension = columns;
  return one;
}

Gemm gemm(std::int64_t m, std::int64_t n, std::int64_t k, DataType type) {
  Gemm op;
  op.a = view(m, k, type);
  op.b = view(k, n, type);
  op.c = view(m, n, type);
  return op;
}

TEST(Operation, NamesAreThoseOfTheStructs) {
  EXPECT_EQ(to_string(Fill{}), "fill");
  EXPECT_EQ(to_string(Cast{}), "cast");
  EXPECT_EQ(to_string(Quantise{}), "quantise");
  EXPECT_EQ(to_string(Gemm{}), "gemm");
  EXPECT_EQ(to_string(BiasActivation{}), "bias_activation");
  EXPECT_EQ(to_string(BiasActivationGradient{}), "bias_activation_gradient");
  EXPECT_EQ(to_string(Scale{}), "scale");
  EXPECT_EQ(to_string(Softmax{}), "softmax");
  EXPECT_EQ(to_string(Reduce{}), "reduce");
  EXPECT_EQ(to_string(MseLoss{}), "mse_loss");
  EXPECT_EQ(to_string(SgdStep{}), "sgd_step");
  EXPECT_EQ(to_string(FmaPeak{}), "fma_peak");
  EXPECT_EQ(to_string(MemoryTriad{}), "memory_triad");
}

TEST(Gemm, FlopsAreTwoPerMultiplyAdd) {
  EXPECT_EQ(gemm_flops(gemm(1, 1, 1, DataType::f32)), 2);
  EXPECT_EQ(gemm_flops(gemm(3, 5, 7, DataType::f32)), 210);
  EXPECT_EQ(gemm_flops(gemm(4096, 4096, 4096, DataType::f32)), 137438953472.0);
  Gemm op = gemm(3, 5, 7, DataType::f32);
  op.transpose_a = true;
  op.a = view(7, 3);
  EXPECT_EQ(gemm_flops(op), 210);
  op.a.batch = op.b.batch = op.c.batch = 4;
  EXPECT_EQ(gemm_flops(op), 840);
  // Beyond 64-bit integers.
  EXPECT_EQ(gemm_flops(gemm(2'000'000, 2'000'000, 2'000'000, DataType::f32)), 1.6e19);
}

TEST(Gemm, BytesAreEachMatrixOnce) {
  Gemm op = gemm(3, 5, 7, DataType::f32);
  EXPECT_EQ(gemm_bytes(op), 4 * (21 + 35 + 15));
  op.beta = 0.5;
  EXPECT_EQ(gemm_bytes(op), 4 * (21 + 35 + 2 * 15));
  EXPECT_EQ(gemm_bytes(gemm(3, 5, 7, DataType::f64)), 8 * (21 + 35 + 15));
  op = gemm(3, 5, 7, DataType::f32);
  op.a.leading_dimension = 100;  // padding is not moved
  EXPECT_EQ(gemm_bytes(op), 4 * (21 + 35 + 15));
}

TEST(Gemm, BytesOfABatchCountASharedMatrixOnce) {
  Gemm op = gemm(3, 5, 7, DataType::f32);
  for (TensorView* one : {&op.a, &op.b, &op.c}) {
    one->batch = 4;
    one->batch_stride = one->rows * one->columns;
  }
  EXPECT_EQ(gemm_bytes(op), 4 * 4 * (21 + 35 + 15));
  op.b.batch_stride = 0;
  EXPECT_EQ(gemm_bytes(op), 4 * (4 * 21 + 35 + 4 * 15));
}

TEST(Views, BytesOfPackedTypesAndScales) {
  EXPECT_EQ(logical_bytes(view(3, 4, DataType::e2m1)), 6);
  EXPECT_EQ(logical_bytes(view(3, 5, DataType::e2m1)), 9);  // rows start on a byte
  TensorView scaled = view(2, 40, DataType::e4m3);
  scaled.scale_block = 32;
  EXPECT_EQ(logical_bytes(scaled), 80 + 4);
}

TEST(Views, ExtentReachesFromTheFirstToTheLastElement) {
  EXPECT_EQ(extent_elements(view(3, 4)), 12);
  TensorView one = view(3, 4);
  one.leading_dimension = 10;
  EXPECT_EQ(extent_elements(one), 24);
  one.batch = 2;
  one.batch_stride = 100;
  EXPECT_EQ(extent_elements(one), 124);
  one.offset_elements = 50;
  EXPECT_EQ(extent_elements(one), 124);
}

TEST(Views, ExtentBeyond64BitsIsNone) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(extent_elements(view(1, kLargest)), kLargest);
  EXPECT_EQ(extent_elements(view(2, kLargest)), std::nullopt);
  TensorView one = view(3, 4);
  one.batch = 3;
  one.batch_stride = kLargest / 2;
  EXPECT_EQ(extent_elements(one), std::nullopt);
  EXPECT_EQ(extent_elements(view(0, 4)), std::nullopt);
}

TEST(Views, OfAnOperationAreItsOwnTensors) {
  const Operation operation = gemm(3, 5, 7, DataType::f32);
  std::vector<std::string> names;
  std::set<const TensorView*> tensors;
  for (const NamedView& named : views_of(operation)) {
    names.push_back(std::string(named.name) + (named.written ? " out" : ""));
    tensors.insert(named.view);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "c out"}));
  EXPECT_EQ(tensors.count(&std::get<Gemm>(operation).c), 1U);
  EXPECT_EQ(tensors.size(), 3U);
  const Operation probe = FmaPeak{};
  for (const NamedView& named : views_of(probe)) {
    ADD_FAILURE() << "a probe has no tensors, but " << named.name;
  }
}

}  // namespace
}  // namespace jissoku::device
