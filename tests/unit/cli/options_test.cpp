#include "jissoku/cli/options.hpp"

#include <gtest/gtest.h>

#include "jissoku/cli/registration.hpp"

namespace jissoku::cli {
namespace {

core::Machine machine_with(int threads) {
  core::Machine machine;
  machine.hardware_threads = threads;
  machine.usable_threads = threads;
  return machine;
}

/// Options of a matmul line; the registry has one device that nothing opens.
device::Registry registry() {
  device::Registry registry;
  device::Backend backend;
  backend.name = "cpu";
  backend.list = [] {
    device::Info info;
    info.id = "cpu";
    info.backend = "cpu";
    return device::Listing{{info}, {}};
  };
  registry.add(backend);
  device::Backend oracle = backend;
  oracle.name = "reference";
  oracle.oracle = true;
  oracle.list = [] {
    device::Info info;
    info.id = "reference";
    info.backend = "reference";
    return device::Listing{{info}, {}};
  };
  registry.add(oracle);
  return registry;
}

core::Result<MeasureOptions> measure_line(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "matmul");
  const auto parsed = parse(arguments, commands());
  return parsed ? measure_options(*parsed, registry(), machine_with(4)) : parsed.error();
}

core::Result<experiments::matmul::Params> matmul_line(std::vector<std::string> arguments) {
  const auto options = measure_line(arguments);
  if (!options) {
    return options.error();
  }
  arguments.insert(arguments.begin(), "matmul");
  return matmul_params(*parse(arguments, commands()), *options);
}

TEST(MatmulOptions, DefaultsAreThoseOfTheTable) {
  const auto params = matmul_line({});
  ASSERT_TRUE(params.ok());
  ASSERT_EQ(params->problems.size(), 2u);
  EXPECT_EQ(params->problems[0].shape.m, 1024);
  EXPECT_EQ(params->problems[1].shape.k, 4096);
  EXPECT_EQ(params->problems[1].type, numerics::DataType::f32);
  EXPECT_EQ(params->seed, 42);
  EXPECT_EQ(params->budget_ns, 60'000'000'000);
  EXPECT_EQ(params->alpha, 1);
  EXPECT_EQ(params->beta, 0);
  EXPECT_FALSE(params->transpose_a);
  EXPECT_FALSE(params->selected);
  ASSERT_EQ(params->devices.size(), 1u) << "oracles are not measured unless asked for";
  EXPECT_EQ(params->devices[0].id, "cpu");
}

TEST(MatmulOptions, ReadsEverything) {
  const auto params = matmul_line({"--n=64,1Ki",
                                   "--shape",
                                   "2x3x4",
                                   "--dtype",
                                   "f64,f32",
                                   "--data=zeros",
                                   "--transpose=tn",
                                   "--alpha=-0.5",
                                   "--beta",
                                   "2",
                                   "--seed",
                                   "0",
                                   "--threads=3",
                                   "--budget=0.5",
                                   "--filter",
                                   "f3[0-9]",
                                   "--device=reference"});
  ASSERT_TRUE(params.ok());
  ASSERT_EQ(params->problems.size(), 6u) << "every shape in every type";
  EXPECT_EQ(params->problems[2].shape.n, 1024);
  EXPECT_EQ(params->problems[2].type, numerics::DataType::f64);
  EXPECT_EQ(params->problems[5].shape.n, 3);
  EXPECT_EQ(params->problems[5].type, numerics::DataType::f32);
  EXPECT_EQ(params->problems[0].data, numerics::Data::zeros);
  EXPECT_TRUE(params->transpose_a);
  EXPECT_FALSE(params->transpose_b);
  EXPECT_EQ(params->alpha, -0.5);
  EXPECT_EQ(params->beta, 2);
  EXPECT_EQ(params->seed, 0);
  EXPECT_EQ(params->threads, 3);
  EXPECT_EQ(params->budget_ns, 500'000'000);
  EXPECT_TRUE(params->selected("matmul/cpu/f32"));
  EXPECT_FALSE(params->selected("matmul/cpu/f64"));
  EXPECT_EQ(params->devices[0].id, "reference");
}

class BadValue : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(BadValue, IsAUsageError) {
  const auto params = matmul_line(GetParam());
  ASSERT_FALSE(params.ok());
  EXPECT_EQ(params.error().exit_code, core::ExitCode::usage);
  EXPECT_FALSE(params.error().message.id.empty());
}

using Line = std::vector<std::string>;
INSTANTIATE_TEST_SUITE_P(Options,
                         BadValue,
                         testing::Values(Line{"--n=0"},
                                         Line{"--n=-1"},
                                         Line{"--n=1e99"},
                                         Line{"--n=99999999999"},
                                         Line{"--n=4096x"},
                                         Line{"--n=64,,64"},
                                         Line{"--shape=3x3"},
                                         Line{"--shape=3x3x0"},
                                         Line{"--dtype=f33"},
                                         Line{"--dtype=f32,"},
                                         Line{"--alpha=0"},
                                         Line{"--alpha=inf"},
                                         Line{"--beta=nan"},
                                         Line{"--beta=1,5"},
                                         Line{"--budget=0"},
                                         Line{"--budget=-1"},
                                         Line{"--budget=nan"},
                                         Line{"--budget=1e300"},
                                         Line{"--threads=0"},
                                         Line{"--threads=5"},
                                         Line{"--threads=99999"},
                                         Line{"--seed=text"},
                                         Line{"--seed=-1"},
                                         Line{"--seed=9223372036854775808"},
                                         Line{"--filter=["},
                                         Line{"--device=gpu"}));

TEST(OutputOptions, OnlyOneFormatHasStandardOutput) {
  const auto two = output_options(*parse(Line{"matmul", "--json=-", "--csv=-"}, commands()));
  ASSERT_FALSE(two.ok());
  EXPECT_EQ(two.error().exit_code, core::ExitCode::usage);
  const auto one = output_options(*parse(Line{"matmul", "--json=-", "--csv=file", "--out=o"}, commands()));
  ASSERT_TRUE(one.ok());
  EXPECT_FALSE(one->text_on_stdout());
  EXPECT_EQ(one->csv, "file");
  EXPECT_EQ(one->folder, "o");
  EXPECT_TRUE(output_options(*parse(Line{"matmul", "--csv=file"}, commands()))->text_on_stdout());
}

}  // namespace
}  // namespace jissoku::cli
