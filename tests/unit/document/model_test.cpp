#include "jissoku/document/model.hpp"

#include <gtest/gtest.h>

#include "support/documents.hpp"

namespace jissoku::document {
namespace {

using tests::measured_row;

void set(Row& row, const std::string& name, core::Value value) {
  for (core::Argument& argument : row.parameters) {
    if (argument.name == name) {
      argument.value = std::move(value);
      return;
    }
  }
  row.parameters.push_back({name, std::move(value)});
}

TEST(RowId, NamesTheCaseAndNotTheUsual) {
  EXPECT_EQ(row_id(measured_row("cpu:openblas", {})), "matmul/cpu:openblas/f32/100x200x300/nn/normal/hot/2t");
  EXPECT_EQ(row_id(measured_row("opencl:0", {})), "matmul/opencl:0/f32/100x200x300/nn/normal/hot/2t");
}

TEST(RowId, TheEngineThatAutoChoseIsNotPartOfIt) {
  Row row = measured_row("cpu", {});
  row.implementation.chosen = true;
  row.implementation.variant = "blis";
  EXPECT_EQ(row_id(row), "matmul/cpu/f32/100x200x300/nn/normal/hot/2t");
}

TEST(RowId, MixedTypesAreAllNamed) {
  Row row = measured_row("cpu", {});
  set(row, "input", std::string("bf16"));
  set(row, "output", std::string("bf16"));
  EXPECT_EQ(row_id(row), "matmul/cpu/bf16-f32-bf16/100x200x300/nn/normal/hot/2t");
}

TEST(RowId, WhatIsUnusualIsAnOption) {
  Row row = measured_row("cpu", {});
  set(row, "alpha", 0.5);
  set(row, "beta", std::int64_t{1});
  set(row, "seed", std::int64_t{7});
  set(row, "tile", std::string("64 x/32"));
  set(row, "split", true);
  EXPECT_EQ(row_id(row),
            "matmul/cpu/f32/100x200x300/nn/normal/hot/2t/alpha=0.5/beta=1/seed=7/tile=64_x_32/split=true");
}

TEST(RowId, AWholeAlphaIsUsualInEitherType) {
  Row row = measured_row("cpu", {});
  const std::string id = row_id(row);
  set(row, "alpha", std::int64_t{1});
  set(row, "beta", -0.0);
  set(row, "seed", 42.0);
  EXPECT_EQ(row_id(row), id);
}

TEST(RowId, AbsentParametersLeaveNoGaps) {
  Row row;
  row.experiment = "devices";
  row.device = "cpu";
  EXPECT_EQ(row_id(row), "devices/cpu");
  row.parameters = {{"input", std::string("f64")}, {"bytes", std::int64_t{4096}}};
  EXPECT_EQ(row_id(row), "devices/cpu/f64/bytes=4096");
}

TEST(Parameter, IsFoundByNameWithItsType) {
  const Row row = measured_row("cpu", {});
  EXPECT_EQ(parameter(row, "k"), core::Value(std::int64_t{300}));
  EXPECT_EQ(parameter(row, "alpha"), core::Value(1.0));
  EXPECT_EQ(parameter(row, "transpose"), core::Value(std::string("nn")));
  EXPECT_EQ(parameter(row, "K"), std::nullopt);
}

TEST(RowStatusNames, GoBothWays) {
  for (const RowStatus status : {RowStatus::converged,
                                 RowStatus::noisy,
                                 RowStatus::ceiling,
                                 RowStatus::throttled,
                                 RowStatus::unsupported,
                                 RowStatus::wrong,
                                 RowStatus::error,
                                 RowStatus::skipped}) {
    EXPECT_EQ(parse_row_status(to_string(status)), status);
  }
  EXPECT_EQ(to_string(RowStatus::throttled), "throttled");
  EXPECT_EQ(parse_row_status("Converged"), std::nullopt);
  EXPECT_EQ(parse_row_status(""), std::nullopt);
}

}  // namespace
}  // namespace jissoku::document
