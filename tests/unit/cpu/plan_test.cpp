#include "jissoku/backends/cpu/gemm/plan.hpp"

#include <gtest/gtest.h>

namespace jissoku::backends::cpu::gemm {
namespace {

TEST(Pieces, CoverEverythingOnceInEqualParts) {
  for (const std::int64_t grain : {1, 4, 16}) {
    for (std::int64_t count = 1; count <= 200; ++count) {
      for (const std::int64_t most : {1, 5, 16, 48, 1000}) {
        const Pieces pieces(count, most, grain);
        std::int64_t next = 0;
        for (std::int64_t i = 0; i < pieces.count(); ++i) {
          ASSERT_EQ(pieces[i].first, next);
          ASSERT_GT(pieces[i].size(), 0);
          ASSERT_LE(pieces[i].size(), std::max(most, grain));
          ASSERT_LE(pieces[i].size(), pieces.largest());
          if (i + 1 < pieces.count()) {
            ASSERT_EQ(pieces[i].size() % grain, 0);
            ASSERT_GE(pieces[i].size(), pieces.largest() - grain);
          }
          next = pieces[i].last;
        }
        ASSERT_EQ(next, count);
      }
    }
  }
}

TEST(Pieces, IntoNoMoreThanAskedFor) {
  for (const std::int64_t grain : {1, 16}) {
    for (std::int64_t count = 1; count <= 100; ++count) {
      for (std::int64_t pieces = 1; pieces <= 9; ++pieces) {
        const Pieces parts = Pieces::into(pieces, count, grain);
        ASSERT_LE(parts.count(), pieces) << count;
        ASSERT_EQ(parts[parts.count() - 1].last, count);
      }
    }
  }
}

TEST(Pieces, ByHand) {
  const Pieces strips(64, 12);  // six: 11 11 11 11 10 10
  EXPECT_EQ(strips.count(), 6);
  EXPECT_EQ(strips.largest(), 11);
  EXPECT_EQ(strips[3].last, 44);
  EXPECT_EQ(strips[5].size(), 10);
  const Pieces panels(100, 64, 16);  // seven vectors in two panels
  EXPECT_EQ(panels.count(), 2);
  EXPECT_EQ(panels[0].last, 64);
  EXPECT_EQ(panels[1].last, 100);
}

TEST(LargestBlock, FillsItsSharesOfTheCaches) {
  // 6 x 64 tiles of FP32 in 48 KiB and 2 MiB: 12288 bytes are 512 steps of 6 rows; 3/5 of 2 MiB are 614
  // columns of them, 576 in whole tiles.
  const Block block = largest_block({49152, 2097152}, 4, 6, 64);
  EXPECT_EQ(block.depth, 512);
  EXPECT_EQ(block.columns, 576);
  // 6 x 16 in 32 KiB and 256 KiB: 341 steps, 320 in whole grains; 122 columns, 112 in whole tiles.
  const Block small = largest_block({32768, 262144}, 4, 6, 16);
  EXPECT_EQ(small.depth, 320);
  EXPECT_EQ(small.columns, 112);
}

TEST(LargestBlock, IsNeverEmpty) {
  const Block block = largest_block({1, 1}, 8, 12, 64);
  EXPECT_EQ(block.depth, 32);
  EXPECT_EQ(block.columns, 64);
}

TEST(ChooseGrid, OneThreadForWhatIsSoonDone) {
  EXPECT_EQ(choose_grid({32, 10, 128}, 64, 16).threads(), 1);
  EXPECT_EQ(choose_grid({4096, 4096, 4096}, 1, 16).threads(), 1);
}

TEST(ChooseGrid, UsesAllThreadsOnALargeSquare) {
  for (const int threads : {2, 4, 8, 16, 64, 96}) {
    EXPECT_EQ(choose_grid({4096, 4096, 4096}, threads, 16).threads(), threads);
  }
}

TEST(ChooseGrid, SplitsTheLongSide) {
  EXPECT_EQ(choose_grid({8192, 128, 128}, 4, 16).rows, 4);
  EXPECT_EQ(choose_grid({128, 8192, 128}, 4, 16).columns, 4);
  EXPECT_EQ(choose_grid({32, 32, 100000}, 8, 16).depths, 8);
}

TEST(ChooseGrid, NeverHasMoreThreadsThanThereAre) {
  for (int threads = 1; threads <= 40; ++threads) {
    for (const Size& size : {Size{7, 1000, 33}, Size{500, 3, 5000}, Size{64, 64, 64}, Size{3, 3, 1 << 20}}) {
      const Grid grid = choose_grid(size, threads, 8);
      EXPECT_LE(grid.threads(), threads);
      EXPECT_LE(grid.rows, size.m);
      EXPECT_LE(grid.depths, size.k);
    }
  }
}

}  // namespace
}  // namespace jissoku::backends::cpu::gemm
