#include "jissoku/numerics/random.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "jissoku/core/hash.hpp"

namespace jissoku::numerics {
namespace {

constexpr Data kAllData[] = {Data::normal, Data::uniform, Data::ints, Data::zeros};

template <typename T>
std::vector<T> values(
    Data data, std::uint64_t seed, std::uint64_t first, std::size_t count, int magnitude = 7) {
  std::vector<T> out(count);
  fill_values(data, seed, first, magnitude, std::span<T>(out));
  return out;
}

/// The index at which seed 0 has these bits: every step of splitmix64 can be undone.
std::uint64_t index_of_bits(std::uint64_t bits) {
  const auto inverse = [](std::uint64_t odd) {
    std::uint64_t x = odd;  // Newton; each step doubles the number of correct bits, of which there are 3 now
    for (int i = 0; i < 5; ++i) {
      x *= 2 - odd * x;
    }
    return x;
  };
  const auto undo_shift = [](std::uint64_t value, unsigned shift) {
    return value ^ (value >> shift) ^ (value >> (2 * shift));
  };
  std::uint64_t value = undo_shift(bits, 31) * inverse(0x94D049BB133111EBU);
  value = undo_shift(value, 27) * inverse(0xBF58476D1CE4E5B9U);
  return undo_shift(value, 30) * inverse(0x9E3779B97F4A7C15U) - 1;
}

/// P(Z < z).
double normal_distribution(double z) {
  return 0.5 * std::erfc(-z * std::sqrt(0.5));
}

/// The largest distance between the distribution of `sample` and `distribution` (Kolmogorov-Smirnov).
template <typename T, typename Distribution>
double largest_distance(std::vector<T> sample, const Distribution& distribution) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double largest = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double expected = distribution(static_cast<double>(sample[i]));
    const auto rank = static_cast<double>(i);
    largest = std::max({largest, expected - rank / n, (rank + 1) / n - expected});
  }
  return largest;
}

/// 99.9 % of the distances of samples from the distribution itself lie below.
double distance_limit(std::size_t count) {
  return 1.95 / std::sqrt(static_cast<double>(count));
}

// The published first outputs of splitmix64 with seed 0 (and of Java's SplittableRandom).
TEST(RandomBits, Seed0GivesThePublishedSequence) {
  EXPECT_EQ(random_bits(0, 0), 0xE220A8397B1DCDAFU);
  EXPECT_EQ(random_bits(0, 1), 0x6E789E6AA1B965F4U);
  EXPECT_EQ(random_bits(0, 2), 0x06C45D188009454FU);
  EXPECT_EQ(random_bits(0, 3), 0xF88BB8A8724C81ECU);
  EXPECT_EQ(random_bits(0, 4), 0x1B39896A51A8749BU);
}

TEST(RandomBits, SeedsAreNotShiftsOfEachOther) {
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15U;
  for (std::uint64_t seed = 1; seed < 50; ++seed) {
    EXPECT_NE(random_bits(seed + kGolden, 0), random_bits(seed, 1));
    EXPECT_NE(random_bits(seed + 1, 0), random_bits(seed, 1));
  }
}

TEST(RandomBits, EveryBitIsSetHalfTheTime) {
  constexpr int kCount = 1 << 16;
  constexpr double kFiveSigma = 5 * 0.5 * 256;
  std::vector<int> ones(64);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    for (unsigned bit = 0; bit < 64; ++bit) {
      ones[bit] += static_cast<int>((random_bits(42, i) >> bit) & 1U);
    }
  }
  for (const int count : ones) {
    EXPECT_NEAR(count, 0.5 * kCount, kFiveSigma);
  }
}

TEST(Data, NamesReadBack) {
  for (const Data data : kAllData) {
    EXPECT_EQ(*parse_data(to_string(data), "--data"), data);
  }
  const auto parsed = parse_data("gaussian", "--data");
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.error().exit_code, core::ExitCode::usage);
  EXPECT_EQ(*parsed.error().message.find("choices"),
            core::Value(std::string("normal, uniform, ints, zeros")));
}

TEST(FillValues, PartsEqualTheWhole) {
  constexpr std::size_t kCount = 3000;
  for (const Data data : kAllData) {
    const auto whole = values<float>(data, 9, 100, kCount);
    for (const std::size_t split :
         {std::size_t{0}, std::size_t{1}, std::size_t{511}, std::size_t{513}, kCount}) {
      auto parts = values<float>(data, 9, 100, split);
      const auto rest = values<float>(data, 9, 100 + split, kCount - split);
      parts.insert(parts.end(), rest.begin(), rest.end());
      EXPECT_EQ(parts, whole) << to_string(data) << " " << split;
    }
  }
}

