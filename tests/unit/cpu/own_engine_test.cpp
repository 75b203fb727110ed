#include "jissoku/backends/cpu/own_engine.hpp"

#include <tuple>

#include <gtest/gtest.h>

#include "plain_product.hpp"

namespace jissoku::backends::cpu {
namespace {

using tests::PlainProduct;

class OwnEngineTest : public testing::TestWithParam<std::tuple<const Kernels*, int>> {
 protected:
  OwnEngineTest() {
    auto team = ThreadTeam::create(std::get<1>(GetParam()), {});
    EXPECT_TRUE(team);
    team_ = std::move(*team);
    engine_ = make_own_engine(*team_, *std::get<0>(GetParam()));
  }

  void expect_exact(
      std::int64_t m, std::int64_t n, std::int64_t k, int form, double alpha, double beta, std::int64_t gap) {
    EXPECT_EQ(PlainProduct<float>(m, n, k, form, alpha, beta, gap).check(*engine_), "");
    EXPECT_EQ(PlainProduct<double>(m, n, k, form, alpha, beta, gap).check(*engine_), "");
  }

  std::unique_ptr<ThreadTeam> team_;
  std::unique_ptr<Engine> engine_;
};

TEST_P(OwnEngineTest, IsExactForAllSmallShapes) {
  for (std::int64_t m = 1; m <= 8; ++m) {
    for (std::int64_t n = 1; n <= 8; ++n) {
      for (std::int64_t k = 1; k <= 4; ++k) {
        for (int form = 0; form < 4; ++form) {
          expect_exact(m, n, k, form, 1, 0, 0);
          expect_exact(m, n, k, form, -2, 3, 1);
        }
      }
    }
  }
}

TEST_P(OwnEngineTest, IsExactAroundTileSizes) {
  for (const std::int64_t m : {11, 12, 13, 25}) {
    for (const std::int64_t n : {15, 16, 17, 31, 33, 65}) {
      for (int form = 0; form < 4; ++form) {
        expect_exact(m, n, 9, form, 1, 0, 3);
      }
    }
  }
}

TEST_P(OwnEngineTest, IsExactForAllScalars) {
  for (const double alpha : {0.0, 1.0, -0.5}) {
    for (const double beta : {0.0, 1.0, -2.0}) {
      expect_exact(14, 35, 300, 0, alpha, beta, 2);
    }
  }
}

TEST_P(OwnEngineTest, IsExactBeyondEachBlock) {
  for (int form = 0; form < 4; ++form) {
    expect_exact(300, 40, 20, form, 1, 1, 5);   // more rows than a block
    expect_exact(20, 2100, 10, form, 1, 0, 0);  // more columns
    expect_exact(13, 33, 600, form, 2, -1, 1);  // deeper, so that later blocks add to the first
  }
}

TEST_P(OwnEngineTest, SaysWhatItRunsWith) {
  EXPECT_EQ(engine_->variant().name, "jissoku");
  EXPECT_EQ(engine_->variant().kernel, std::get<0>(GetParam())->name);
  EXPECT_EQ(engine_->variant().threads, std::get<1>(GetParam()));
  EXPECT_EQ(engine_->variant().file, "");
}

TEST_P(OwnEngineTest, RefusesOtherTypesWithAReason) {
  Product product;
  product.type = numerics::DataType::bf16;
  const device::Support support = engine_->supports(product);
  EXPECT_FALSE(support.ok);
  EXPECT_EQ(support.reason.id, "cpu.engine_type");
}

INSTANTIATE_TEST_SUITE_P(Isa,
                         OwnEngineTest,
                         testing::Combine(testing::ValuesIn(usable_kernels()), testing::Values(1, 3)),
                         [](const auto& tested) {
                           return std::string(std::get<0>(tested.param)->name) + "_" +
                                  std::to_string(std::get<1>(tested.param));
                         });

}  // namespace
}  // namespace jissoku::backends::cpu
