#include "jissoku/device/validate.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace jissoku::device {
namespace {

using numerics::DataType;

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

/// Claims a size; nothing may be read or written.
class SizedBuffer final : public Buffer {
 public:
  explicit SizedBuffer(std::size_t size_bytes) : size_bytes_(size_bytes) {}
  std::size_t size_bytes() const override { return size_bytes_; }
  MemoryKind kind() const override { return MemoryKind::device; }
  std::byte* host_data() override { return nullptr; }

 private:
  std::size_t size_bytes_;
};

TensorView view(std::int64_t rows,
                std::int64_t columns,
                Buffer* buffer = nullptr,
                DataType type = DataType::f32) {
  TensorView one;
  one.buffer = buffer;
  one.type = type;
  one.rows = rows;
  one.columns = columns;
  one.leading_dimension = columns;
  return one;
}

std::string error_of(const core::Status& status) {
  return status.ok() ? "" : status.error().message.id;
}
std::string layout_error(const Operation& operation) {
  return error_of(validate_layout(operation));
}

Gemm gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  Gemm op;
  op.a = view(m, k);
  op.b = view(k, n);
  op.c = view(m, n);
  return op;
}

TEST(Validate, AcceptsAProductInAllTransposes) {
  Gemm op = gemm(3, 4, 5);
  EXPECT_EQ(layout_error(op), "");
  op.transpose_a = true;
  EXPECT_EQ(layout_error(op), "device.wrong_shape");
  std::swap(op.a.rows, op.a.columns);
  op.a.leading_dimension = 3;
  EXPECT_EQ(layout_error(op), "");
  op.transpose_b = true;
  EXPECT_EQ(layout_error(op), "device.wrong_shape");
  op.b = view(4, 5);
  EXPECT_EQ(layout_error(op), "");
}

TEST(Validate, NamesOperationTensorAndShapes) {
  Gemm op = gemm(3, 4, 5);
  op.b.rows = 6;
  const core::Status status = validate_layout(op);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().exit_code, core::ExitCode::usage);
  const core::Message expected = core::message("device.wrong_shape",
                                               {{"operation", std::string("gemm")},
                                                {"tensor", std::string("b")},
                                                {"rows", std::int64_t{6}},
                                                {"columns", std::int64_t{4}},
                                                {"expected_rows", std::int64_t{5}},
                                                {"expected_columns", std::int64_t{4}}});
  EXPECT_EQ(status.error().message, expected);
}

TEST(Validate, RefusesEmptyViews) {
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}, -kLargest}) {
    for (std::int64_t TensorView::*member : {&TensorView::rows, &TensorView::columns, &TensorView::batch}) {
      Gemm op = gemm(3, 4, 5);
      op.a.*member = bad;
      EXPECT_EQ(layout_error(op), "device.empty_view") << bad;
    }
  }
}

TEST(Validate, RefusesRowsThatOverlap) {
  Gemm op = gemm(3, 4, 5);
  op.a.leading_dimension = 4;
  EXPECT_EQ(layout_error(op), "device.leading_dimension");
  op.a.leading_dimension = -5;
  EXPECT_EQ(layout_error(op), "device.leading_dimension");
  op.a.leading_dimension = 6;
  EXPECT_EQ(layout_error(op), "");
}

TEST(Validate, RefusesOffsetsAndStridesBeyond64Bits) {
  Scale op{view(3, 4)};
  op.tensor.offset_elements = -1;
  EXPECT_EQ(layout_error(op), "device.view_range");
  op.tensor = view(3, 4);
  op.tensor.leading_dimension = kLargest / 2 + 1;
  EXPECT_EQ(layout_error(op), "device.view_range");
  op.tensor = view(kLargest, kLargest);
  EXPECT_EQ(layout_error(op), "device.view_range");
  op.tensor = view(3, 4);
  op.tensor.batch = 3;
  op.tensor.batch_stride = -12;
  EXPECT_EQ(layout_error(op), "device.view_range");
  op.tensor.batch_stride = kLargest / 2;
  EXPECT_EQ(layout_error(op), "device.view_range");
}

TEST(Validate, BatchesAreEqualInNumberAndApartWhereWritten) {
  Gemm op = gemm(3, 4, 5);
  for (TensorView* one : {&op.a, &op.b, &op.c}) {
    one->batch = 2;
    one->batch_stride = one->rows * one->columns;
  }
  EXPECT_EQ(layout_error(op), "");
  op.b.batch_stride = 0;  // one B for all
  EXPECT_EQ(layout_error(op), "");
  op.c.batch_stride = 11;
  EXPECT_EQ(layout_error(op), "device.batch_overlap");
  op.c.batch_stride = 0;
  EXPECT_EQ(layout_error(op), "device.batch_overlap");
  op.c.leading_dimension = 8;  // side by side within rows
  op.c.batch_stride = 4;
  EXPECT_EQ(layout_error(op), "");
  op.c.batch_stride = 3;
  EXPECT_EQ(layout_error(op), "device.batch_overlap");
  op.c.leading_dimension = 7;
  op.c.batch_stride = 4;
  EXPECT_EQ(layout_error(op), "device.batch_overlap");
  op = gemm(3, 4, 5);
  op.b.batch = 2;
  EXPECT_EQ(layout_error(op), "device.wrong_batch");
}

