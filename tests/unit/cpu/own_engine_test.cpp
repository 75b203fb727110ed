#include "jissoku/backends/cpu/own_engine.hpp"

#include <algorithm>
#include <random>
#include <sys/mman.h>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "guarded.hpp"
#include "kernel_choice.hpp"
#include "plain_product.hpp"

namespace jissoku::backends::cpu {
namespace {

using tests::PlainProduct;

/// Kernels, threads, and whether tiles are generated.
class OwnEngineTest : public testing::TestWithParam<tests::KernelChoice> {
 protected:
  OwnEngineTest() {
    auto team = ThreadTeam::create(std::get<1>(GetParam()), {});
    EXPECT_TRUE(team);
    team_ = std::move(*team);
    // Small caches, so that small products have several blocks.
    engine_ = make_own_engine(*team_, *std::get<0>(GetParam()), {{8192, 65536}, std::get<2>(GetParam())});
  }

  void expect_exact(
      std::int64_t m, std::int64_t n, std::int64_t k, int form, double alpha, double beta, std::int64_t gap) {
    EXPECT_EQ(PlainProduct<float>(m, n, k, form, alpha, beta, gap).check(*engine_), "");
    EXPECT_EQ(PlainProduct<double>(m, n, k, form, alpha, beta, gap).check(*engine_), "");
  }

