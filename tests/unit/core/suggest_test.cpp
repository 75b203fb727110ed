#include "jissoku/core/suggest.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace jissoku::core {
namespace {

const std::vector<std::string> kCommands = {"run", "devices", "matmul", "report", "help"};
const std::vector<std::string> kFlags = {"--n", "--shape", "--device", "--describe", "--out", "--seed"};

TEST(Nearest, FindsEachKindOfSlip) {
  EXPECT_EQ(nearest("matmull", kCommands), "matmul");  // one too many
  EXPECT_EQ(nearest("matml", kCommands), "matmul");    // one missing
  EXPECT_EQ(nearest("matmal", kCommands), "matmul");   // one other
  EXPECT_EQ(nearest("mamtul", kCommands), "matmul");   // two swapped
  EXPECT_EQ(nearest("rnu", kCommands), "run");
  EXPECT_EQ(nearest("--devcie", kFlags), "--device");
  EXPECT_EQ(nearest("-device", kFlags), "--device");
  EXPECT_EQ(nearest("device", kCommands), "devices");
}

TEST(Nearest, AWordItselfIsNearest) {
  for (const std::string& word : kFlags) {
    EXPECT_EQ(nearest(word, kFlags), word);
  }
}

TEST(Nearest, ProposesNothingFarFetched) {
  EXPECT_EQ(nearest("", kCommands), "");
  EXPECT_EQ(nearest("frobnicate", kCommands), "");
  EXPECT_EQ(nearest("hexp", {}), "");
  EXPECT_EQ(nearest("--m", kFlags), "");  // one letter has nothing in common with another
  EXPECT_EQ(nearest("--", kFlags), "");
  EXPECT_EQ(nearest("--bogus", kFlags), "");
  EXPECT_EQ(nearest(std::string(1 << 20, 'a'), kFlags), "");
}

TEST(Nearest, TakesTheFewestEditsAndThenTheFirst) {
  EXPECT_EQ(nearest("abcd", std::vector<std::string>{"abce", "abcd"}), "abcd");
  EXPECT_EQ(nearest("abcx", std::vector<std::string>{"abce", "abcd"}), "abce");
}

}  // namespace
}  // namespace jissoku::core