TEST(Validate, ProductsMixOnlyTheTwoFp8Formats) {
  Gemm op = gemm(3, 4, 5);
  op.b.type = DataType::f64;
  EXPECT_EQ(layout_error(op), "device.wrong_type");
  op.a.type = DataType::e4m3;
  op.b.type = DataType::e5m2;
  EXPECT_EQ(layout_error(op), "");
}

TEST(Validate, RefusesScalarsThatAreNoNumbers) {
  for (double Gemm::*scalar : {&Gemm::alpha, &Gemm::beta}) {
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      Gemm op = gemm(3, 4, 5);
      op.*scalar = bad;
      EXPECT_EQ(layout_error(op), "device.wrong_value");
    }
  }
  EXPECT_EQ(layout_error(FmaPeak{DataType::f32, 0, ""}), "device.wrong_value");
  EXPECT_EQ(layout_error(FmaPeak{DataType::f32, std::nan(""), ""}), "device.wrong_value");
  EXPECT_EQ(layout_error(FmaPeak{DataType::f32, 1e9, ""}), "");
  Fill fill{view(2, 2), numerics::Data::ints, 0, 0, false};
  EXPECT_EQ(layout_error(fill), "device.wrong_value");
  fill.poison = true;
  EXPECT_EQ(layout_error(fill), "");
}

TEST(Validate, RowsOfPackedTypesStartOnAByte) {
  Cast op{view(3, 4), view(3, 4, nullptr, DataType::e2m1)};
  EXPECT_EQ(layout_error(op), "");
  op.out.leading_dimension = 5;
  EXPECT_EQ(layout_error(op), "device.row_alignment");
  op.out.leading_dimension = 6;
  op.out.offset_elements = 1;
  EXPECT_EQ(layout_error(op), "device.row_alignment");
  op.out.offset_elements = 2;
  EXPECT_EQ(layout_error(op), "");
}

struct Whole {
  std::string what;
  Operation operation;
  std::string error;
};

TEST(Validate, ShapesOfTheOtherOperations) {
  const TensorView m = view(3, 4);
  const TensorView row = view(1, 4);
  const TensorView one = view(1, 1);
  const TensorView other = view(4, 3);
  const TensorView f64 = view(3, 4, nullptr, DataType::f64);
  const std::string shape = "device.wrong_shape";
  const std::vector<Whole> cases = {
      {"cast", Cast{m, f64}, ""},
      {"cast", Cast{m, other}, shape},
      {"quantise", Quantise{m, m, "mx_floor"}, ""},
      {"quantise", Quantise{m, other, "mx_floor"}, shape},
      {"bias", BiasActivation{m, row, m, {}}, ""},
      {"bias", BiasActivation{m, view(1, 3), m, {}}, shape},
      {"bias", BiasActivation{m, view(3, 4), m, {}}, shape},
      {"bias", BiasActivation{m, row, other, {}}, shape},
      {"gradient", BiasActivationGradient{m, m, m, row, {}}, ""},
      {"gradient", BiasActivationGradient{m, other, m, row, {}}, shape},
      {"gradient", BiasActivationGradient{m, m, other, row, {}}, shape},
      {"gradient", BiasActivationGradient{m, m, m, one, {}}, shape},
      {"scale", Scale{m, 2}, ""},
      {"softmax", Softmax{m, m}, ""},
      {"softmax", Softmax{m, row}, shape},
      {"reduce", Reduce{m, one, {}}, ""},
      {"reduce", Reduce{m, row, {}}, shape},
      {"loss", MseLoss{m, m, one, m, 1}, ""},
      {"loss", MseLoss{m, other, one, m, 1}, shape},
      {"loss", MseLoss{m, m, row, m, 1}, shape},
      {"loss", MseLoss{m, m, one, row, 1}, shape},
      {"step", SgdStep{m, m, m, 1, 0}, ""},
      {"step", SgdStep{m, other, m, 1, 0}, shape},
      {"step", SgdStep{m, m, other, 1, 0}, shape},
      {"triad", MemoryTriad{f64, f64, f64}, ""},
      {"triad", MemoryTriad{f64, f64, m}, "device.wrong_type"},
      {"triad", MemoryTriad{f64, view(4, 3, nullptr, DataType::f64), f64}, shape},
  };
  for (const Whole& one_case : cases) {
    EXPECT_EQ(layout_error(one_case.operation), one_case.error) << one_case.what;
  }
}

