#include "jissoku/backends/opencl/gemm_config.hpp"

#include <gtest/gtest.h>

#include "jissoku/backends/opencl/clblast_gemm.hpp"
#include "jissoku/backends/opencl/probes.hpp"
#include "opencl_facts.hpp"

namespace jissoku::backends::opencl {
namespace {

Facts cpu_of_width(int float_width) {
  Facts facts = pocl();
  facts.float_width = float_width;
  facts.double_width = float_width / 2;
  return facts;
}

/// Vectors that the inner loop keeps: the tile, a row of B, an element of A.
int registers_of(const GemmConfig& config) {
  return config.rows * config.vectors + config.vectors + 1;
}

TEST(OpenClGemmConfig, TilesFitTheRegistersOfTheCpu) {
  for (const int width : {1, 4, 8, 16}) {
    for (const bool is_double : {false, true}) {
      const auto candidates = gemm_candidates(cpu_of_width(width), is_double);
      ASSERT_FALSE(candidates.empty());
      for (const GemmConfig& config : candidates) {
        EXPECT_LE(registers_of(config), width == 16 ? 32 : 16) << config.name(is_double);
        EXPECT_GE(config.width, 2);  // OpenCL C has no float1
        EXPECT_EQ(config.local_rows * config.local_columns, 1);
      }
    }
  }
}

TEST(OpenClGemmConfig, GroupsOfAGpuAreWithinItsLimit) {
  for (const int limit : {1, 64, 1024}) {
    Facts facts = gpu();
    facts.max_work_group = limit;
    for (const GemmConfig& config : gemm_candidates(facts, false)) {
      EXPECT_LE(config.local_rows * config.local_columns, limit);
    }
  }
}

TEST(OpenClGemmConfig, NamesAndOptionsSayWhatItIs) {
  const GemmConfig config = gemm_candidates(pocl(), false).front();
  EXPECT_EQ(config.name(false),
            std::to_string(config.rows) + "x" + std::to_string(config.columns()) + ", float16");
  const std::string options = gemm_options(config, {numerics::DataType::f16}, pocl());
  EXPECT_NE(options.find("-D IN_F16"), std::string::npos);
  EXPECT_NE(options.find("-D USE_FMA=1"), std::string::npos);
  EXPECT_NE(options.find("-D CPU_PREFETCH"), std::string::npos);
  EXPECT_EQ(options.find("fast"), std::string::npos);  // nothing that reorders sums
  const std::string on_gpu = gemm_options(config, {}, gpu());
  EXPECT_EQ(on_gpu.find("CPU_PREFETCH"), std::string::npos);
  EXPECT_EQ(on_gpu.find("USE_FMA"), std::string::npos);
}

TEST(OpenClGemmConfig, WhatIsReadWhereItLies) {
  GemmConfig config;
  config.rows = 8;
  EXPECT_TRUE(reads_a_in_place(config, {}, pocl()));
  EXPECT_FALSE(reads_a_in_place(config, {}, gpu()));
  EXPECT_FALSE(reads_a_in_place(config, {numerics::DataType::f16}, pocl()));  // has to be decoded
  config.rows = 12;
  EXPECT_FALSE(reads_a_in_place(config, {}, pocl()));
}

TEST(OpenClGemmConfig, PaddingIsWhatEdgesWaste) {
  GemmConfig config;
  config.rows = 6;
  config.vectors = 4;
  config.width = 16;
  EXPECT_DOUBLE_EQ(padding(config, 12, 128), 1.0);
  EXPECT_DOUBLE_EQ(padding(config, 528, 528), 576.0 / 528);  // 88 strips of 6 rows, 9 panels of 64 columns
  EXPECT_DOUBLE_EQ(padding(config, 1, 1), 6.0 * 64);
}

TEST(OpenClGemmConfig, PiecesOfTheDepthCoverItEvenly) {
  for (const std::int64_t k : {1, 15, 16, 17, 511, 512, 513, 528, 1024, 1025, 100003}) {
    const std::int64_t depth = piece_depth(k, 512);
    ASSERT_GE(depth, 1);
    EXPECT_LE(depth, 512);
    const std::int64_t pieces = (k + depth - 1) / depth;
    EXPECT_EQ(pieces, (k + 511) / 512) << k;
    EXPECT_TRUE(depth == k || depth % 16 == 0) << k;
  }
}

TEST(OpenClGemmConfig, PanelsCoverEveryLane) {
  EXPECT_EQ(panels_of(1, 12), 1);
  EXPECT_EQ(panels_of(12, 12), 1);
  EXPECT_EQ(panels_of(13, 12), 2);
  EXPECT_EQ(round_up(13, 8), 16);
  EXPECT_EQ(round_up(16, 8), 16);
}

TEST(OpenClGemmConfig, BatchesArePackedAsManyAsFitAndAtLeastOne) {
  EXPECT_EQ(batch_at_once(10, 100, 1000), 10);
  EXPECT_EQ(batch_at_once(100, 100, 1000), 10);
  EXPECT_EQ(batch_at_once(100, 5000, 1000), 1);
  EXPECT_EQ(batch_at_once(1, 0, 1000), 1);
}

TEST(OpenClProbes, DoTheFlopsAskedForAndLessThanARoundMore) {
  for (const double flops : {0.0, 1.0, 1e7, 1e9, 3.7e12}) {
    const ProbeConfig config = probe_config(pocl(), false);
    const Rounds share = share_rounds(flops, config);
    ASSERT_LE(share.longer, static_cast<std::uint64_t>(config.items));
    const double per_round = 2.0 * config.width * config.chains;
    const double rounds =
        static_cast<double>(share.rounds - 1) * config.items + static_cast<double>(share.longer);
    EXPECT_GE(rounds * per_round, flops);
    EXPECT_LE(rounds * per_round, flops + per_round);
  }
}

TEST(OpenClClblast, VersionIsTheOneOfTheFile) {
  EXPECT_EQ(library_version("/usr/lib/x86_64-linux-gnu/libclblast.so.1.5.3"), "1.5.3");
  EXPECT_EQ(library_version("/opt/libclblast.so"), "");
  EXPECT_EQ(library_version("libclblast.so.x"), "");
}

}  // namespace
}  // namespace jissoku::backends::opencl
