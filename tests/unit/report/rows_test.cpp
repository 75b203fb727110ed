#include "jissoku/report/rows.hpp"

#include <gtest/gtest.h>

#include "support/message_catalogue.hpp"

namespace jissoku::report {
namespace {

using namespace jissoku::tests;

std::vector<std::string> names(const Block& block) {
  std::vector<std::string> out;
  for (const Row* row : block.rows) {
    out.push_back(row->device);
  }
  return out;
}

TEST(MatmulBlocks, SeparateProductsAndOrderByRate) {
  const Document document = run_document();
  const auto blocks = matmul_blocks(document);
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_EQ(names(blocks[0]), (std::vector<std::string>{"cpu:onednn", "cpu", "cpu:openblas", "cpu:blis"}));
  EXPECT_EQ(parameter_text(*blocks[1].rows[0], "m"), "4096");
  EXPECT_EQ(parameter_text(*blocks[2].rows[0], "input"), "f64");
}

TEST(MatmulBlocks, SayTheOnlyEngineOnce) {
  Document document = run_document();
  for (Row& row : document.rows) {
    row.implementation.chosen = false;  // as where the others could not be used
  }
  const auto blocks = matmul_blocks(document);
  EXPECT_EQ(names(blocks[0]), (std::vector<std::string>{"cpu:onednn", "cpu:openblas", "cpu:blis"}));
}

TEST(MatmulBlocks, PutRowsWithoutRateLast) {
  const Document document = statuses_document();
  const auto blocks = matmul_blocks(document);
  ASSERT_EQ(blocks.size(), 1U);
  bool seen_without = false;
  for (const Row* row : blocks[0].rows) {
    EXPECT_FALSE(seen_without && has_rate(*row)) << row->device;
    seen_without = seen_without || !has_rate(*row);
  }
  EXPECT_TRUE(seen_without);
}

TEST(MatmulBlocks, NeverMixModelledWithMeasured) {
  const Document document = modelled_document();  // its first row is modelled
  const auto blocks = matmul_blocks(document);
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_FALSE(blocks[0].modelled);
  EXPECT_TRUE(blocks[1].modelled);
  EXPECT_EQ(names(blocks[1]), std::vector<std::string>{"model:t4"});
}

TEST(MatmulBlocks, TakeUndeclaredModelsForModelled) {
  Document document = modelled_document();
  document.header.devices.clear();
  EXPECT_TRUE(matmul_blocks(document)[1].modelled);
}

TEST(MatmulBlocks, SetAcceleratorsWithoutThreadsBesideTheCpu) {
  const Document document = accelerator_document();
  const auto blocks = matmul_blocks(document);
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].rows[0]->device, "cuda:0");
}

TEST(DeviceOf, TakesTheLongestId) {
  Document document = modelled_document();
  Row row;
  row.device = "model:t4:own";
  ASSERT_NE(device_of(document, row), nullptr);
  EXPECT_EQ(device_of(document, row)->id, "model:t4");
  row.device = "cpuid";
  EXPECT_EQ(device_of(document, row), nullptr);
}

TEST(Label, NamesWhatDeviceTakes) {
  const core::Catalogue catalogue = sample_catalogue();
  Row row = cpu_row({}, "onednn", "oneDNN 2.6.3", 1e6);
  EXPECT_EQ(label(row, catalogue), "cpu:onednn");
  EXPECT_EQ(label(chosen_row(row), catalogue), "cpu auto \u2192 oneDNN");
  row.device = "opencl:0";
  row.implementation.variant = "clblast";
  EXPECT_EQ(label(row, catalogue), "opencl:0:clblast");
}

TEST(Engine, LeavesOutWhatTheLabelSays) {
  Row row;
  row.implementation.variant = "openblas";
  row.implementation.library = "OpenBLAS 0.3.21";
  EXPECT_EQ(engine(row), "0.3.21");
  row.implementation.library = "OpenBLAS";
  EXPECT_EQ(engine(row), "");
  row.implementation.variant = "mkl";
  row.implementation.library = "Intel MKL 2024";
  EXPECT_EQ(engine(row), "Intel MKL 2024");
}

TEST(Absence, SaysWhyThereIsNoNumber) {
  const core::Catalogue catalogue = sample_catalogue();
  for (const Row& row : statuses_document().rows) {
    if (!has_rate(row)) {
      EXPECT_TRUE(catalogue.contains(absence(row).id)) << row.device;
    }
  }
  Row row;
  row.status = RowStatus::error;
  EXPECT_EQ(catalogue.render(absence(row)), "failed: no reason was recorded");
}

TEST(CeilingOf, SkipsUnknownHeights) {
  Row row;
  row.ceilings = {{"datasheet", 0, "", ""}, {"datasheet", 5e12, "", ""}};
  ASSERT_NE(ceiling_of(row, "datasheet"), nullptr);
  EXPECT_EQ(ceiling_of(row, "datasheet")->per_second, 5e12);
  EXPECT_EQ(ceiling_of(row, "measured_fma"), nullptr);
}

}  // namespace
}  // namespace jissoku::report