TEST(Validate, ViewsEndWithTheirBuffer) {
  // 2 x 3 with 5 elements from row to row and an offset of 2 ends at element 10.
  SizedBuffer exact(40);
  SizedBuffer short_by_one(39);
  Scale op{view(2, 3, &exact)};
  op.tensor.leading_dimension = 5;
  op.tensor.offset_elements = 2;
  EXPECT_EQ(error_of(validate(op)), "");
  op.tensor.buffer = &short_by_one;
  EXPECT_EQ(error_of(validate(op)), "device.beyond_buffer");
  op.tensor.buffer = nullptr;
  EXPECT_EQ(error_of(validate(op)), "device.no_buffer");
  EXPECT_EQ(layout_error(op), "");
}

TEST(Validate, EndsOfBatchesAndPackedTypesCountWholeBytes) {
  // Two 3 x 3 matrices of FP4, rows 4 elements apart, 12 between matrices: the last ends at 23, 11.5 bytes.
  SizedBuffer enough(12);
  SizedBuffer too_small(11);
  SizedBuffer input(72);
  Cast op{view(3, 3, &input), view(3, 3, &enough, DataType::e2m1)};
  op.in.batch = op.out.batch = 2;
  op.in.batch_stride = 9;
  op.out.leading_dimension = 4;
  op.out.batch_stride = 12;
  EXPECT_EQ(error_of(validate(op)), "");
  op.out.buffer = &too_small;
  EXPECT_EQ(error_of(validate(op)), "device.beyond_buffer");
}

TEST(Validate, HugeViewsDoNotWrapAround) {
  SizedBuffer small(64);
  Scale op{view(1, kLargest, &small, DataType::f64)};
  EXPECT_EQ(error_of(validate(op)), "device.beyond_buffer");
  op.tensor = view(4, 4, &small);
  op.tensor.offset_elements = kLargest;
  EXPECT_EQ(error_of(validate(op)), "device.view_range");
  op.tensor.offset_elements = kLargest - 100;
  EXPECT_EQ(error_of(validate(op)), "device.beyond_buffer");
  op.tensor.offset_elements = (std::int64_t{1} << 62) + 1;  // times 4 bytes wraps to 4
  EXPECT_EQ(error_of(validate(op)), "device.beyond_buffer");
}

TEST(Validate, ScalesHaveABufferOfTheirOwn) {
  // 4 x 40 in blocks of 32: two scales per row.
  SizedBuffer data(160);
  SizedBuffer scales(8);
  SizedBuffer few_scales(7);
  SizedBuffer input(640);
  Quantise op{view(4, 40, &input), view(4, 40, &data, DataType::e4m3), "mx_floor"};
  op.out.scale_block = 32;
  EXPECT_EQ(error_of(validate(op)), "device.no_buffer");
  op.out.scales = &few_scales;
  EXPECT_EQ(error_of(validate(op)), "device.beyond_buffer");
  op.out.scales = &scales;
  EXPECT_EQ(error_of(validate(op)), "");
  op.out.scale_block = -1;
  EXPECT_EQ(error_of(validate(op)), "device.view_range");
}

TEST(Validate, CopiesLieWithinTheirBuffers) {
  SizedBuffer eight(8);
  SizedBuffer four(4);
  EXPECT_EQ(error_of(validate(CopyRange{&four, 0, &eight, 4, 4})), "");
  EXPECT_EQ(error_of(validate(CopyRange{&four, 4, &eight, 8, 0})), "");
  EXPECT_EQ(error_of(validate(CopyRange{&four, 0, &eight, 5, 4})), "device.copy_beyond_buffer");
  EXPECT_EQ(error_of(validate(CopyRange{&four, 1, &eight, 0, 4})), "device.copy_beyond_buffer");
  EXPECT_EQ(error_of(validate(CopyRange{&four, 0, &eight, SIZE_MAX, 2})), "device.copy_beyond_buffer");
  EXPECT_EQ(error_of(validate(CopyRange{&four, 0, &eight, 1, SIZE_MAX})), "device.copy_beyond_buffer");
  EXPECT_EQ(error_of(validate(CopyRange{nullptr, 0, &eight, 0, 1})), "device.copy_without_buffer");
  EXPECT_EQ(error_of(validate(CopyRange{&four, 0, nullptr, 0, 1})), "device.copy_without_buffer");
  EXPECT_EQ(error_of(validate(CopyRange{&eight, 0, &eight, 3, 4})), "device.copy_overlap");
  EXPECT_EQ(error_of(validate(CopyRange{&eight, 3, &eight, 0, 4})), "device.copy_overlap");
  EXPECT_EQ(error_of(validate(CopyRange{&eight, 4, &eight, 0, 4})), "");
}

}  // namespace
}  // namespace jissoku::device
