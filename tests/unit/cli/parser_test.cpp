#include "jissoku/cli/parser.hpp"

#include <gtest/gtest.h>

#include "jissoku/cli/registration.hpp"

namespace jissoku::cli {
namespace {

core::Result<Parsed> parse_line(const std::vector<std::string>& arguments) {
  return parse(arguments, commands());
}

std::string error_id(const std::vector<std::string>& arguments) {
  const auto parsed = parse_line(arguments);
  return parsed ? "" : parsed.error().message.id;
}

std::string argument_of(const core::Error& error, const std::string& name) {
  const core::Value* value = error.message.find(name);
  return value == nullptr ? "" : std::get<std::string>(*value);
}

TEST(Parser, TakesValuesAfterASpaceOrAnEqualsSign) {
  const auto parsed = parse_line({"matmul", "--n", "4096", "--dtype=f32,f64", "-q"});
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->command->name, "matmul");
  EXPECT_EQ(parsed->get("n"), "4096");
  EXPECT_EQ(parsed->get("dtype"), "f32,f64");
  EXPECT_TRUE(parsed->has("quiet"));
  EXPECT_EQ(parsed->get("shape"), std::nullopt);
  EXPECT_EQ(parsed->get_or_default("transpose"), "nn");
}

TEST(Parser, FlagsMayStandBeforeTheCommandAndTheLastOneCounts) {
  const auto parsed = parse_line({"--seed", "1", "matmul", "--seed", "2"});
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->get("seed"), "2");
}

TEST(Parser, AValueMayBeADashOrANegativeNumberButNotAFlag) {
  const auto parsed = parse_line({"matmul", "--json", "-", "--alpha", "-1"});
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->get("json"), "-");
  EXPECT_EQ(parsed->get("alpha"), "-1");
  EXPECT_EQ(error_id({"matmul", "--n", "--dtype", "f32"}), "cli.value_missing");
}

TEST(Parser, RefusesWhatTheTablesDoNotKnow) {
  EXPECT_EQ(error_id({"matmul", "--frobnicate"}), "cli.unknown_flag");
  EXPECT_EQ(error_id({"matmul", "-x"}), "cli.unknown_flag");
  EXPECT_EQ(error_id({"matmul", "--n"}), "cli.value_missing");
  EXPECT_EQ(error_id({"matmul", "--n="}), "cli.value_missing");
  EXPECT_EQ(error_id({"matmul", "--n", ""}), "cli.value_missing");
  EXPECT_EQ(error_id({"matmul", "--quiet=yes"}), "cli.value_not_taken");
  EXPECT_EQ(error_id({"matmul", "--transpose", "noise"}), "cli.not_a_choice");
  EXPECT_EQ(error_id({"matmul", "4096"}), "cli.extra_operand");
  EXPECT_EQ(error_id({"devices", "--n", "4"}), "cli.flag_not_taken");
  EXPECT_EQ(error_id({"report"}), "cli.operand_missing");
  EXPECT_EQ(error_id({"report", "a", "b"}), "cli.extra_operand");
  EXPECT_EQ(error_id({"--n", "4096"}), "cli.flag_without_command");
}

TEST(Parser, SuggestsTheNearestName) {
  const auto command = parse_line({"matmlu"});
  ASSERT_FALSE(command.ok());
  EXPECT_EQ(command.error().exit_code, core::ExitCode::usage);
  EXPECT_EQ(argument_of(command.error(), "nearest"), "matmul");
  const auto flag = parse_line({"matmul", "--devise=cpu"});
  ASSERT_FALSE(flag.ok());
  EXPECT_EQ(argument_of(flag.error(), "nearest"), "--device");
}

TEST(Parser, AfterTwoDashesEverythingIsAWord) {
  const auto parsed = parse_line({"report", "--", "--odd-name"});
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->operands, std::vector<std::string>{"--odd-name"});
}

TEST(Parser, NoArgumentsAreNoError) {
  const auto parsed = parse_line({});
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->command, nullptr);
}

TEST(RecordedArguments, LeaveOutWhereResultsGoAndReadBackTheSame) {
  const auto parsed =
      parse_line({"matmul", "--json", "-", "--out=o", "-q", "--filter", "a b", "--n", "64", "--color=never"});
  ASSERT_TRUE(parsed.ok());
  const auto recorded = recorded_arguments(*parsed);
  EXPECT_EQ(recorded, (std::vector<std::string>{"matmul", "--n", "64", "--filter", "a b"}));
  const auto again = parse_line(recorded);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(recorded_arguments(*again), recorded);
}

TEST(ShellLine, QuotesOnlyWhatNeedsIt) {
  const std::vector<std::string> arguments{"matmul", "--filter", "a b'c", "", "1x2"};
  EXPECT_EQ(shell_line(arguments), R"(matmul --filter 'a b'\''c' '' 1x2)");
}

TEST(SplitList, KeepsEmptyItemsSoThatTheyCanBeRefused) {
  EXPECT_EQ(split_list("a,b"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(split_list(",a,"), (std::vector<std::string>{"", "a", ""}));
  EXPECT_EQ(split_list(""), (std::vector<std::string>{""}));
}

}  // namespace
}  // namespace jissoku::cli
