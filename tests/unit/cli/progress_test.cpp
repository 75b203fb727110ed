#include "jissoku/cli/progress.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace jissoku::cli {
namespace {

const core::Catalogue& catalogue() {
  static const auto kParsed = core::Catalogue::parse(
      R"([{"cli.progress": "{what} {share:plain} % {seconds:plain} s", "step": "step {name}"}])");
  return kParsed.value();
}

experiments::ProgressEvent event(const std::string& name, double share, double remaining_ns) {
  return {core::message("step", {{"name", name}}), share, remaining_ns};
}

Terminal overwriting() {
  Terminal terminal;
  terminal.is_terminal = terminal.can_overwrite = true;
  return terminal;
}

TEST(ProgressText, SaysWhatHowFarAndHowLong) {
  EXPECT_EQ(progress_text(event("a", 0.345, 12.9e9), catalogue(), 80), "step a 34 % 12 s");
  EXPECT_EQ(progress_text(event("a", 7, -5), catalogue(), 80), "step a 100 % 0 s");
}

TEST(ProgressText, IsCutBetweenCharacters) {
  EXPECT_EQ(progress_text(event("a", 0, 0), catalogue(), 6), "step a");
  EXPECT_EQ(progress_text(event("\xc3\xa9\xc3\xa9", 0, 0), catalogue(), 6), "step \xc3\xa9");
}

TEST(ProgressLine, RedrawsSeldomAndCleansUp) {
  std::vector<std::string> written;
  {
    ProgressLine line(
        catalogue(), overwriting(), false, [&](const std::string& text) { written.push_back(text); });
    line.update(event("a", 0, 0), 0);
    line.update(event("b", 0, 0), 1'000'000);
    line.update(event("c", 0, 0), 1'000'000'000);
  }
  ASSERT_EQ(written.size(), 3u);
  EXPECT_EQ(written[0], "\r\x1b[Kstep a 0 % 0 s");
  EXPECT_EQ(written[1], "\r\x1b[Kstep c 0 % 0 s");
  EXPECT_EQ(written[2], "\r\x1b[K");
}

TEST(ProgressLine, IsSilentWhenQuietOrNotOnATerminal) {
  std::vector<std::string> written;
  const auto write = [&](const std::string& text) { written.push_back(text); };
  ProgressLine quiet(catalogue(), overwriting(), true, write);
  quiet.update(event("a", 0, 0), 0);
  ProgressLine piped(catalogue(), Terminal{}, false, write);
  piped.update(event("a", 0, 0), 0);
  EXPECT_TRUE(written.empty());
}

}  // namespace
}  // namespace jissoku::cli
