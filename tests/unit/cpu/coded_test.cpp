// The own engine on operands in small formats: exact wherever the sums are.
#include <cmath>
#include <limits>
#include <random>
#include <tuple>
#include <utility>

#include <gtest/gtest.h>

#include "coded_product.hpp"
#include "guarded.hpp"
#include "jissoku/backends/cpu/own_engine.hpp"
#include "kernel_choice.hpp"

namespace jissoku::backends::cpu {
namespace {

using numerics::DataType;
using tests::coded_matrix;
using tests::CodedProduct;

constexpr DataType kFormats[] = {DataType::f32,
                                 DataType::tf32,
                                 DataType::f16,
                                 DataType::bf16,
                                 DataType::e4m3,
                                 DataType::e5m2,
                                 DataType::e3m2,
                                 DataType::e2m3,
                                 DataType::e2m1,
                                 DataType::i8};

/// Kernels, threads, and whether tiles are generated.
class CodedTest : public testing::TestWithParam<tests::KernelChoice> {
 protected:
  CodedTest() {
    auto team = ThreadTeam::create(std::get<1>(GetParam()), {});
    EXPECT_TRUE(team);
    team_ = std::move(*team);
    // Small caches, so that small products have several blocks.
    engine_ = make_own_engine(*team_, *std::get<0>(GetParam()), {{8192, 65536}, std::get<2>(GetParam())});
  }

  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit));
  }

  CodedProduct product(DataType type,
                       std::int64_t m,
                       std::int64_t n,
                       std::int64_t k,
                       int form,
                       int largest,
                       std::int64_t scale_block,
                       DataType scale_type) {
    CodedProduct made;
    made.m = m;
    made.n = n;
    made.k = k;
    made.transpose_a = (form & 1) != 0;
    made.transpose_b = (form & 2) != 0;
    made.a = coded_matrix(type,
                          made.transpose_a ? k : m,
                          made.transpose_a ? m : k,
                          below(3),
                          largest,
                          scale_block,
                          scale_type,
                          random_);
    made.b = coded_matrix(type,
                          made.transpose_b ? n : k,
                          made.transpose_b ? k : n,
                          below(3),
                          largest,
                          scale_block,
                          scale_type,
                          random_);
    return made;
  }

  /// A side: small ones above all, for the edges.
  std::int64_t side() { return 1 + below(below(6) == 0 ? 200 : 40); }

  std::mt19937_64 random_{7};
  std::unique_ptr<ThreadTeam> team_;
  std::unique_ptr<Engine> engine_;
};

TEST_P(CodedTest, IsExactInEveryFormatShapeAndLayout) {
  for (const DataType type : kFormats) {
    for (int i = 0; i < 24; ++i) {
      CodedProduct made = product(type, side(), side(), side(), i % 4, 3, 0, DataType::e8m0);
      made.alpha = static_cast<double>(below(3) - 1);
      made.beta = static_cast<double>(below(3));
      EXPECT_EQ(made.check<float>(*engine_), "");
    }
  }
}

TEST_P(CodedTest, MultipliesDifferentFormats) {
  for (int form = 0; form < 4; ++form) {
    CodedProduct made = product(DataType::e4m3, 33, 70, 50, form, 3, 0, DataType::e8m0);
    const CodedProduct other = product(DataType::e5m2, 33, 70, 50, form, 3, 0, DataType::e8m0);
    made.b = other.b;
    EXPECT_EQ(made.check<float>(*engine_), "");
    made.a = product(DataType::f32, 33, 70, 50, form, 3, 0, DataType::e8m0).a;  // read where it lies
    EXPECT_EQ(made.check<float>(*engine_), "");
  }
}

