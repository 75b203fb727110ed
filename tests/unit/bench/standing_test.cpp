#include "bench/gemm/standing.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "bench/gemm/table.hpp"

namespace jissoku::bench {
namespace {

Entry entry(const std::string& engine, const std::vector<double>& times_ns, double probe_ns = 100) {
  Entry one;
  one.engine = engine;
  one.library = engine + " 1.0";
  one.measurement.end = measure::SubjectEnd::converged;
  for (const double time_ns : times_ns) {
    measure::Sample sample;
    sample.launches = 1;
    sample.host_ns = time_ns;
    sample.probe_ns = probe_ns;
    one.measurement.rounds.push_back(sample);
  }
  return one;
}

Entry steady(const std::string& engine, double time_ns, std::size_t rounds = 12) {
  return entry(engine, std::vector<double>(rounds, time_ns));
}

Cell cell(std::vector<Entry> entries) {
  Cell one;
  one.shape = {10, 10, 10};
  one.flops = 2000;
  one.probe_flops = 4000;  // 100 ns each: 40 FLOP per ns
  one.entries = std::move(entries);
  return one;
}

TEST(BenchStanding, ComparesWithTheQuickestLibrary) {
  const Verdict verdict = judge(cell({steady("a", 125), steady("b", 100)}));
  ASSERT_EQ(verdict.best_library, 1u);
  EXPECT_TRUE(verdict.apart);
  EXPECT_DOUBLE_EQ(verdict.standings[0].ratio->value, 0.8);
  EXPECT_DOUBLE_EQ(verdict.standings[1].ratio->value, 1.0);
  // 2000 FLOP in 100 ns are 20 per ns, half of the probe's 40.
  EXPECT_DOUBLE_EQ(verdict.standings[1].share_of_peak->value, 0.5);
}

TEST(BenchStanding, OurOwnEngineIsNeverTheLibraryToBeat) {
  Entry own = steady("own", 50);
  own.ours = true;
  const Verdict verdict = judge(cell({own, steady("b", 100)}));
  ASSERT_EQ(verdict.best_library, 1u);
  EXPECT_DOUBLE_EQ(verdict.standings[0].ratio->value, 2.0);
}

TEST(BenchStanding, WrongFailedAndDroppedEnginesAreNotRanked) {
  Entry wrong = steady("wrong", 1);
  wrong.wrong = true;
  Entry failed = steady("failed", 1);
  failed.reason = "no memory";
  Entry dropped = steady("dropped", 1, 1);
  dropped.measurement.end = measure::SubjectEnd::dropped;
  const Cell one = cell({wrong, failed, dropped, steady("b", 100)});
  const Verdict verdict = judge(one);
  ASSERT_EQ(verdict.best_library, 3u);
  EXPECT_TRUE(verdict.apart);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_FALSE(verdict.standings[i].time_ns.has_value()) << i;
    EXPECT_FALSE(verdict.standings[i].ratio.has_value()) << i;
  }
  EXPECT_TRUE(has_wrong_result(one));
  EXPECT_FALSE(has_wrong_result(cell({failed, dropped})));
}

// "a" is quicker on odd rounds by luck, and much slower on even ones: it is chosen, and scored as slow.
TEST(BenchStanding, ChoosesOnOddRoundsAndScoresOnEvenOnes) {
  std::vector<double> times;
  for (int i = 0; i < 6; ++i) {
    times.insert(times.end(), {90, 200});
  }
  const Verdict verdict = judge(cell({entry("a", times), steady("b", 100)}));
  ASSERT_EQ(verdict.best_library, 0u);
  EXPECT_DOUBLE_EQ(verdict.standings[1].ratio->value, 2.0);
}

TEST(BenchStanding, FewRoundsServeBothAndAreMarked) {
  const Cell one = cell({steady("a", 125, 6), steady("b", 100, 6)});
  EXPECT_FALSE(judge(one).apart);
  EXPECT_DOUBLE_EQ(judge(one).standings[0].ratio->value, 0.8);
  EXPECT_NE(text_table({one}).find("b ~\n"), std::string::npos);
}

TEST(BenchStanding, NoLibraryNoRatio) {
  Entry own = steady("own", 50);
  own.ours = true;
  const Verdict verdict = judge(cell({own}));
  EXPECT_FALSE(verdict.best_library.has_value());
  EXPECT_FALSE(verdict.standings[0].ratio.has_value());
  EXPECT_TRUE(verdict.standings[0].time_ns.has_value());
}

TEST(BenchStanding, WithoutAProbeThereIsNoShare) {
  const Verdict verdict = judge(cell({entry("a", std::vector<double>(12, 100.0), 0)}));
  EXPECT_FALSE(verdict.standings[0].share_of_peak.has_value());
}

TEST(BenchTable, NamesTheWrongAndTheLeftOut) {
  Entry wrong = steady("a", 1);
  wrong.wrong = true;
  wrong.reason = "element (0, 0) is off";
  Cell left_out = cell({});
  left_out.shape = {4096, 4096, 4096};
  left_out.left_out = "does not fit";
  const std::string text = text_table({cell({wrong, steady("b", 100)}), left_out});
  EXPECT_NE(text.find("WRONG"), std::string::npos);
  EXPECT_NE(text.find("a: wrong: element (0, 0) is off (10x10x10)\n"), std::string::npos);
  EXPECT_NE(text.find("left out: does not fit (4096x4096x4096)\n"), std::string::npos);
  EXPECT_NE(text.find("best library"), std::string::npos);
  EXPECT_EQ(text.find(" \n"), std::string::npos) << "blanks at a line's end";
}

TEST(BenchTable, SaysOnceWhatHoldsForSeveralShapes) {
  Entry lacking = steady("a", 1, 0);
  lacking.reason = "no FP64";
  Cell first = cell({lacking, steady("b", 100)}), second = first;
  second.shape = {20, 20, 20};
  EXPECT_NE(text_table({first, second}).find("\na: no FP64 (10x10x10, 20x20x20)\n"), std::string::npos);
}

TEST(BenchTable, CountsRoundsThatAreTooFew) {
  Entry few = steady("a", 100, 3);
  few.measurement.end = measure::SubjectEnd::ceiling;
  EXPECT_NE(text_table({cell({few, steady("b", 100)})}).find("3 of 5 rounds"), std::string::npos);
}

TEST(BenchTable, CsvHasAsManyFieldsAsItsHeader) {
  Entry odd = steady("a", 100);
  odd.library = "A \"1\"";
  const auto commas = [](const std::string& line) { return std::count(line.begin(), line.end(), ','); };
  const std::string rows = csv_rows({cell({odd, steady("b", 200, 1)})});
  const std::size_t end = rows.find('\n');
  EXPECT_EQ(commas(rows.substr(0, end)), commas(csv_header()));
  EXPECT_EQ(commas(rows.substr(end + 1)), commas(csv_header()));
  EXPECT_NE(rows.find("\"A \"\"1\"\"\""), std::string::npos);
  EXPECT_EQ(rows.find("f32,1,10,10,10,a,"), 0u);
  EXPECT_NE(rows.find(",converged,12,100,100,100,20,0.5,0.5,0.5,a,1,1,1,"), std::string::npos) << rows;
}

TEST(BenchTable, SumsOurOwnEngineUp) {
  Entry quick = steady("own", 50), slow = steady("own", 200);
  quick.ours = slow.ours = true;
  Cell second = cell({slow, steady("b", 100)});
  second.shape = {20, 20, 20};
  // 2.0 and 0.5: their geometric mean is 1.
  EXPECT_NE(text_table({cell({quick, steady("b", 100)}), second})
                .find("\nown against the best library: 1.000 over 2 shapes (geometric mean), least 0.50 "
                      "(20x20x20)\n"),
            std::string::npos);
  EXPECT_EQ(text_table({cell({steady("a", 100), steady("b", 100)})}).find("geometric mean"),
            std::string::npos);
}

TEST(BenchTable, ReadsVectorShapesAgainstMemory) {
  Cell vector = cell({steady("a", 100)});
  vector.shape = {1, 10, 100};
  vector.memory_gbps = 55.5;
  // (100 + 1000 + 10) x 4 bytes in 100 ns.
  EXPECT_NE(text_table({vector}).find("\n1x10x100 is bound by memory, GB/s: a 44.4; STREAM triad 55.5\n"),
            std::string::npos);
}

}  // namespace
}  // namespace jissoku::bench
