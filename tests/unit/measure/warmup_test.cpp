#include "jissoku/measure/warmup.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace jissoku::measure {
namespace {

bool plateau(const std::vector<double>& times) {
  return reached_plateau(times);
}

TEST(Warmup, NeedsThreeBatches) {
  EXPECT_FALSE(plateau({}));
  EXPECT_FALSE(plateau({100, 100}));
  EXPECT_TRUE(plateau({100, 100, 100}));
}

TEST(Warmup, ThreeWithinTwoPercent) {
  EXPECT_TRUE(plateau({100, 102, 101}));
  EXPECT_FALSE(plateau({100, 103, 101}));
  EXPECT_TRUE(plateau({300, 200, 100, 102, 101})) << "whatever came before";
}

TEST(Warmup, StillGettingFaster) {
  EXPECT_FALSE(plateau({100, 97, 94, 91}));
  EXPECT_FALSE(plateau({100, 130, 130, 98}));
}

TEST(Warmup, NotGettingFasterIsAPlateauToo) {
  EXPECT_TRUE(plateau({100, 130, 110, 120}));
  EXPECT_TRUE(plateau({100, 130, 110, 99.5})) << "half a percent is no progress";
}

}  // namespace
}  // namespace jissoku::measure