  template <typename T>
  void expect_guarded(std::int64_t m, std::int64_t n, std::int64_t k, int form, bool at_end) {
    const PlainProduct<T> plain(m, n, k, form, 1, 0, 0);
    const tests::Guarded<T> a(plain.a, at_end), b(plain.b, at_end), c(plain.c, at_end);
    Product product = plain.product(c.data());
    product.a = a.data();
    product.b = b.data();
    ASSERT_TRUE(engine_->multiply(product));
    EXPECT_EQ(plain.difference({c.data(), c.data() + m * n}), "");
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

TEST_P(OwnEngineTest, IsExactWhereOneSideIsOne) {
  for (int form = 0; form < 4; ++form) {
    for (const std::int64_t side : {1, 2, 7, 16, 17, 130, 5000}) {
      expect_exact(1, side, 37, form, 1, 0, 0);
      expect_exact(side, 1, 37, form, -1, 2, 3);
      expect_exact(1, 5, side, form, 1, 1, 1);
      expect_exact(1, 1, side, form, 2, 0, 2);
    }
    expect_exact(1, 9000, 40, form, 1, 0, 0);   // more outputs than are summed up at a time, on all threads
    expect_exact(3, 1, 70000, form, 1, -1, 0);  // few and deep: the threads share the depth
  }
}

TEST_P(OwnEngineTest, IsExactWhereTheThreadsShareTheDepth) {
  for (int form = 0; form < 4; ++form) {
    expect_exact(9, 20, 8000, form, 1, 0, 1);
    expect_exact(33, 17, 5000, form, -1, 2, 0);
  }
}

TEST_P(OwnEngineTest, TouchesNothingButItsOperands) {
  for (const bool at_end : {true, false}) {
    for (int form = 0; form < 4; ++form) {
      for (const std::int64_t m : {1, 5, 13, 40}) {
        for (const std::int64_t n : {1, 3, 16, 33, 70}) {
          for (const std::int64_t k : {1, 6, 31}) {
            expect_guarded<float>(m, n, k, form, at_end);
            expect_guarded<double>(m, n, k, form, at_end);
          }
        }
      }
    }
  }
}

TEST_P(OwnEngineTest, ReachesBeyondTwoToTheThirtyOneElements) {
  constexpr std::int64_t kRows = 3, kStride = (std::int64_t{1} << 30) + 7;  // the last row starts beyond 2^31
  constexpr std::size_t kBytes = ((kRows - 1) * kStride + 64) * sizeof(float);
  void* const memory =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    GTEST_SKIP() << "no address space for " << kBytes << " bytes";
  }
  auto* const sparse = static_cast<float*>(memory);
  std::vector<float> ones(9, 1), out(9, 0);
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t j = 0; j < kRows; ++j) {
      sparse[i * kStride + j] = static_cast<float>(10 * i + j);
    }
  }
  Product product;
  product.m = product.n = product.k = kRows;
  product.a = sparse;
  product.lda = kStride;
  product.b = ones.data();
  product.ldb = kRows;
  product.c = out.data();
  product.ldc = kRows;
  ASSERT_TRUE(engine_->multiply(product));
  EXPECT_EQ(out, (std::vector<float>{3, 3, 3, 33, 33, 33, 63, 63, 63}));  // rows of a: sums of 10 i + j
  product.transpose_a = true;
  ASSERT_TRUE(engine_->multiply(product));
  EXPECT_EQ(out, (std::vector<float>{30, 30, 30, 33, 33, 33, 36, 36, 36}));
  std::swap(product.a, product.b);
  std::swap(product.lda, product.ldb);
  ASSERT_TRUE(engine_->multiply(product));
  EXPECT_EQ(out, (std::vector<float>{30, 33, 36, 30, 33, 36, 30, 33, 36}));
  munmap(memory, kBytes);
}

TEST_P(OwnEngineTest, KeepsDenormals) {
  constexpr float kTiny = 1e-42F;  // below 2^-126
  std::vector<float> a(12, kTiny), b(12, 1), out(9, 0);
  Product product;
  product.m = product.n = 3;
  product.k = 4;
  product.a = a.data();
  product.lda = 4;
  product.b = b.data();
  product.ldb = product.ldc = 3;
  product.c = out.data();
  ASSERT_TRUE(engine_->multiply(product));
  EXPECT_EQ(out.front(), 4 * kTiny);
  EXPECT_GT(out.front(), 0.0F);
}

TEST_P(OwnEngineTest, GivesTheSameBitsEachTime) {
  const std::int64_t m = 37, n = 90, k = 700;
  std::vector<float> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n));
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::generate(a.begin(), a.end(), [&] { return normal(random); });
  std::generate(b.begin(), b.end(), [&] { return normal(random); });
  std::vector<float> first(static_cast<std::size_t>(m * n)), again = first;
  Product product;
  product.m = m;
  product.n = n;
  product.k = k;
  product.a = a.data();
  product.lda = k;
  product.b = b.data();
  product.ldb = product.ldc = n;
  for (int run = 0; run < 5; ++run) {
    product.c = run == 0 ? first.data() : again.data();
    ASSERT_TRUE(engine_->multiply(product));
    if (run > 0) {
      EXPECT_EQ(again, first);
    }
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

/// All that can be combined, at random.
TEST_P(OwnEngineTest, SlowIsExactForManyShapes) {
  constexpr int kShapes = 10000;  // for each of the instruction sets, thread counts and kinds of kernels
  std::mt19937_64 random(static_cast<std::uint64_t>(std::get<1>(GetParam())) * 2 +
                         (std::get<2>(GetParam()) ? 1 : 0));
  const auto below = [&random](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
  };
  // Small ones above all, for the edges; some long sides.
  const auto side = [&below] { return 1 + below(below(8) == 0 ? 400 : below(3) == 0 ? 90 : 20); };
  for (int i = 0; i < kShapes && !HasFailure(); ++i) {
    const double alpha = static_cast<double>(below(5) - 2), beta = static_cast<double>(below(4) - 1);
    const std::int64_t m = side(), n = side(), k = side(), gap = below(6);
    const auto form = static_cast<int>(below(4));
    if (below(2) == 0) {
      EXPECT_EQ(PlainProduct<float>(m, n, k, form, alpha, beta, gap).check(*engine_), "");
    } else {
      EXPECT_EQ(PlainProduct<double>(m, n, k, form, alpha, beta, gap).check(*engine_), "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, OwnEngineTest, tests::every_kernel_choice(), tests::kernel_choice_name);

}  // namespace
}  // namespace jissoku::backends::cpu