TEST(FillValues, FloatIsTheRoundedDouble) {
  constexpr std::size_t kCount = 100000;
  for (const Data data : kAllData) {
    const auto narrow = values<float>(data, 3, 0, kCount);
    const auto wide = values<double>(data, 3, 0, kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      if (data == Data::uniform) {  // cut, not rounded: 1 is outside
        ASSERT_EQ(static_cast<double>(narrow[i]), std::floor(wide[i] * 0x1p24) * 0x1p-24);
      } else {
        ASSERT_EQ(narrow[i], static_cast<float>(wide[i]));
      }
    }
  }
}

TEST(FillValues, IndicesMayGoRoundTheEnd) {
  const auto around = values<double>(Data::normal, 5, ~std::uint64_t{0}, 2);
  EXPECT_EQ(around[1], values<double>(Data::normal, 5, 0, 1)[0]);
}

// Pinned: whoever changes these values changes what every recorded run was measured on. They must be the same
// with every compiler, optimisation and processor.
TEST(FillValues, AreTheSameEverywhere) {
  const std::pair<Data, std::uint64_t> expected[] = {{Data::normal, 15217920728351981438U},
                                                     {Data::uniform, 17527755138289801972U},
                                                     {Data::ints, 11554884729311119317U}};
  for (const auto& [data, hash] : expected) {
    std::string bytes;
    for (const double value : values<double>(data, 42, 0, 1 << 16)) {
      const auto bits = std::bit_cast<std::uint64_t>(value);
      for (unsigned shift = 0; shift < 64; shift += 8) {
        bytes += static_cast<char>(bits >> shift);
      }
    }
    EXPECT_EQ(core::fnv1a(bytes), hash) << to_string(data);
  }
}

TEST(NormalFill, HasTheMomentsOfTheNormal) {
  constexpr std::size_t kCount = 1 << 20;
  const auto sample = values<double>(Data::normal, 42, 0, kCount);
  double moments[5] = {};
  for (const double value : sample) {
    double power = 1;
    for (double& moment : moments) {
      moment += power / kCount;
      power *= value;
    }
  }
  // Five standard errors of each: sqrt(1, 2, 15, 96) / 1024.
  EXPECT_NEAR(moments[1], 0, 5 * 1.0 / 1024);
  EXPECT_NEAR(moments[2], 1, 5 * 1.415 / 1024);
  EXPECT_NEAR(moments[3], 0, 5 * 3.873 / 1024);
  EXPECT_NEAR(moments[4], 3, 5 * 9.798 / 1024);
}

TEST(NormalFill, HasTheDistributionOfTheNormal) {
  for (const std::uint64_t seed : {0U, 1U, 42U}) {
    const auto sample = values<float>(Data::normal, seed, 0, 1 << 18);
    EXPECT_LT(largest_distance(sample, normal_distribution), distance_limit(sample.size())) << seed;
  }
}

TEST(NormalFill, IsTheQuantileOfItsBits) {
  for (std::uint64_t i = 0; i < 200000; ++i) {
    const double value = values<double>(Data::normal, 42, i, 1)[0];
    // p - 1/2; p itself has a bit more than a double holds, its distance to the nearer end has not.
    const double q =
        (static_cast<double>(static_cast<std::int64_t>(random_bits(42, i)) >> 11) + 0.5) * 0x1p-53;
    const double tail = 0.5 - std::abs(q);
    ASSERT_NEAR(normal_distribution(-std::abs(value)) / tail, 1, 1e-13) << i;
    ASSERT_EQ(value > 0, q > 0);
  }
}

TEST(NormalFill, IsExactInTheFarTailsThatNoSampleReaches) {
  for (unsigned exponent = 20; exponent < 53; ++exponent) {
    // k is a 53-bit integer just above the least, so that the tail has 2^-exponent.
    const std::uint64_t k = (std::uint64_t{1} << (53U - exponent)) - 1;
    const std::uint64_t bits = (k << 11U) ^ (std::uint64_t{1} << 63U);
    const std::uint64_t index = index_of_bits(bits);
    ASSERT_EQ(random_bits(0, index), bits);
    const double p = (static_cast<double>(k) + 0.5) * 0x1p-53;
    const double low = values<double>(Data::normal, 0, index, 1)[0];
    EXPECT_NEAR(normal_distribution(low) / p, 1, 1e-13) << exponent;
    EXPECT_EQ(values<double>(Data::normal, 0, index_of_bits(~bits), 1)[0], -low);  // symmetric
  }
}

