#include "bench/gemm/options.hpp"

#include <gtest/gtest.h>

namespace jissoku::bench {
namespace {

std::string fault_of(const std::vector<std::string>& arguments) {
  std::string fault;
  EXPECT_FALSE(parse_options(arguments, fault).has_value());
  return fault;
}

Options parse(const std::vector<std::string>& arguments) {
  std::string fault;
  const auto options = parse_options(arguments, fault);
  EXPECT_TRUE(options.has_value()) << fault;
  return options.value_or(Options());
}

TEST(BenchGemmOptions, DefaultsAreTheWholeList) {
  const Options options = parse({});
  ASSERT_EQ(options.shapes.size(), 19u);
  EXPECT_EQ(to_string(options.shapes.front()), "64x64x64");
  EXPECT_EQ(to_string(options.shapes[17]), "1x4096x4096");
  EXPECT_EQ(options.types.size(), 2u);
  EXPECT_TRUE(options.threads.empty());
  EXPECT_EQ(options.budget_s, 240);
  EXPECT_FALSE(options.rivals);
}

TEST(BenchGemmOptions, ReadsLists) {
  const Options options = parse({"--sizes",
                                 "256,8x9x10",
                                 "--types",
                                 "f64",
                                 "--threads",
                                 "1,2",
                                 "--budget",
                                 "12.5",
                                 "--csv",
                                 "a b.csv"});
  ASSERT_EQ(options.shapes.size(), 2u);
  EXPECT_EQ(to_string(options.shapes[0]), "256x256x256");
  EXPECT_EQ(options.shapes[1].m, 8);
  EXPECT_EQ(options.shapes[1].n, 9);
  EXPECT_EQ(options.shapes[1].k, 10);
  EXPECT_EQ(options.types, std::vector{numerics::DataType::f64});
  EXPECT_EQ(options.threads, (std::vector{1, 2}));
  EXPECT_EQ(options.budget_s, 12.5);
  EXPECT_EQ(options.csv, "a b.csv");
}

TEST(BenchGemmOptions, QuickStaysUnderAMinuteUnlessToldOtherwise) {
  EXPECT_LT(parse({"--quick"}).budget_s, 60);
  EXPECT_LT(parse({"--quick"}).shapes.size(), parse({}).shapes.size());
  EXPECT_EQ(parse({"--quick", "--budget", "90"}).budget_s, 90);
  EXPECT_EQ(parse({"--quick", "--sizes", "64"}).shapes.size(), 1u);
}

TEST(BenchGemmOptions, NamesWhatIsWrong) {
  EXPECT_EQ(fault_of({"--size", "1"}), "no option '--size'");
  EXPECT_EQ(fault_of({"--threads"}), "--threads needs a value");
  EXPECT_EQ(fault_of({"--sizes", "64,,128"}), "--sizes cannot be '64,,128'");
  EXPECT_EQ(fault_of({"--sizes", "4096x4096"}), "--sizes cannot be '4096x4096'");
  EXPECT_EQ(fault_of({"--types", "bf16"}), "--types cannot be 'bf16'");
  EXPECT_EQ(fault_of({"--threads", "0"}), "--threads cannot be '0'");
  EXPECT_EQ(fault_of({"--budget", "-1"}), "--budget cannot be '-1'");
  EXPECT_EQ(fault_of({"--budget", "nan"}), "--budget cannot be 'nan'");
  EXPECT_EQ(fault_of({"--csv", ""}), "--csv cannot be ''");
}

// The process for one thread count is given what the whole was asked for.
TEST(BenchGemmOptions, ArgumentsForAProcessReadBackAsTheSame) {
  const Options whole = parse({"--sizes", "64,8x9x10", "--types", "f32,f64", "--csv", "x.csv", "--rivals"});
  const Options part = parse(arguments_for(whole, 2, 12.25, true));
  ASSERT_EQ(part.shapes.size(), 2u);
  EXPECT_EQ(to_string(part.shapes[1]), "8x9x10");
  EXPECT_EQ(part.types, whole.types);
  EXPECT_EQ(part.threads, std::vector{2});
  EXPECT_EQ(part.budget_s, 12.25);
  EXPECT_EQ(part.csv, "x.csv");
  EXPECT_TRUE(part.append);
  EXPECT_TRUE(part.rivals);
}

}  // namespace
}  // namespace jissoku::bench
