#include "jissoku/experiments/matmul/rows.hpp"

#include <gtest/gtest.h>

#include "jissoku/experiments/datasheet.hpp"

namespace jissoku::experiments::matmul {
namespace {

measure::Measurement with_times(const std::vector<double>& times) {
  measure::Measurement measurement;
  measurement.end = measure::SubjectEnd::converged;
  for (const double time_ns : times) {
    measure::Sample sample;
    sample.launches = 1;
    sample.host_ns = time_ns;
    measurement.rounds.push_back(sample);
  }
  return measurement;
}

TEST(Choice, LooksOnlyAtOddRounds) {
  // "lucky" is quicker in every even round, which must not help it.
  const auto steady = with_times({10, 10, 10, 10, 10, 10, 10, 10, 10, 10});
  const auto lucky = with_times({11, 1, 11, 1, 11, 1, 11, 1, 11, 1});
  EXPECT_EQ(choose_on_odd_rounds({&steady, &lucky}), 0u);
  EXPECT_EQ(choose_on_odd_rounds({&lucky, &steady}), 1u);
}

TEST(Choice, NeedsEnoughRoundsOfEitherKind) {
  const auto short_one = with_times({1, 1, 1, 1, 1, 1, 1, 1, 1});
  const auto long_one = with_times({2, 2, 2, 2, 2, 2, 2, 2, 2, 2});
  EXPECT_EQ(choose_on_odd_rounds({&short_one}), std::nullopt);
  EXPECT_EQ(choose_on_odd_rounds({&short_one, &long_one}), 1u);
  EXPECT_EQ(choose_on_odd_rounds({}), std::nullopt);
}

document::Row at_work(double cpu_ns, int told) {
  document::Row row;
  row.implementation.threads = told;
  document::Sample sample;
  sample.launches = 1;
  sample.host_ns = 100;
  sample.cpu_ns = cpu_ns;
  row.samples = {sample, sample};
  return row;
}

TEST(IdleThreads, ALibraryThatRunsOnFewerIsCaught) {
  for (const auto& [cpu_ns, told, caught] : {std::tuple{100.0, 2, true},
                                             {140.0, 2, true},
                                             {160.0, 2, false},
                                             {100.0, 1, false},
                                             {200.0, 4, true}}) {
    document::Row row = at_work(cpu_ns, told);
    note_idle_threads(row);
    EXPECT_EQ(row.implementation.notes.size(), caught ? 1u : 0u) << cpu_ns << " " << told;
  }
}

TEST(IdleThreads, OthersWhoTookTheCpusAreNotTheLibrarysFault) {
  document::Row row = at_work(100.0, 2);
  for (document::Sample& sample : row.samples) {
    sample.foreign_cpu_share = 0.5;
  }
  note_idle_threads(row);
  EXPECT_TRUE(row.implementation.notes.empty());
}

TEST(Datasheet, HasEveryDeviceWithASourceOrAReason) {
  const auto table = embedded_datasheets();
  for (const char* key : {"t4",
                          "v100_sxm2",
                          "a100_sxm",
                          "h100_sxm",
                          "h200",
                          "b200",
                          "gb300",
                          "l4",
                          "l40s",
                          "rtx4090",
                          "rtx5090",
                          "mi300x",
                          "mi355x",
                          "gaudi3",
                          "tpu_v5e",
                          "tpu_v6e",
                          "rubin"}) {
    EXPECT_NE(find_datasheet(table, key), nullptr) << key;
  }
  EXPECT_EQ(find_datasheet(table, "nothing"), nullptr);
  for (const DatasheetDevice& device : table) {
    for (const DatasheetPeak& peak : device.peaks) {
      EXPECT_NE(peak.per_second > 0, !peak.reason.empty()) << device.key << " " << peak.type;
      EXPECT_TRUE(peak.per_second == 0 || !peak.source.empty()) << device.key << " " << peak.type;
    }
  }
}

TEST(Datasheet, PicksThePeakOfTheFormatAndAccumulator) {
  const auto table = embedded_datasheets();
  const auto t4 =
      datasheet_ceiling(*find_datasheet(table, "t4"), numerics::DataType::f16, numerics::DataType::f32);
  EXPECT_EQ(t4.per_second, 65e12);
  EXPECT_EQ(t4.provenance, "datasheet");
  const auto none =
      datasheet_ceiling(*find_datasheet(table, "t4"), numerics::DataType::bf16, numerics::DataType::f32);
  EXPECT_EQ(none.per_second, 0);
}

TEST(Datasheet, DamagedTablesAreErrors) {
  for (const char* text : {"", "{}", "[]", R"({"devices": [{"key": 1}]})"}) {
    EXPECT_FALSE(parse_datasheets(text).ok()) << text;
  }
}

}  // namespace
}  // namespace jissoku::experiments::matmul
