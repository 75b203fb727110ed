// Which models there are, what they are called, and where their numbers come from.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "jissoku/backends/model/assumptions.hpp"
#include "jissoku/backends/model/backend.hpp"
#include "jissoku/backends/model/table.hpp"
#include "jissoku/experiments/datasheet.hpp"
#include "model_bench.hpp"

namespace jissoku::backends::model {
namespace {

using numerics::DataType;

device::Listing shipped(int* opened = nullptr) {
  return make_backend(experiments::embedded_datasheet_text(), reference_inject(opened)).list();
}

Model shipped_model(const std::string& id) {
  const auto models = table_models(experiments::embedded_datasheet_text());
  for (const Model& model : *models) {
    if (model.info.id == id) {
      return model;
    }
  }
  ADD_FAILURE() << "no " << id;
  return {};
}

TEST(ModelListing, HasTheBaselineAndEveryKnownDeviceOnceWithoutOpeningAnything) {
  int opened = 0;
  const device::Listing listing = shipped(&opened);
  EXPECT_EQ(opened, 0);
  EXPECT_TRUE(listing.reasons.empty());
  std::set<std::string> ids;
  std::set<std::string> keys;
  for (const device::Info& info : listing.devices) {
    EXPECT_TRUE(ids.insert(info.id).second) << info.id;
    keys.insert(info.datasheet);
    EXPECT_TRUE(info.modelled && info.queued && !info.is_host) << info.id;
    EXPECT_EQ(info.backend, "model");
    EXPECT_EQ(info.fingerprint, info.id);
    EXPECT_NE(info.name.find("(model)"), std::string::npos) << info.name;
    EXPECT_GT(info.memory_bytes, 0) << info.id;
    EXPECT_TRUE(info.variant_names.empty());
  }
  for (const char* id : {"model:cpu",
                         "model:t4",
                         "model:v100",
                         "model:a100",
                         "model:h100",
                         "model:h100_pcie",
                         "model:h200",
                         "model:b200",
                         "model:l4"}) {
    EXPECT_EQ(ids.count(id), 1U) << id;
  }
  for (const experiments::DatasheetDevice& entry : experiments::embedded_datasheets()) {
    EXPECT_EQ(keys.count(entry.key), 1U) << entry.key;
  }
}

TEST(ModelListing, AnEntryWithoutBandwidthOrRatesIsLeftOut) {
  const std::string rest = R"("name": "X", "match": [], "memory_bytes": 1e9, "link": "PCIe 4.0 x16",
      "reachable": [], )";
  const std::string peaks = R"("peaks": [{"type": "f32", "accumulator": "f32", "per_second": 1e12}])";
  const std::string text = R"({"devices": [
      {"key": "whole", )" + rest +
                           R"("memory_bytes_per_second": 1e11, )" + peaks + R"(},
      {"key": "slow", )" + rest +
                           R"("memory_bytes_per_second": null, )" + peaks + R"(},
      {"key": "idle", )" + rest +
                           R"("memory_bytes_per_second": 1e11, "peaks": []}]})";
  const device::Listing listing = make_backend(text, reference_inject()).list();
  ASSERT_EQ(listing.devices.size(), 2U);
  EXPECT_EQ(listing.devices[1].id, "model:whole");
}

TEST(ModelListing, AnUnreadableTableLeavesTheBaselineAndSaysWhy) {
  for (const char* text : {"", "{", "{}", R"({"devices": [{"key": 1}]})"}) {
    const device::Listing listing = make_backend(text, reference_inject()).list();
    ASSERT_EQ(listing.devices.size(), 1U) << text;
    EXPECT_EQ(listing.devices.front().id, "model:cpu");
    ASSERT_EQ(listing.reasons.size(), 1U);
    EXPECT_EQ(listing.reasons.front().id, "model.table_unreadable");
  }
}

TEST(ModelListing, ReachableSharesArePublishedOrAssumed) {
  const auto share = [](const std::string& id, DataType type) {
    return shipped_model(id).parameters.rates.at(type).reachable_share;
  };
  EXPECT_DOUBLE_EQ(share("model:h100", DataType::bf16), 794.0 / 989);
  EXPECT_DOUBLE_EQ(share("model:h100", DataType::f16), 794.0 / 989);  // the same units
  EXPECT_DOUBLE_EQ(share("model:h100", DataType::tf32), 794.0 / 989);
  EXPECT_DOUBLE_EQ(share("model:h100", DataType::f32), kReachableShare);
  EXPECT_DOUBLE_EQ(share("model:t4", DataType::f16), 0.435);
  EXPECT_DOUBLE_EQ(share("model:t4", DataType::f32), kReachableShare);
  EXPECT_DOUBLE_EQ(share("model:l4", DataType::bf16), kReachableShare);
}

TEST(ModelListing, RatesAreTheTablesWithWideSums) {
  const auto rate = [](const std::string& id, DataType type) {
    return shipped_model(id).parameters.rates.at(type).flops_per_second;
  };
  EXPECT_DOUBLE_EQ(rate("model:t4", DataType::f16), 65e12);
  EXPECT_DOUBLE_EQ(rate("model:h100", DataType::f64), 67e12);        // on the tensor cores
  EXPECT_DOUBLE_EQ(rate("model:rtx4090", DataType::f16), 165.2e12);  // not the one with FP16 sums
  EXPECT_DOUBLE_EQ(rate("model:t4", DataType::bf16), 0);
}

TEST(ModelListing, TheT4MultipliesInFp16AsComputedByHand) {
  const Parameters t4 = shipped_model("model:t4").parameters;
  device::Gemm gemm;
  for (device::TensorView* view : {&gemm.a, &gemm.b, &gemm.c}) {
    view->rows = view->columns = view->leading_dimension = 4096;
    view->type = DataType::f16;
  }
  gemm.c.type = DataType::f32;
  // 2 * 4096^3 at 65e12 * 0.435, 1024 tiles in 26 waves of 40, and 3 us + 0.2 us.
  EXPECT_NEAR(expected_ns(t4, kernel_of(t4, gemm)), 4'939'944, 1);
}

TEST(ModelListing, HostLinksAreReadOrAssumed) {
  EXPECT_EQ(link_bytes_per_second("PCIe 3.0 x16"), 16e9);
  EXPECT_EQ(link_bytes_per_second("PCIe 5.0 x16; NVLink 4, 900 GB/s both directions"), 63e9);
  EXPECT_EQ(link_bytes_per_second("PCIe 4.0 x8"), 15.5e9);
  EXPECT_EQ(link_bytes_per_second("NVLink-C2C 900 GB/s, NVLink 5"), 450e9);
  EXPECT_FALSE(link_bytes_per_second("NVLink 4, 900 GB/s both directions"));
  EXPECT_FALSE(link_bytes_per_second(""));

  EXPECT_DOUBLE_EQ(shipped_model("model:t4").parameters.pinned_bytes_per_second, 12.8e9);
  EXPECT_DOUBLE_EQ(shipped_model("model:t4").parameters.pageable_bytes_per_second, 6.4e9);
  EXPECT_DOUBLE_EQ(shipped_model("model:h100").parameters.pageable_bytes_per_second, 10e9);
  EXPECT_TRUE(shipped_model("model:t4").info.notes.empty());
  const Model h200 = shipped_model("model:h200");
  EXPECT_DOUBLE_EQ(h200.parameters.pinned_bytes_per_second, 0.8 * 63e9);
  ASSERT_EQ(h200.info.notes.size(), 1U);
  EXPECT_EQ(h200.info.notes.front().id, "model.link_assumed");
}

TEST(ModelListing, OpensByIdAndSharesTimeAndNumbers) {
  int opened = 0;
  const device::Backend backend =
      make_backend(experiments::embedded_datasheet_text(), reference_inject(&opened));
  auto t4 = backend.open("model:t4", {}).value();
  auto h100 = backend.open("model:h100", {}).value();
  EXPECT_EQ(t4->info().datasheet, "t4");
  EXPECT_EQ(h100->info().datasheet, "h100_sxm");
  EXPECT_EQ(t4->virtual_time(), h100->virtual_time());
  device::Gemm gemm;
  for (device::TensorView* view : {&gemm.a, &gemm.b, &gemm.c}) {
    view->rows = view->columns = view->leading_dimension = 4;
  }
  EXPECT_TRUE(t4->supports(gemm).ok);
  EXPECT_TRUE(h100->supports(gemm).ok);
  EXPECT_EQ(opened, 1);
  EXPECT_FALSE(backend.open("model:none", {}).ok());
}

}  // namespace
}  // namespace jissoku::backends::model
