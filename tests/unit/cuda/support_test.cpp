#include "jissoku/backends/cuda/rules/support.hpp"

#include <gtest/gtest.h>

#include "texts.hpp"

namespace jissoku::backends::cuda {
namespace {

using device::Gemm;
using device::Support;
using device::TensorView;
using numerics::DataType;

TensorView matrix(DataType type, std::int64_t rows = 4, std::int64_t columns = 4) {
  TensorView view;
  view.type = type;
  view.rows = rows;
  view.columns = view.leading_dimension = columns;
  view.batch_stride = rows * columns;
  return view;
}

Gemm gemm_of(DataType operands, DataType sums) {
  Gemm gemm;
  gemm.a = gemm.b = matrix(operands);
  gemm.c = matrix(sums);
  gemm.accumulator = sums;
  return gemm;
}

/// "" if it is supported, else the reason's id.
std::string refusal(const device::Operation& operation, ComputeCapability capability = {9, 0}) {
  const Support support = supports(operation, "cuda:0", capability);
  if (!support.ok) {
    EXPECT_FALSE(text_of(support.reason).empty());
  }
  return support.ok ? "" : support.reason.id;
}

TEST(Support, OfProductsByType) {
  EXPECT_EQ(refusal(gemm_of(DataType::f64, DataType::f64)), "");
  for (const DataType type : {DataType::f32, DataType::tf32, DataType::f16, DataType::bf16}) {
    EXPECT_EQ(refusal(gemm_of(type, DataType::f32)), "");
  }
  EXPECT_EQ(refusal(gemm_of(DataType::e4m3, DataType::f32)), "cuda.type_unsupported");
  EXPECT_EQ(refusal(gemm_of(DataType::f16, DataType::f16)), "cuda.accumulator");
  EXPECT_EQ(refusal(gemm_of(DataType::f32, DataType::f64)), "cuda.accumulator");
}

TEST(Support, OfTf32AndBf16StartsWithAmpere) {
  for (const DataType type : {DataType::tf32, DataType::bf16}) {
    EXPECT_EQ(refusal(gemm_of(type, DataType::f32), {7, 5}), "cuda.needs_capability");
    EXPECT_EQ(refusal(gemm_of(type, DataType::f32), {8, 0}), "");
  }
  EXPECT_EQ(refusal(gemm_of(DataType::f16, DataType::f32), {7, 5}), "");
}

TEST(Support, OfVariantsByName) {
  Gemm gemm = gemm_of(DataType::f32, DataType::f32);
  gemm.variant = kGemmVariant;
  EXPECT_EQ(refusal(gemm), "");
  gemm.variant = "openblas";
  EXPECT_EQ(refusal(gemm), "device.no_such_variant");
  EXPECT_EQ(refusal(device::FmaPeak{DataType::f32, 1e9, "avx2"}), "device.no_such_variant");
}

TEST(Support, RefusesWhatNoDeviceShould) {
  Gemm gemm = gemm_of(DataType::f32, DataType::f32);
  gemm.b.rows = 5;
  EXPECT_EQ(refusal(gemm), "device.wrong_shape");
  gemm = gemm_of(DataType::f32, DataType::f32);
  gemm.a.scale_block = 32;
  EXPECT_EQ(refusal(gemm), "device.scales_unsupported");
  gemm = gemm_of(DataType::f32, DataType::f32);
  gemm.a = matrix(DataType::f32, std::int64_t{1} << 31, 4);
  gemm.c = matrix(DataType::f32, std::int64_t{1} << 31, 4);
  EXPECT_EQ(refusal(gemm), "cuda.dimension");
  EXPECT_EQ(refusal(device::Softmax{matrix(DataType::f32), matrix(DataType::f32)}),
            "device.operation_unsupported");
}

TEST(Support, OfFillsByType) {
  for (const DataType type : {DataType::f64, DataType::f32, DataType::tf32, DataType::f16, DataType::bf16}) {
    EXPECT_EQ(refusal(device::Fill{matrix(type), numerics::Data::normal, 1, 1, false}), "");
  }
  EXPECT_EQ(refusal(device::Fill{matrix(DataType::e2m1), numerics::Data::normal, 1, 1, false}),
            "cuda.type_unsupported");
}

TEST(Support, OfThePeakOnlyWhereItIsACeiling) {
  EXPECT_EQ(refusal(device::FmaPeak{DataType::f32, 1e9, ""}), "");
  EXPECT_EQ(refusal(device::FmaPeak{DataType::f64, 1e9, ""}, {8, 9}), "");
  EXPECT_EQ(refusal(device::FmaPeak{DataType::f64, 1e9, ""}, {12, 0}), "");
  for (const ComputeCapability capability : {ComputeCapability{8, 0}, {9, 0}, {10, 0}, {10, 3}}) {
    EXPECT_EQ(refusal(device::FmaPeak{DataType::f64, 1e9, ""}, capability), "cuda.peak_tensor_cores");
  }
  EXPECT_EQ(refusal(device::FmaPeak{DataType::f16, 1e9, ""}), "cuda.peak_tensor_cores");
}

TEST(Support, OfTheTriadInFp64) {
  const TensorView row = matrix(DataType::f64, 1, 64);
  EXPECT_EQ(refusal(device::MemoryTriad{row, row, row}), "");
  const TensorView narrow = matrix(DataType::f32, 1, 64);
  EXPECT_EQ(refusal(device::MemoryTriad{narrow, narrow, narrow}), "cuda.type_unsupported");
}

}  // namespace
}  // namespace jissoku::backends::cuda