TEST_P(CodedTest, IsExactWithBlockScales) {
  struct Scheme {
    DataType type, scale_type;
    std::int64_t block;
  };
  constexpr Scheme kSchemes[] = {{DataType::e4m3, DataType::e8m0, 32},
                                 {DataType::e5m2, DataType::e8m0, 32},
                                 {DataType::e2m3, DataType::e8m0, 32},
                                 {DataType::e3m2, DataType::e8m0, 32},
                                 {DataType::e2m1, DataType::e8m0, 32},
                                 {DataType::e2m1, DataType::e4m3, 16},
                                 {DataType::i8, DataType::e8m0, 32},
                                 {DataType::i8, DataType::f32, 1000},
                                 {DataType::bf16, DataType::f32, 5}};
  for (const Scheme& scheme : kSchemes) {
    for (int i = 0; i < 12; ++i) {
      const CodedProduct made =
          product(scheme.type, side(), side(), side(), i % 4, 3, scheme.block, scheme.scale_type);
      EXPECT_EQ(made.check<float>(*engine_), "");
    }
  }
}

TEST_P(CodedTest, IsExactBeyondEachBlockAndWithSharedDepth) {
  for (const DataType type : {DataType::bf16, DataType::e2m1}) {
    for (int form = 0; form < 4; ++form) {
      EXPECT_EQ(product(type, 130, 150, 300, form, 3, 32, DataType::e8m0).check<float>(*engine_), "");
      EXPECT_EQ(product(type, 5, 9, 3000, form, 2, 0, DataType::e8m0).check<float>(*engine_), "");
    }
  }
}

TEST_P(CodedTest, SumsIntegersOfFullRangeExactly) {
  for (int i = 0; i < 60; ++i) {
    CodedProduct made = product(DataType::i8, side(), side(), side(), i % 4, 127, 0, DataType::e8m0);
    made.beta = static_cast<double>(i % 2);
    EXPECT_EQ(made.check<std::int32_t>(*engine_), "");
  }
  EXPECT_EQ(product(DataType::i8, 130, 150, 700, 0, 127, 0, DataType::e8m0).check<std::int32_t>(*engine_),
            "");
  EXPECT_EQ(product(DataType::i8, 5, 9, 30000, 2, 127, 0, DataType::e8m0).check<std::int32_t>(*engine_), "");
}

/// All -128, where int16 would saturate, up to the deepest product.
TEST_P(CodedTest, SumsTheLargestIntegersExactlyAndRefusesDeeperOnes) {
  constexpr std::int64_t kDeepest = 131071;
  for (int form = 0; form < 4; ++form) {
    CodedProduct made = product(DataType::i8, 2, 3, kDeepest, form, 1, 0, DataType::e8m0);
    std::fill(made.a.codes.begin(), made.a.codes.end(), std::byte{0x80});
    std::fill(made.b.codes.begin(), made.b.codes.end(), std::byte{0x80});
    EXPECT_EQ(made.check<std::int32_t>(*engine_), "");
    std::fill(made.b.codes.begin(), made.b.codes.end(), std::byte{0x7F});
    EXPECT_EQ(made.check<std::int32_t>(*engine_), "");
  }
  Product product;
  product.type = DataType::i32;
  product.a_format.type = product.b_format.type = DataType::i8;
  product.m = product.n = 1;
  product.k = kDeepest;
  EXPECT_TRUE(engine_->supports(product).ok);
  product.k = kDeepest + 1;
  EXPECT_EQ(engine_->supports(product).reason.id, "cpu.integer_depth");
  product.k = 1;
  product.alpha = 0.5;
  EXPECT_EQ(engine_->supports(product).reason.id, "cpu.integer_scalars");
}