// Wichura's own check values, for p = 0.25 and 0.001. The nearest p that bits can give is up to 2^-54 off,
// which moves the quantile by 2^-54 over the density there.
TEST(NormalFill, GivesThePublishedQuantiles) {
  const std::pair<double, double> published[] = {{0.25, -0.6744897501960817}, {0.001, -3.090232306167814}};
  for (const auto& [p, quantile] : published) {
    const double density = std::exp(-0.5 * quantile * quantile) * 0.3989422804014327;
    const auto k = static_cast<std::uint64_t>(p * 0x1p53);
    const std::uint64_t bits = (k << 11U) ^ (std::uint64_t{1} << 63U);
    EXPECT_NEAR(
        values<double>(Data::normal, 0, index_of_bits(bits), 1)[0], quantile, 0x1p-54 / density + 1e-15);
  }
}

TEST(NormalFill, NeighboursAndSeedsAreUncorrelated) {
  constexpr std::size_t kCount = 1 << 18;
  const auto one = values<double>(Data::normal, 1, 0, kCount);
  const auto two = values<double>(Data::normal, 2, 0, kCount);
  double with_neighbour = 0;
  double with_other_seed = 0;
  for (std::size_t i = 0; i + 1 < kCount; ++i) {
    with_neighbour += one[i] * one[i + 1] / kCount;
    with_other_seed += one[i] * two[i] / kCount;
  }
  EXPECT_NEAR(with_neighbour, 0, 5.0 / 512);
  EXPECT_NEAR(with_other_seed, 0, 5.0 / 512);
}

TEST(UniformFill, LiesInTheHalfOpenInterval) {
  const auto check = [](const auto& sample) {
    EXPECT_TRUE(
        std::all_of(sample.begin(), sample.end(), [](auto value) { return value >= 0 && value < 1; }));
    EXPECT_LT(largest_distance(sample, [](double x) { return x; }), distance_limit(sample.size()));
  };
  check(values<float>(Data::uniform, 42, 0, 1 << 18));
  check(values<double>(Data::uniform, 42, 0, 1 << 18));
}

TEST(UniformFill, TheLargestBitsStayBelowOne) {
  const std::uint64_t index = index_of_bits(~std::uint64_t{0});
  EXPECT_LT(values<float>(Data::uniform, 0, index, 1)[0], 1.0F);
  EXPECT_LT(values<double>(Data::uniform, 0, index, 1)[0], 1.0);
}

TEST(IntsFill, AreUniformOnTheRange) {
  constexpr std::size_t kCount = 1 << 18;
  for (const int magnitude : {1, 2, 7, 127}) {
    const auto sample = values<float>(Data::ints, 42, 0, kCount, magnitude);
    const auto range = 2 * static_cast<std::size_t>(magnitude) + 1;
    std::vector<double> counts(range);
    for (const float value : sample) {
      ASSERT_EQ(value, std::trunc(value));
      ASSERT_LE(std::abs(value), static_cast<float>(magnitude));
      const int bin = static_cast<int>(value) + magnitude;
      counts[static_cast<std::size_t>(bin)] += 1;
    }
    const double expected = static_cast<double>(kCount) / static_cast<double>(range);
    double chi_squared = 0;
    for (const double count : counts) {
      chi_squared += (count - expected) * (count - expected) / expected;
    }
    const auto freedom = static_cast<double>(range - 1);
    EXPECT_LT(chi_squared, freedom + 5 * std::sqrt(2 * freedom) + 10) << magnitude;
  }
}

TEST(IntsFill, TheEndsOfTheWidestRangeAreReached) {
  constexpr int kLargest = 1 << 24;
  EXPECT_EQ(values<double>(Data::ints, 0, index_of_bits(0), 1, kLargest)[0], -kLargest);
  EXPECT_EQ(values<double>(Data::ints, 0, index_of_bits(~std::uint64_t{0}), 1, kLargest)[0], kLargest);
}

TEST(ZerosFill, IsAllZeros) {
  std::vector<float> out(1000, 1.0F);
  fill_values(Data::zeros, 1, 0, 1, std::span<float>(out));
  EXPECT_EQ(out, std::vector<float>(1000));
}

}  // namespace
}  // namespace jissoku::numerics
