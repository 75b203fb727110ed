#include "jissoku/cli/profile_options.hpp"

#include <gtest/gtest.h>

#include "jissoku/cli/registration.hpp"

namespace jissoku::cli {
namespace {

using experiments::profile::Network;

core::Result<experiments::profile::Params> params_of(std::vector<std::string> arguments,
                                                     std::size_t devices = 1) {
  arguments.insert(arguments.begin(), "profile");
  const auto parsed = parse(arguments, commands());
  if (!parsed) {
    return parsed.error();
  }
  MeasureOptions options;
  options.devices.resize(devices, {"cpu", ""});
  return profile_params(*parsed, options);
}

TEST(ProfileOptions, SizesAreFeaturesNotFolders) {
  const auto params = params_of({"linear", "--batch", "7", "--in", "5", "--out", "3", "--steps", "2"});
  ASSERT_TRUE(params.ok());
  EXPECT_EQ(params->workload.network, Network::linear);
  EXPECT_EQ(params->workload.batch, 7);
  EXPECT_EQ(params->workload.in, 5);
  EXPECT_EQ(params->workload.out, 3);
  EXPECT_EQ(params->steps, 2);
}

TEST(ProfileOptions, HaveTheClassicLayerAsDefault) {
  const auto params = params_of({"linear"});
  ASSERT_TRUE(params.ok());
  EXPECT_EQ(params->workload.batch, 32);
  EXPECT_EQ(params->workload.in, 128);
  EXPECT_EQ(params->workload.out, 10);
  EXPECT_TRUE(params->presentation.empty());
}

TEST(ProfileOptions, TheTablesLookIsKept) {
  const auto params =
      params_of({"mlp", "--hidden", "9", "--sort", "cuda_time_total", "--limit", "5", "--group-by-shape"});
  ASSERT_TRUE(params.ok());
  EXPECT_EQ(params->workload.hidden, 9);
  const std::vector<core::Argument> expected = {
      {"sort", std::string("cuda_time_total")}, {"limit", std::int64_t{5}}, {"by_shape", std::string("yes")}};
  EXPECT_EQ(params->presentation, expected);
}

TEST(ProfileOptions, RefusesWhatCannotBe) {
  const std::vector<std::vector<std::string>> lines = {{"conv"},
                                                       {"linear", "--hidden", "4"},
                                                       {"linear", "--batch", "0"},
                                                       {"linear", "--in", "x"},
                                                       {"linear", "--steps", "1001"},
                                                       {"linear", "--limit", "-1"},
                                                       {"linear", "--sort", "colour"},
                                                       {"linear", "mlp"},
                                                       {}};
  for (const auto& line : lines) {
    const auto params = params_of(line);
    ASSERT_FALSE(params.ok());
    EXPECT_EQ(params.error().exit_code, core::ExitCode::usage);
  }
}

TEST(ProfileOptions, OneTraceIsOfOneDevice) {
  EXPECT_TRUE(params_of({"linear", "--trace", "t.json"}, 1).ok());
  EXPECT_FALSE(params_of({"linear", "--trace", "t.json"}, 2).ok());
}

TEST(ProfileOptions, OutIsAFolderElsewhere) {
  const std::vector<std::string> line = {"matmul", "--out", "results"};
  const auto parsed = parse(line, commands());
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(output_options(*parsed)->folder, "results");
  const std::vector<std::string> ours = {"profile", "linear", "--out", "10"};
  const auto profile = parse(ours, commands());
  ASSERT_TRUE(profile.ok());
  EXPECT_FALSE(output_options(*profile)->folder.has_value());
  EXPECT_EQ(recorded_arguments(*profile), ours);
}

}  // namespace
}  // namespace jissoku::cli