TEST_P(CodedTest, TouchesNothingButItsOperands) {
  for (const DataType type : {DataType::bf16, DataType::e4m3, DataType::e3m2, DataType::e2m1, DataType::i8}) {
    for (int i = 0; i < 24; ++i) {
      const std::int64_t block = type == DataType::e2m1 ? 16 : 0;
      CodedProduct made = product(type, side(), side(), side(), i % 4, 2, block, DataType::e4m3);
      const bool at_end = i % 8 < 4;
      const tests::Guarded<std::byte> a(made.a.codes, at_end), b(made.b.codes, at_end);
      const tests::Guarded<std::byte> scales(made.b.scales, at_end);
      std::vector<float> c(static_cast<std::size_t>(made.m * made.n), 0.0F);
      Product call = made.product(type == DataType::i8 ? DataType::i32 : DataType::f32, c.data(), made.n);
      call.a = a.data();
      call.b = b.data();
      call.b_format.scales = block == 0 ? nullptr : scales.data();
      const tests::Guarded<float> out(c, at_end);
      call.c = out.data();
      ASSERT_TRUE(engine_->multiply(call));
      const std::vector<double> exact = made.sums();
      for (std::int64_t at = 0; at < made.m * made.n; ++at) {
        std::int32_t integer = 0;
        std::memcpy(&integer, out.data() + at, sizeof integer);
        const double found = type == DataType::i8 ? integer : static_cast<double>(out.data()[at]);
        ASSERT_EQ(found, exact[static_cast<std::size_t>(at)]) << made.describe();
      }
    }
  }
}

/// Every code of every small format, multiplied by one: NaN, infinities, subnormals and both zeros come out
/// as they are decoded.
TEST_P(CodedTest, KeepsEveryCode) {
  for (const DataType type : {DataType::e4m3, DataType::e5m2, DataType::f16, DataType::bf16}) {
    const std::int64_t codes = std::int64_t{1} << numerics::storage_bits(type);
    const auto bytes = static_cast<std::size_t>(numerics::storage_bits(type) / 8);
    std::vector<std::byte> a(static_cast<std::size_t>(codes) * bytes), one(bytes);
    for (std::int64_t code = 0; code < codes; ++code) {
      std::memcpy(a.data() + static_cast<std::size_t>(code) * bytes, &code, bytes);
    }
    const float value = 1;
    numerics::encode(type, &value, 1, one.data());
    std::vector<float> c(static_cast<std::size_t>(codes));
    Product product;
    product.m = codes;
    product.n = product.k = 1;
    product.a = a.data();
    product.lda = product.ldb = product.ldc = 1;
    product.b = one.data();
    product.c = c.data();
    product.a_format.type = product.b_format.type = type;
    ASSERT_TRUE(engine_->multiply(product));
    for (std::int64_t code = 0; code < codes; ++code) {
      const float wanted = numerics::decode(type, static_cast<std::uint32_t>(code));
      const float found = c[static_cast<std::size_t>(code)];
      ASSERT_TRUE(found == wanted || (std::isnan(found) && std::isnan(wanted)))
          << numerics::to_string(type) << " code " << code << ": " << found << ", not " << wanted;
    }
  }
}

TEST_P(CodedTest, ANanScaleMakesItsBlockNan) {
  CodedProduct made = product(DataType::e4m3, 3, 4, 64, 2, 1, 32, DataType::e8m0);
  made.a.scales[3] = std::byte{0xFF};  // the second block of row 1
  std::vector<float> c(12);
  ASSERT_TRUE(engine_->multiply(made.product(DataType::f32, c.data(), 4)));
  for (std::size_t i = 0; i < c.size(); ++i) {
    EXPECT_EQ(std::isnan(c[i]), i / 4 == 1) << i;
  }
}

TEST_P(CodedTest, SaysWhatIsEmulated) {
  Product product;
  product.m = product.n = product.k = 8;
  EXPECT_FALSE(engine_->supports(product).emulated);
  product.a_format.type = product.b_format.type = DataType::e4m3;
  EXPECT_TRUE(engine_->supports(product).ok);
  EXPECT_TRUE(engine_->supports(product).emulated);
  EXPECT_EQ(engine_->supports(product).reason.id, "cpu.decoded");
  product.a_format.type = DataType::e8m0;
  EXPECT_EQ(engine_->supports(product).reason.id, "cpu.engine_type");
}

INSTANTIATE_TEST_SUITE_P(Isa, CodedTest, tests::every_kernel_choice(), tests::kernel_choice_name);

}  // namespace
}  // namespace jissoku::backends::cpu
